//! Conditions on rows as data, and their value on a row, by SQL's logic of three values: what a null decides is
//! neither true nor false.

use std::cmp::Ordering;

use crate::filter::TagMatch;
use crate::filter::visibility::When;
use crate::timestamp::Micros;

/// A text of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TextField {
    UserId,
    AgentId,
    SourceType,
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
}

/// What a condition looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Field {
    Text(TextField),
    Number(NumberField),
    Time(TimeField),
    Tags,
    Metadata,
    /// The `tsvector` of the row.
    Words,
    /// Rows other than this one: what corrects an entry, what brought a context.
    OtherRows,
}

/// How a value is compared with a bound.
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
    /// Whether it holds for a value that stands so to the bound.
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

/// A condition on a row. Where it looks at a null it is neither true nor false, but for those that ask about null.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// A text equals a value.
    Equals(TextField, String),
    /// A text is one of several.
    IsAmong(TextField, Vec<String>),
    /// A number compares so with a bound.
    Number(NumberField, Comparison, f64),
    /// A time compares so with an instant.
    Time(TimeField, Comparison, Micros),
    /// A time is null.
    IsNull(TimeField),
    /// The row has one of these tags, or all of them.
    Tags(Vec<String>, TagMatch),
    /// The metadata contains this JSON text.
    Metadata(String),
    /// The words match this `tsquery`.
    Words(String),
    /// No correction of the entry is present at that time, however many lie between.
    StandsAgain(When),
    /// A context was brought by no entry, or one that is present at that time brought it or says the same.
    HasItsEntry(When),
    /// Each holds; true of none.
    All(Vec<Condition>),
    /// At least one holds; false of none.
    Any(Vec<Condition>),
    /// It is false.
    Not(Box<Condition>),
    /// It is true, and not unknown.
    IsTrue(Box<Condition>),
}

/// A row that conditions are evaluated on. `None` is null, or what the row does not say.
pub trait Row {
    /// Whether rows of this kind say what a field is: a condition on another field has no value on them.
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

    /// Whether the metadata contains a JSON text.
    fn metadata_contains(&self, _json: &str) -> Option<bool> {
        None
    }
}

impl Condition {
    /// Both conditions.
    #[must_use]
    pub fn and(self, other: Condition) -> Condition {
        Condition::All(vec![self, other])
    }

    /// Either condition.
    #[must_use]
    pub fn or(self, other: Condition) -> Condition {
        Condition::Any(vec![self, other])
    }

    /// That it is false.
    #[must_use]
    pub fn negated(self) -> Condition {
        Condition::Not(Box::new(self))
    }

    /// That it is false or unknown.
    #[must_use]
    pub fn is_not_true(self) -> Condition {
        Condition::IsTrue(Box::new(self)).negated()
    }

    /// Whether rows of a kind say all that it looks at.
    pub fn is_known_to<R: Row>(&self) -> bool {
        match self {
            Condition::Equals(field, _) | Condition::IsAmong(field, _) => R::says(Field::Text(*field)),
            Condition::Number(field, ..) => R::says(Field::Number(*field)),
            Condition::Time(field, ..) | Condition::IsNull(field) => R::says(Field::Time(*field)),
            Condition::Tags(..) => R::says(Field::Tags),
            Condition::Metadata(_) => R::says(Field::Metadata),
            Condition::Words(_) => R::says(Field::Words),
            Condition::StandsAgain(_) | Condition::HasItsEntry(_) => R::says(Field::OtherRows),
            Condition::All(parts) | Condition::Any(parts) => parts.iter().all(Condition::is_known_to::<R>),
            Condition::Not(part) | Condition::IsTrue(part) => part.is_known_to::<R>(),
        }
    }

    /// Its value on a row; `None` where a null, or what the row does not say, decides.
    pub fn evaluate<R: Row>(&self, row: &R) -> Option<bool> {
        match self {
            Condition::Equals(field, value) => row.equals(*field, value),
            Condition::IsAmong(field, values) => any(values.iter().map(|value| row.equals(*field, value))),
            Condition::Number(field, comparison, bound) => {
                row.number(*field).map(|number| comparison.holds_of(number, *bound))
            }
            Condition::Time(field, comparison, instant) => {
                row.time(*field).map(|time| comparison.holds(time.cmp(instant)))
            }
            Condition::IsNull(field) => Some(row.time(*field).is_none()),
            Condition::Tags(tags, TagMatch::Any) => any(tags.iter().map(|tag| row.has_tag(tag))),
            Condition::Tags(tags, TagMatch::All) => all(tags.iter().map(|tag| row.has_tag(tag))),
            Condition::Metadata(json) => row.metadata_contains(json),
            Condition::Words(_) | Condition::StandsAgain(_) | Condition::HasItsEntry(_) => None,
            Condition::All(parts) => all(parts.iter().map(|part| part.evaluate(row))),
            Condition::Any(parts) => any(parts.iter().map(|part| part.evaluate(row))),
            Condition::Not(part) => part.evaluate(row).map(|value| !value),
            Condition::IsTrue(part) => Some(part.evaluate(row) == Some(true)),
        }
    }
}

/// SQL's AND.
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
fn any(values: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    all(values.map(|value| value.map(|value| !value))).map(|none| !none)
}
