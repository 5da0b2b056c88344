//! The value of a condition on all documents of a segment at once.
//!
//! A condition has two sets: the documents on which it is true, and those on which it is not false. AND and OR work on
//! either, NOT exchanges them, and the condition is unknown on documents that are in the second set alone.

use memory_search_core::filter::Containment;
use memory_search_core::filter::condition::{Comparison, Condition, TagMatch};

use super::Layout;
use crate::bitset::Bitset;
use crate::blob::PagedBytes;
use crate::fault::Outcome;
use crate::segment::{Column, NumberRange, Segment};

/// The value of a condition on the documents of a segment.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdicts {
    /// The documents on which it is true.
    pub is_true: Bitset,
    /// The documents on which it is true or unknown.
    pub not_false: Bitset,
}

impl Verdicts {
    /// The documents on which it is unknown.
    pub fn unknown(&self) -> Outcome<Bitset> {
        let mut unknown = self.not_false.copy()?;
        unknown.subtract(&self.is_true);
        Ok(unknown)
    }

    /// Its value on a document.
    pub fn value(&self, document: u32) -> Option<bool> {
        match (self.is_true.contains(document), self.not_false.contains(document)) {
            (false, true) => None,
            (is_true, _) => Some(is_true),
        }
    }
}

/// Evaluates a condition on all documents, the dead included. A field that the layout does not know is null.
pub fn over_segment<B: PagedBytes>(condition: &Condition, layout: &Layout, segment: &Segment<B>) -> Outcome<Verdicts> {
    let mut columns = Vec::new();
    columns.resize_with(segment.number_columns(), || None);
    Evaluation { layout, segment, columns }.value(condition)
}

/// The terms of entities' names with these keys, in the column of entities: a name that is its own key has the term of
/// its value.
pub fn terms_of_names<'k>(layout: &Layout, column: u16, keys: &'k [String]) -> impl Iterator<Item = u64> + use<'k> {
    let hashes = *layout.hashes();
    keys.iter().flat_map(move |key| [hashes.value(column, key.as_bytes()), hashes.key_of_name(column, key.as_bytes())])
}

struct Evaluation<'a, B> {
    layout: &'a Layout,
    segment: &'a Segment<B>,
    /// The columns that were read: several conditions look at one.
    columns: Vec<Option<Column>>,
}

