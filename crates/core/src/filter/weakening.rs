//! Weaker conditions: who knows only parts of a row, such as an index, tests a weaker condition, which holds for every
//! row for which the condition holds.
//!
//! A field that is not known looks null. This is wrong under NOT before `IS TRUE`: `NOT (x IS TRUE)` is true of a null
//! `x`. But an `x` that the index does not know may be true in the row. So such fields are removed here, in the
//! direction in which the condition becomes weaker.

use super::condition::{Condition, TextColumn, TextField};

/// Tells whether all fields of a condition are known.
type Knows<'a> = &'a dyn Fn(&Condition) -> bool;

/// A condition that is not false of each row on which `condition` is true, for any values that are not known. Fields
/// that are not known are left only outside of negations.
pub fn weakened(condition: &Condition, knows: Knows<'_>) -> Condition {
    match condition {
        Condition::All(parts) => Condition::All(parts.iter().map(|part| weakened(part, knows)).collect()),
        Condition::Any(parts) => Condition::Any(parts.iter().map(|part| weakened(part, knows)).collect()),
        Condition::IsTrue(part) => weakened(part, knows),
        Condition::Not(part) => weakly_false(part, knows),
        // An index knows of metadata which rows cannot contain a value.
        leaf => leaf.clone(),
    }
}

/// A condition that is not false of each row on which `condition` is false.
fn weakly_false(condition: &Condition, knows: Knows<'_>) -> Condition {
    match condition {
        _ if knows(condition) => Condition::Not(Box::new(condition.clone())),
        Condition::All(parts) => Condition::Any(parts.iter().map(|part| weakly_false(part, knows)).collect()),
        Condition::Any(parts) => Condition::All(parts.iter().map(|part| weakly_false(part, knows)).collect()),
        Condition::Not(part) => weakened(part, knows),
        Condition::IsTrue(part) => weakly_not_true(part, knows),
        _ => anything(),
    }
}

/// A condition that is not false of each row on which `condition` is false or null.
fn weakly_not_true(condition: &Condition, knows: Knows<'_>) -> Condition {
    match condition {
        _ if knows(condition) => condition.clone().is_not_true(),
        Condition::All(parts) => Condition::Any(parts.iter().map(|part| weakly_not_true(part, knows)).collect()),
        Condition::Any(parts) => Condition::All(parts.iter().map(|part| weakly_not_true(part, knows)).collect()),
        Condition::IsTrue(part) => weakly_not_true(part, knows),
        // If NOT x is not true, x is true or null. If NOT (x IS TRUE) is not true, x is true.
        Condition::Not(part) => match part.as_ref() {
            Condition::IsTrue(part) => weakened(part, knows),
            _ => anything(),
        },
        _ => anything(),
    }
}

/// Every row meets it.
fn anything() -> Condition {
    Condition::All(Vec::new())
}

/// The demand on the user of conditions on entries that must all hold: for rows that have a user but not the other
/// fields. `None` if any user meets them.
pub fn of_users<'a>(conditions: impl Iterator<Item = &'a Condition>) -> Option<Condition> {
    demanded(&weakened(&Condition::all(conditions.cloned()), &reads_only_users))
}

/// A weakened condition without its demands on other fields.
fn demanded(condition: &Condition) -> Option<Condition> {
    match condition {
        Condition::All(parts) => {
            let parts: Vec<Condition> = parts.iter().filter_map(demanded).collect();
            (!parts.is_empty()).then_some(Condition::All(parts))
        }
        Condition::Any(parts) => {
            let parts: Vec<Condition> = parts.iter().map(demanded).collect::<Option<_>>()?;
            (!parts.is_empty()).then_some(Condition::Any(parts))
        }
        other => reads_only_users(other).then(|| other.clone()),
    }
}

/// Whether it reads the user, and nothing else.
fn reads_only_users(condition: &Condition) -> bool {
    match condition {
        Condition::Equals(field, _) | Condition::IsAmong(field, _) => *field == TextField::UserId,
        Condition::Like(column, ..) | Condition::HasText(column) => *column == TextColumn::UserId,
        Condition::All(parts) | Condition::Any(parts) => !parts.is_empty() && parts.iter().all(reads_only_users),
        Condition::Not(part) | Condition::IsTrue(part) => reads_only_users(part),
        _ => false,
    }
}
