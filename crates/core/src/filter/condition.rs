//! Conditions on rows as data, and their value on a row, by SQL's logic of three values: a condition that depends on a
//! null is neither true nor false.

use std::cmp::Ordering;

use super::containment::Containment;
use super::json_path::JsonPath;
use crate::json_fields::Choice;
use crate::timestamp::Micros;

/// The instant of a question about rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// The present, at this instant. A row that is marked as deleted or corrected counts as such, for any time in the
    /// mark.
    Now(Micros),
    /// An instant, from the times of the rows: later events have not happened yet.
    AsOf(Micros),
}

impl When {
    /// The instant.
    pub fn instant(self) -> Micros {
        match self {
            When::Now(instant) | When::AsOf(instant) => instant,
        }
    }
}

/// Whether an entry needs one of the tags or all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TagMatch {
    /// At least one.
    #[default]
    Any,
    /// Every one.
    All,
}

impl Choice for TagMatch {
    const CHOICES: &'static [(&'static str, Self)] = &[("any", TagMatch::Any), ("all", TagMatch::All)];
}

/// A text of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TextField {
    UserId,
    AgentId,
    SessionId,
    SourceType,
    EntryKey,
}

impl TextField {
    /// All of them, in their order.
    pub const ALL: [TextField; 5] =
        [TextField::UserId, TextField::AgentId, TextField::SessionId, TextField::SourceType, TextField::EntryKey];
}

/// A text of an entry that patterns are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TextColumn {
    UserId,
    AgentId,
    SessionId,
    SourceType,
    EntryKey,
    RawEntry,
    Summary,
}

impl TextColumn {
    /// The field with the same text, among those that values are compared with.
    pub fn field(self) -> Option<TextField> {
        match self {
            TextColumn::UserId => Some(TextField::UserId),
            TextColumn::AgentId => Some(TextField::AgentId),
            TextColumn::SessionId => Some(TextField::SessionId),
            TextColumn::SourceType => Some(TextField::SourceType),
            TextColumn::EntryKey => Some(TextField::EntryKey),
            TextColumn::RawEntry | TextColumn::Summary => None,
        }
    }
}

/// A number of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum NumberField {
    Importance,
    AccessCount,
}

/// A time of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TimeField {
    Creation,
    DeletionScheduled,
    Expiry,
    Superseded,
    ValidFrom,
    ValidUntil,
}

impl TimeField {
    /// All of them, in their order.
    pub const ALL: [TimeField; 6] = [
        TimeField::Creation,
        TimeField::DeletionScheduled,
        TimeField::Expiry,
        TimeField::Superseded,
        TimeField::ValidFrom,
        TimeField::ValidUntil,
    ];
}

/// The fields that a condition reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Field {
    Text(TextField),
    Number(NumberField),
    Time(TimeField),
    Tags,
    Entities,
    Metadata,
    /// The words of the row.
    Words,
    /// Other rows: the correction of an entry, the entry of a context.
    OtherRows,
    /// Fields that only the row itself has: its whole texts, its id.
    WholeRow,
}

/// The comparison of a value with a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Comparison {
    Less,
    LessOrEqual,
    Equal,
    GreaterOrEqual,
    Greater,
}

impl Comparison {
    /// Whether it holds for a value with this order to the bound.
    pub fn holds(self, order: Ordering) -> bool {
        match self {
            Comparison::Less => order.is_lt(),
            Comparison::LessOrEqual => order.is_le(),
            Comparison::Equal => order.is_eq(),
            Comparison::GreaterOrEqual => order.is_ge(),
            Comparison::Greater => order.is_gt(),
        }
    }

    /// Whether it holds for a number and a bound, in PostgreSQL's order of floats: NaN equals itself and is greater
    /// than every number.
    pub fn holds_of(self, number: f64, bound: f64) -> bool {
        self.holds(number.partial_cmp(&bound).unwrap_or_else(|| number.is_nan().cmp(&bound.is_nan())))
    }
}

