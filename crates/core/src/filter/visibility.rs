//! The rows that exist at the instant of a search. An entry is present if it has been created and is neither deleted
//! nor expired. It is visible if it is present and no correction of it is, over any number of corrections.

use crate::filter::condition::{Comparison, Condition, TimeField, When};
use crate::timestamp::Micros;

/// Deleted.
pub fn deleted(when: When) -> Condition {
    has_happened(TimeField::DeletionScheduled, when)
}

/// The condition that a row is not deleted.
pub fn not_deleted(when: When) -> Condition {
    has_not_happened(TimeField::DeletionScheduled, when)
}

/// Corrected by another entry, which may be gone.
pub fn corrected(when: When) -> Condition {
    has_happened(TimeField::Superseded, when)
}

/// The condition that a row is not expired.
pub fn not_expired(when: When) -> Condition {
    Condition::NullOrTime(TimeField::Expiry, Comparison::Greater, when.instant())
}

/// Created by an instant. A row without a creation time always existed.
pub fn created_by(instant: Micros) -> Condition {
    Condition::NullOrTime(TimeField::Creation, Comparison::LessOrEqual, instant)
}

/// Created, and neither deleted nor expired.
pub fn present(when: When) -> Condition {
    let mut conditions = vec![not_deleted(when), not_expired(when)];
    if let When::AsOf(then) = when {
        conditions.push(created_by(then));
    }
    Condition::All(conditions)
}

/// The condition that a row is not superseded, or is reinstated.
pub fn stands(when: When) -> Condition {
    has_not_happened(TimeField::Superseded, when).or(Condition::StandsAgain(when))
}

/// Present, and not corrected or reinstated.
pub fn visible(when: When) -> Condition {
    Condition::all([present(when), stands(when)])
}

/// The correction of an entry counts, if it has one: at an instant, later corrections do not exist yet.
pub fn correction_counts(when: When) -> Condition {
    match when {
        When::Now(_) => Condition::All(Vec::new()),
        When::AsOf(then) => Condition::Time(TimeField::Superseded, Comparison::LessOrEqual, then),
    }
}

/// Deleted before an instant, even an instant in the future.
pub fn deleted_before(instant: Micros) -> Condition {
    Condition::Time(TimeField::DeletionScheduled, Comparison::Less, instant)
}

/// Expired before an instant, and by now: an entry that will expire has not expired.
pub fn expired_before(instant: Micros, now: Micros) -> Condition {
    Condition::Time(TimeField::Expiry, Comparison::Less, instant.min(now))
}

fn has_happened(time: TimeField, when: When) -> Condition {
    match when {
        When::Now(_) => Condition::IsNull(time).negated(),
        When::AsOf(then) => Condition::IsTrue(Box::new(Condition::Time(time, Comparison::LessOrEqual, then))),
    }
}

fn has_not_happened(time: TimeField, when: When) -> Condition {
    match when {
        When::Now(_) => Condition::IsNull(time),
        When::AsOf(then) => Condition::NullOrTime(time, Comparison::Greater, then),
    }
}
