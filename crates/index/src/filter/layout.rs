//! The columns in which an index holds the fields of conditions, and a document as the row that conditions are
//! evaluated on.

use memory_search_core::filter::Containment;
use memory_search_core::filter::condition::{Condition, Field, NumberField, Row, TextField, TimeField};
use memory_search_core::timestamp::Micros;

use crate::document::DocumentView;
use crate::hashing::Hashes;

/// The form of the numbers in a number column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberForm {
    /// Integers.
    Integer,
    /// The bits of a double-precision float.
    Float,
}

impl NumberForm {
    /// The number that a column holds so.
    #[inline]
    pub fn number(self, held: i64) -> f64 {
        match self {
            NumberForm::Integer => held as f64,
            NumberForm::Float => f64::from_bits(held.cast_unsigned()),
        }
    }
}

/// The columns in which an index holds the fields of conditions. Number columns are counted from 0, as
/// [`DocumentView::number`] does; text columns and tags have the number under which their terms are hashed.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    hashes: Hashes,
    times: [Option<usize>; TimeField::ALL.len()],
    numbers: [Option<(usize, NumberForm)>; 2],
    texts: [Option<u16>; TextField::ALL.len()],
    tags: Option<u16>,
    entities: Option<u16>,
    metadata: Option<u16>,
}

impl Layout {
    /// Knows no field yet.
    pub fn new(hashes: Hashes) -> Layout {
        Layout {
            hashes,
            times: [None; TimeField::ALL.len()],
            numbers: [None; 2],
            texts: [None; TextField::ALL.len()],
            tags: None,
            entities: None,
            metadata: None,
        }
    }

    /// A number column holds a time: microseconds since 1970, with infinities at the ends of the range.
    #[must_use]
    pub fn with_time(mut self, field: TimeField, column: usize) -> Layout {
        self.times[field as usize] = Some(column);
        self
    }

    /// A number column holds a number.
    #[must_use]
    pub fn with_number(mut self, field: NumberField, column: usize, form: NumberForm) -> Layout {
        self.numbers[field as usize] = Some((column, form));
        self
    }

    /// A column of terms holds the values of a text.
    #[must_use]
    pub fn with_text(mut self, field: TextField, column: u16) -> Layout {
        self.texts[field as usize] = Some(column);
        self
    }

    /// A column of terms holds the tags.
    #[must_use]
    pub fn with_tags(mut self, column: u16) -> Layout {
        self.tags = Some(column);
        self
    }

    /// A column of terms holds the entities that a row names.
    #[must_use]
    pub fn with_entities(mut self, column: u16) -> Layout {
        self.entities = Some(column);
        self
    }

    /// A column of terms holds scalars of the metadata: a row without the term does not contain the scalar, a row with it
    /// may.
    #[must_use]
    pub fn with_metadata(mut self, column: u16) -> Layout {
        self.metadata = Some(column);
        self
    }

    /// The hashes under which terms are made.
    pub fn hashes(&self) -> &Hashes {
        &self.hashes
    }

    /// The number column of a time.
    pub fn time(&self, field: TimeField) -> Option<usize> {
        self.times[field as usize]
    }

    /// The number column of a number.
    pub fn number(&self, field: NumberField) -> Option<(usize, NumberForm)> {
        self.numbers[field as usize]
    }

    /// The term column of a text.
    pub fn text(&self, field: TextField) -> Option<u16> {
        self.texts[field as usize]
    }

    /// The term column of the tags.
    pub fn tags(&self) -> Option<u16> {
        self.tags
    }

    /// The term column of the entities.
    pub fn entities(&self) -> Option<u16> {
        self.entities
    }

    /// The term column of the metadata.
    pub fn metadata(&self) -> Option<u16> {
        self.metadata
    }