/// A condition on a row. A null makes it neither true nor false, except in conditions that test for null.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// A text equals a value.
    Equals(TextField, String),
    /// A text is one of several.
    IsAmong(TextField, Vec<String>),
    /// A number compares with a bound in this way.
    Number(NumberField, Comparison, f64),
    /// A time compares with an instant in this way.
    Time(TimeField, Comparison, Micros),
    /// A time is null, or compares with an instant in this way: one test, because every row of a memory has several of
    /// them.
    NullOrTime(TimeField, Comparison, Micros),
    /// A time is null.
    IsNull(TimeField),
    /// The row has one of these tags, or all of them.
    Tags(Vec<String>, TagMatch),
    /// The row names one of these entities, or all of them, by [`entity_key`](crate::text::entity_key::entity_key).
    Entities(Vec<String>, TagMatch),
    /// The metadata contains this.
    Metadata(Containment),
    /// A path of the metadata exists.
    MetadataPath(JsonPath),
    /// A text at a path of the metadata is a time that meets each bound: it compares in this way with one of the
    /// instants.
    MetadataTime(JsonPath, Vec<(Comparison, Vec<Micros>)>),
    /// A text matches a pattern of LIKE, or of ILIKE: `true`.
    Like(TextColumn, String, bool),
    /// A text is not null.
    HasText(TextColumn),
    /// The id, as text, is one of several.
    Id(Vec<String>),
    /// The words meet the query's demands. Readers of words test this; no statement does.
    Demands,
    /// No correction of the entry is present at that time, over any number of corrections.
    StandsAgain(When),
    /// A context came with no entry, or its entry, or another one with the same context, is present at that time.
    HasItsEntry(When),
    /// All of them hold; true if there is none.
    All(Vec<Condition>),
    /// At least one holds; false if there is none.
    Any(Vec<Condition>),
    /// It is false.
    Not(Box<Condition>),
    /// It is true, and not unknown.
    IsTrue(Box<Condition>),
}

/// A row on which conditions are evaluated. `None` is null, or a field that the row does not have.
pub trait Row {
    /// Whether rows of this kind have a field: a condition on another field has no value on them.
    fn says(field: Field) -> bool;

    /// Whether a text equals a value.
    fn equals(&self, field: TextField, value: &str) -> Option<bool>;

    /// A number.
    fn number(&self, field: NumberField) -> Option<f64>;

    /// A time.
    fn time(&self, field: TimeField) -> Option<Micros>;

    /// Whether the row has a tag.
    fn has_tag(&self, _tag: &str) -> Option<bool> {
        None
    }

    /// Whether the row names an entity, by its key.
    fn names_entity(&self, _key: &str) -> Option<bool> {
        None
    }

    /// Whether the metadata contains a JSON text.
    fn metadata_contains(&self, _part: &Containment) -> Option<bool> {
        None
    }
}

impl Condition {
    /// All of the conditions; those of nested conjunctions are put into one list.
    pub fn all(conditions: impl IntoIterator<Item = Condition>) -> Condition {
        let mut all = Vec::new();
        for condition in conditions {
            match condition {
                Condition::All(parts) => all.extend(parts),
                other => all.push(other),
            }
        }
        Condition::All(all)
    }

    /// Either condition.
    #[must_use]
    pub fn or(self, other: Condition) -> Condition {
        Condition::Any(vec![self, other])
    }

    /// The condition is false.
    #[must_use]
    pub fn negated(self) -> Condition {
        Condition::Not(Box::new(self))
    }

    /// The condition is false or unknown.
    #[must_use]
    pub fn is_not_true(self) -> Condition {
        Condition::IsTrue(Box::new(self)).negated()
    }

    /// Whether it reads only the time of creation.
    pub fn is_of_creation(&self) -> bool {
        match self {
            Condition::Time(field, ..) | Condition::NullOrTime(field, ..) | Condition::IsNull(field) => {
                *field == TimeField::Creation
            }
            Condition::All(parts) | Condition::Any(parts) => parts.iter().all(Condition::is_of_creation),
            Condition::Not(inner) | Condition::IsTrue(inner) => inner.is_of_creation(),
            _ => false,
        }
    }

    /// Whether rows of a kind have all fields that it reads.
    pub fn is_known_to<R: Row>(&self) -> bool {
        match self {
            Condition::Equals(field, _) | Condition::IsAmong(field, _) => R::says(Field::Text(*field)),
            Condition::Number(field, ..) => R::says(Field::Number(*field)),
            Condition::Time(field, ..) | Condition::NullOrTime(field, ..) | Condition::IsNull(field) => {
                R::says(Field::Time(*field))
            }
            Condition::Tags(..) => R::says(Field::Tags),
            Condition::Entities(..) => R::says(Field::Entities),
            Condition::Metadata(_) | Condition::MetadataPath(_) | Condition::MetadataTime(..) => {
                R::says(Field::Metadata)
            }
            Condition::Like(..) | Condition::HasText(_) | Condition::Id(_) => R::says(Field::WholeRow),
            Condition::Demands => R::says(Field::Words),
            Condition::StandsAgain(_) | Condition::HasItsEntry(_) => R::says(Field::OtherRows),
            Condition::All(parts) | Condition::Any(parts) => parts.iter().all(Condition::is_known_to::<R>),
            Condition::Not(part) | Condition::IsTrue(part) => part.is_known_to::<R>(),
        }
    }