impl<B: PagedBytes> Evaluation<'_, B> {
    fn value(&mut self, condition: &Condition) -> Outcome<Verdicts> {
        match condition {
            Condition::Equals(field, value) => self.any_value(self.layout.text(*field), &[value]),
            Condition::IsAmong(field, values) => self.any_value(self.layout.text(*field), values),
            Condition::Tags(tags, TagMatch::Any) => self.any_value(self.layout.tags(), tags),
            Condition::Tags(tags, TagMatch::All) => {
                let column = self.layout.tags();
                self.all(tags, |own, tag| own.any_value(column, &[tag]))
            }
            Condition::Entities(keys, TagMatch::Any) => {
                self.any_term(self.layout.entities(), self.terms_of_names(keys))
            }
            Condition::Entities(keys, TagMatch::All) => {
                let column = self.layout.entities();
                self.all(keys, |own, key| own.any_term(column, own.terms_of_names(std::slice::from_ref(key))))
            }
            Condition::Number(field, comparison, bound) => match self.layout.number(*field) {
                None => self.everywhere(None),
                Some((column, form)) => {
                    self.by_number(Some(column), |held| held.map(|held| comparison.holds_of(form.number(held), *bound)))
                }
            },
            Condition::Time(field, comparison, instant) => {
                self.by_time(self.layout.time(*field), *comparison, |time| {
                    time.map(|time| comparison.holds(time.cmp(instant)))
                })
            }
            Condition::NullOrTime(field, comparison, instant) => {
                self.by_time(self.layout.time(*field), *comparison, |time| {
                    Some(time.is_none_or(|time| comparison.holds(time.cmp(instant))))
                })
            }
            Condition::IsNull(field) => self.by_number(self.layout.time(*field), |time| Some(time.is_none())),
            Condition::Metadata(part) => self.may_contain(part),
            Condition::MetadataPath(path) => self.may_contain_one_of(path.holds_terms_of()),
            Condition::MetadataTime(..)
            | Condition::Like(..)
            | Condition::HasText(_)
            | Condition::Id(_)
            | Condition::Demands
            | Condition::StandsAgain(_)
            | Condition::HasItsEntry(_) => self.everywhere(None),
            Condition::All(parts) => self.all(parts, Self::value),
            Condition::Any(parts) => {
                let mut any = self.everywhere(Some(false))?;
                for part in parts {
                    let part = self.value(part)?;
                    any.is_true.unite(&part.is_true);
                    any.not_false.unite(&part.not_false);
                }
                Ok(any)
            }
            Condition::Not(part) => {
                let Verdicts { mut is_true, mut not_false } = self.value(part)?;
                is_true.negate();
                not_false.negate();
                Ok(Verdicts { is_true: not_false, not_false: is_true })
            }
            Condition::IsTrue(part) => {
                let is_true = self.value(part)?.is_true;
                Ok(Verdicts { not_false: is_true.copy()?, is_true })
            }
        }
    }

    fn all<T>(&mut self, parts: &[T], value: impl Fn(&mut Self, &T) -> Outcome<Verdicts>) -> Outcome<Verdicts> {
        let mut all = self.everywhere(Some(true))?;
        for part in parts {
            let part = value(self, part)?;
            all.is_true.intersect(&part.is_true);
            all.not_false.intersect(&part.not_false);
        }
        Ok(all)
    }

    /// One value on all documents.
    fn everywhere(&self, value: Option<bool>) -> Outcome<Verdicts> {
        let documents = self.segment.documents();
        let set = |all: bool| if all { Bitset::full(documents) } else { Bitset::empty(documents) };
        Ok(Verdicts { is_true: set(value == Some(true))?, not_false: set(value != Some(false))? })
    }

    /// Whether a column of terms, unless it is null, has one of the values.
    fn any_value(&self, column: Option<u16>, values: &[impl AsRef<str>]) -> Outcome<Verdicts> {
        let hashes = self.layout.hashes();
        let term = |column, value: &str| hashes.value(column, value.as_bytes());
        self.any_term(column, values.iter().map(|value| term(column.unwrap_or_default(), value.as_ref())))
    }

    fn terms_of_names<'k>(&self, keys: &'k [String]) -> impl Iterator<Item = u64> + use<'k, B> {
        terms_of_names(self.layout, self.layout.entities().unwrap_or_default(), keys)
    }

    fn any_term(&self, column: Option<u16>, terms: impl IntoIterator<Item = u64>) -> Outcome<Verdicts> {
        let mut any = self.everywhere(Some(false))?;
        // The OR of no values is false, also for a null column.
        let mut terms = terms.into_iter().peekable();
        if terms.peek().is_none() {
            return Ok(any);
        }
        let Some(column) = column else { return self.everywhere(None) };
        let hashes = self.layout.hashes();
        for term in terms {
            self.segment.documents_with(term, &mut any.is_true)?;
        }
        self.segment.documents_with(hashes.presence(column), &mut any.not_false)?;
        // On a null row the condition is neither true nor false. The term of presence marks the rows with a value.
        any.not_false.negate();
        any.not_false.unite(&any.is_true);
        Ok(any)
    }

    /// False on documents that lack a term, unknown on the others.
    fn may_contain(&self, part: &Containment) -> Outcome<Verdicts> {
        let mut verdicts = self.everywhere(None)?;
        let (Some(column), Some(terms)) = (self.layout.metadata(), part.terms()) else { return Ok(verdicts) };
        let (documents, hashes) = (self.segment.documents(), self.layout.hashes());
        let mut unknown = Bitset::empty(documents)?;
        self.segment.documents_with(hashes.presence(column), &mut unknown)?;
        unknown.negate();
        self.segment.documents_with(hashes.whole(column), &mut unknown)?;
        for term in terms {
            let mut holding = unknown.copy()?;
            self.segment.documents_with(hashes.value(column, term), &mut holding)?;
            verdicts.not_false.intersect(&holding);
        }
        Ok(verdicts)
    }

    /// Whether metadata may contain one of several; every verdict is possible if none is named.
    fn may_contain_one_of(&self, parts: &[Containment]) -> Outcome<Verdicts> {
        let mut verdicts = self.everywhere(None)?;
        if parts.is_empty() {
            return Ok(verdicts);
        }
        verdicts.not_false = Bitset::empty(self.segment.documents())?;
        for part in parts {
            verdicts.not_false.unite(&self.may_contain(part)?.not_false);
        }
        Ok(verdicts)
    }

    /// A condition that is monotonic in a time: if it has the same value on the least and the greatest time of a
    /// segment, it has it on all.
    fn by_time(
        &mut self,
        column: Option<usize>,
        comparison: Comparison,
        value: impl Fn(Option<i64>) -> Option<bool>,
    ) -> Outcome<Verdicts> {
        if let Some(number) = column.filter(|_| comparison != Comparison::Equal) {
            let NumberRange { numbers, has_null } = self.segment.range(number)?;
            if let Some((least, greatest)) = numbers {
                let all = value(Some(least));
                if value(Some(greatest)) == all && (!has_null || value(None) == all) {
                    return self.everywhere(all);
                }
            }
        }
        self.by_number(column, value)
    }

    fn by_number(&mut self, column: Option<usize>, value: impl Fn(Option<i64>) -> Option<bool>) -> Outcome<Verdicts> {
        let Some(number) = column else { return self.everywhere(value(None)) };
        if !matches!(self.columns.get(number), Some(Some(_))) {
            // This fails if the segment has no such column.
            let column = self.segment.numbers(number)?;
            self.columns[number] = Some(column);
        }
        let Some(column) = &self.columns[number] else { return self.everywhere(value(None)) };
        if let Some(all) = column.constant() {
            return self.everywhere(value(all));
        }
        let mut verdicts = self.everywhere(Some(false))?;
        let documents = self.segment.documents();
        for word in 0..documents.div_ceil(64) {
            let (mut is_true, mut not_false) = (0_u64, 0_u64);
            for bit in 0..64.min(documents - 64 * word) {
                let value = value(column.get(64 * word + bit));
                is_true |= u64::from(value == Some(true)) << bit;
                not_false |= u64::from(value != Some(false)) << bit;
            }
            verdicts.is_true.insert_word(word as usize, is_true);
            verdicts.not_false.insert_word(word as usize, not_false);
        }
        Ok(verdicts)
    }
}