    /// Whether the index holds a field's value. Its terms describe metadata only in part.
    pub fn says(&self, field: Field) -> bool {
        match field {
            Field::Text(field) => self.text(field).is_some(),
            Field::Number(field) => self.number(field).is_some(),
            Field::Time(field) => self.time(field).is_some(),
            Field::Tags => self.tags.is_some(),
            Field::Entities => self.entities.is_some(),
            Field::Metadata | Field::Words | Field::OtherRows | Field::WholeRow => false,
        }
    }

    /// Whether the index holds all fields of a condition, so that its value is the row's.
    pub fn knows(&self, condition: &Condition) -> bool {
        match condition {
            Condition::Equals(field, _) | Condition::IsAmong(field, _) => self.says(Field::Text(*field)),
            Condition::Number(field, ..) => self.says(Field::Number(*field)),
            Condition::Time(field, ..) | Condition::NullOrTime(field, ..) | Condition::IsNull(field) => {
                self.says(Field::Time(*field))
            }
            Condition::Tags(..) => self.says(Field::Tags),
            Condition::Entities(..) => self.says(Field::Entities),
            Condition::Metadata(_) | Condition::MetadataPath(_) | Condition::MetadataTime(..) => {
                self.says(Field::Metadata)
            }
            Condition::Like(..) | Condition::HasText(_) | Condition::Id(_) => self.says(Field::WholeRow),
            Condition::Demands => self.says(Field::Words),
            Condition::StandsAgain(_) | Condition::HasItsEntry(_) => self.says(Field::OtherRows),
            Condition::All(parts) | Condition::Any(parts) => parts.iter().all(|part| self.knows(part)),
            Condition::Not(part) | Condition::IsTrue(part) => self.knows(part),
        }
    }
}

/// A document of the tail as conditions see it.
#[derive(Debug, Clone, Copy)]
pub struct DocumentRow<'a> {
    /// The document.
    pub view: &'a DocumentView<'a>,
    /// The columns of its values.
    pub layout: &'a Layout,
}

impl DocumentRow<'_> {
    /// Whether a column that is not null has a value.
    fn has(&self, column: Option<u16>, value: &str) -> Option<bool> {
        let (column, hashes) = (column?, &self.layout.hashes);
        // A value says that there is one.
        match self.view.has_term(hashes.value(column, value.as_bytes())) {
            true => Some(true),
            false => self.view.has_term(hashes.presence(column)).then_some(false),
        }
    }
}

impl Row for DocumentRow<'_> {
    /// Whether rows of this kind may have the field; [`Layout::knows`] says whether an index has it.
    fn says(field: Field) -> bool {
        !matches!(field, Field::Metadata | Field::Words | Field::OtherRows | Field::WholeRow)
    }

    fn equals(&self, field: TextField, value: &str) -> Option<bool> {
        self.has(self.layout.text(field), value)
    }

    #[inline]
    fn number(&self, field: NumberField) -> Option<f64> {
        let (column, form) = self.layout.number(field)?;
        self.view.number(column).map(|held| form.number(held))
    }

    #[inline]
    fn time(&self, field: TimeField) -> Option<Micros> {
        self.layout.time(field).and_then(|column| self.view.number(column))
    }

    fn has_tag(&self, tag: &str) -> Option<bool> {
        self.has(self.layout.tags(), tag)
    }

    fn names_entity(&self, key: &str) -> Option<bool> {
        let (column, hashes) = (self.layout.entities()?, &self.layout.hashes);
        match self.view.has_term(hashes.key_of_name(column, key.as_bytes())) {
            true => Some(true),
            false => self.has(Some(column), key),
        }
    }

    fn metadata_contains(&self, part: &Containment) -> Option<bool> {
        let (column, terms, hashes) = (self.layout.metadata()?, part.terms()?, &self.layout.hashes);
        if !self.view.has_term(hashes.presence(column)) || self.view.has_term(hashes.whole(column)) {
            return None;
        }
        let holds_all = terms.iter().all(|term| self.view.has_term(hashes.value(column, term)));
        if holds_all { None } else { Some(false) }
    }
}