    /// Whether it compares entities, which may have other names.
    pub fn asks_for_entities(&self) -> bool {
        match self {
            Condition::Entities(..) => true,
            Condition::All(parts) | Condition::Any(parts) => parts.iter().any(Condition::asks_for_entities),
            Condition::Not(part) | Condition::IsTrue(part) => part.asks_for_entities(),
            _ => false,
        }
    }

    /// Whether it reads a text of an entry.
    pub fn looks_at(&self, wanted: TextField) -> bool {
        match self {
            Condition::Equals(field, _) | Condition::IsAmong(field, _) => *field == wanted,
            Condition::Like(column, ..) | Condition::HasText(column) => column.field() == Some(wanted),
            Condition::All(parts) | Condition::Any(parts) => parts.iter().any(|part| part.looks_at(wanted)),
            Condition::Not(part) | Condition::IsTrue(part) => part.looks_at(wanted),
            _ => false,
        }
    }

    /// Whether it reads a time of an entry.
    pub fn looks_at_time(&self, wanted: TimeField) -> bool {
        match self {
            Condition::Time(field, ..) | Condition::NullOrTime(field, ..) | Condition::IsNull(field) => {
                *field == wanted
            }
            Condition::All(parts) | Condition::Any(parts) => parts.iter().any(|part| part.looks_at_time(wanted)),
            Condition::Not(part) | Condition::IsTrue(part) => part.looks_at_time(wanted),
            _ => false,
        }
    }

    /// Its value on a row; `None` if it depends on a null, or on a field that the row does not have.
    ///
    /// This runs for every row of a memory: a condition without nested conditions is evaluated without a call.
    #[inline]
    pub fn evaluate<R: Row>(&self, row: &R) -> Option<bool> {
        match self {
            Condition::Equals(field, value) => row.equals(*field, value),
            Condition::Number(field, comparison, bound) => {
                row.number(*field).map(|number| comparison.holds_of(number, *bound))
            }
            Condition::Time(field, comparison, instant) => {
                row.time(*field).map(|time| comparison.holds(time.cmp(instant)))
            }
            Condition::NullOrTime(field, comparison, instant) => {
                Some(row.time(*field).is_none_or(|time| comparison.holds(time.cmp(instant))))
            }
            Condition::IsNull(field) => Some(row.time(*field).is_none()),
            Condition::Metadata(part) => row.metadata_contains(part),
            Condition::MetadataPath(_)
            | Condition::MetadataTime(..)
            | Condition::Like(..)
            | Condition::HasText(_)
            | Condition::Id(_)
            | Condition::Demands
            | Condition::StandsAgain(_)
            | Condition::HasItsEntry(_) => None,
            _ => self.evaluate_parts(row),
        }
    }

    #[inline(never)]
    fn evaluate_parts<R: Row>(&self, row: &R) -> Option<bool> {
        match self {
            Condition::All(parts) => all(parts.iter().map(|part| part.evaluate(row))),
            Condition::Any(parts) => any(parts.iter().map(|part| part.evaluate(row))),
            Condition::Not(part) => part.evaluate(row).map(|value| !value),
            Condition::IsTrue(part) => Some(part.evaluate(row) == Some(true)),
            Condition::IsAmong(field, values) => any(values.iter().map(|value| row.equals(*field, value))),
            Condition::Tags(tags, TagMatch::Any) => any(tags.iter().map(|tag| row.has_tag(tag))),
            Condition::Tags(tags, TagMatch::All) => all(tags.iter().map(|tag| row.has_tag(tag))),
            Condition::Entities(keys, TagMatch::Any) => any(keys.iter().map(|key| row.names_entity(key))),
            Condition::Entities(keys, TagMatch::All) => all(keys.iter().map(|key| row.names_entity(key))),
            other => other.evaluate(row),
        }
    }
}

/// SQL's AND.
#[inline]
fn all(values: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(true);
    for value in values {
        match value {
            Some(true) => {}
            Some(false) => return Some(false),
            None => all = None,
        }
    }
    all
}

/// SQL's OR.
#[inline]
fn any(values: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut any = Some(false);
    for value in values {
        match value {
            Some(false) => {}
            Some(true) => return Some(true),
            None => any = None,
        }
    }
    any
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A condition alone, and as a part of others.
    fn within_others(condition: &Condition) -> [Condition; 5] {
        let other = Condition::Tags(vec!["x".to_owned()], TagMatch::Any);
        [
            condition.clone(),
            Condition::All(vec![other.clone(), condition.clone()]),
            other.or(condition.clone()),
            condition.clone().negated(),
            Condition::IsTrue(Box::new(condition.clone())),
        ]
    }

    /// A row without any known field.
    struct Unknown;

    impl Row for Unknown {
        fn says(_: Field) -> bool {
            false
        }

        fn equals(&self, _: TextField, _: &str) -> Option<bool> {
            None
        }

        fn number(&self, _: NumberField) -> Option<f64> {
            None
        }

        fn time(&self, _: TimeField) -> Option<Micros> {
            None
        }
    }

    #[test]
    fn what_a_row_does_not_say_is_neither_true_nor_false() {
        for condition in [
            Condition::Tags(vec!["x".to_owned()], TagMatch::Any),
            Condition::Metadata(Containment::of("{}".to_owned())),
            Condition::Number(NumberField::Importance, Comparison::Less, 5.0),
        ] {
            assert_eq!(condition.evaluate(&Unknown), None, "{condition:?}");
            assert_eq!(condition.negated().evaluate(&Unknown), None);
        }
    }

    #[test]
    fn which_text_a_condition_looks_at_is_told_wherever_it_stands() {
        for condition in [
            Condition::Equals(TextField::UserId, "ann".to_owned()),
            Condition::IsAmong(TextField::UserId, vec!["ann".to_owned()]),
            Condition::Like(TextColumn::UserId, "a%".to_owned(), false),
            Condition::HasText(TextColumn::UserId),
        ] {
            for condition in within_others(&condition) {
                assert!(condition.looks_at(TextField::UserId), "{condition:?}");
                assert!(!condition.looks_at(TextField::AgentId), "{condition:?}");
                assert!(!condition.looks_at_time(TimeField::Creation), "{condition:?}");
            }
        }
        for (column, field) in [
            (TextColumn::AgentId, Some(TextField::AgentId)),
            (TextColumn::SessionId, Some(TextField::SessionId)),
            (TextColumn::SourceType, Some(TextField::SourceType)),
            (TextColumn::EntryKey, Some(TextField::EntryKey)),
            (TextColumn::RawEntry, None),
            (TextColumn::Summary, None),
        ] {
            assert_eq!(column.field(), field);
            assert!(!Condition::HasText(column).looks_at(TextField::UserId), "{column:?}");
        }
    }

    #[test]
    fn which_time_a_condition_looks_at_is_told_wherever_it_stands() {
        for condition in [
            Condition::Time(TimeField::Expiry, Comparison::Less, 5),
            Condition::NullOrTime(TimeField::Expiry, Comparison::Less, 5),
            Condition::IsNull(TimeField::Expiry),
        ] {
            for condition in within_others(&condition) {
                assert!(condition.looks_at_time(TimeField::Expiry), "{condition:?}");
                assert!(!condition.looks_at_time(TimeField::Creation), "{condition:?}");
                assert!(!condition.looks_at(TextField::UserId), "{condition:?}");
            }
        }
    }

    #[test]
    fn a_condition_is_of_creation_where_all_of_it_asks_for_that_time() {
        let since = Condition::Time(TimeField::Creation, Comparison::GreaterOrEqual, 5);
        let until = Condition::NullOrTime(TimeField::Creation, Comparison::Less, 9);
        for of_creation in [
            since.clone(),
            Condition::All(vec![since.clone(), until.clone()]),
            until.clone().or(Condition::IsNull(TimeField::Creation)),
            until.is_not_true(),
        ] {
            assert!(of_creation.is_of_creation(), "{of_creation:?}");
        }
        let expired = Condition::Time(TimeField::Expiry, Comparison::Less, 5);
        for other in
            [Condition::All(vec![since.clone(), expired.clone()]), since.or(expired.clone()), expired.negated()]
        {
            assert!(!other.is_of_creation(), "{other:?}");
        }
    }
}
