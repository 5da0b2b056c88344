//! The words of rows that statements read: made from their texts, or from the column of words that an adopted table
//! maps. Their columns come after the other columns of a statement.

use memory_search_core::Result;
use memory_search_core::bounds_and_defaults::{METADATA_CHARACTERS, RAW_ENTRY_CHARACTERS, SUMMARY_CHARACTERS};
use memory_search_core::text::demands::{Demands, Judge};
use memory_search_core::text::document::{Document, Occurrences};
use memory_search_core::text::made_words::{MadeWords, Weight};
use memory_search_pgformat::tsvector::TsVector;

use crate::pg::row::Row;
use crate::pg::text_search::words::{Accents, Words};
use crate::search::searched::Searched;
use crate::store::definition::{Store, WordsFrom};

/// The columns of a statement with the words of a row, in their order.
pub fn columns(store: &Store, searched: Searched) -> String {
    let left = |column: &str, most: usize| format!("pg_catalog.left({column}, {most})");
    match (searched, store.words_from) {
        (Searched::Contexts, _) => left("c.context::pg_catalog.text", RAW_ENTRY_CHARACTERS),
        (Searched::Entries, WordsFrom::Column) => "e.search_vector::pg_catalog.tsvector".to_owned(),
        (Searched::Entries, WordsFrom::Texts) => format!(
            "{}, {}, e.tags::pg_catalog.text[], {}",
            left("e.summary::pg_catalog.text", SUMMARY_CHARACTERS),
            left("e.raw_entry::pg_catalog.text", RAW_ENTRY_CHARACTERS),
            left("e.metadata::pg_catalog.text", METADATA_CHARACTERS)
        ),
    }
}

/// Reads the words of one row after another.
pub struct RowWords {
    searched: Searched,
    /// `None` if a column has the words.
    made: Option<Words>,
}

impl RowWords {
    /// The words of a store's entries or contexts.
    pub fn of(store: &Store, searched: Searched) -> Result<RowWords> {
        let made = match (searched, store.words_from) {
            (Searched::Entries, WordsFrom::Column) => None,
            _ => Some(store.words(Accents::Folded)?),
        };
        Ok(RowWords { searched, made })
    }

    /// Calls `read` with the words of a row; `first` is the number of the first of [`columns`]. Returns `None` if the
    /// row has none, which is possible in an adopted table.
    pub fn read<T>(
        &mut self,
        row: &Row<'_>,
        first: i32,
        read: impl FnOnce(&WordsOfRow<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let Some(words) = &mut self.made else {
            return row.tsvector(first, |words| read(&WordsOfRow::Stored(words)));
        };
        let mut add =
            |column: i32, weight: Weight| -> Result<()> { row.with_text(column, |text| words.add_text(text, weight)) };
        match self.searched {
            Searched::Contexts => add(first, Weight::D)?,
            Searched::Entries => {
                add(first, Weight::A)?;
                add(first + 1, Weight::B)?;
                let tags = row.texts(first + 2);
                words.add_texts(tags.iter().map(String::as_str), Weight::C);
                row.with_text(first + 3, |json| words.add_json(json, Weight::D))?;
            }
        }
        read(&WordsOfRow::Made(words.finish())).map(Some)
    }
}

/// The words of a row.
pub enum WordsOfRow<'a> {
    /// Made from its texts.
    Made(MadeWords),
    /// Those of a column.
    Stored(TsVector<'a>),
}

impl Document for WordsOfRow<'_> {
    fn lexeme_count(&self) -> usize {
        match self {
            WordsOfRow::Made(words) => words.lexeme_count(),
            WordsOfRow::Stored(words) => words.lexeme_count(),
        }
    }

    fn lexeme(&self, index: usize) -> Result<&[u8]> {
        match self {
            WordsOfRow::Made(words) => words.lexeme(index),
            WordsOfRow::Stored(words) => words.lexeme(index),
        }
    }

    fn occurrences(&self, index: usize) -> Result<Occurrences> {
        match self {
            WordsOfRow::Made(words) => words.occurrences(index),
            WordsOfRow::Stored(words) => words.occurrences(index),
        }
    }

    fn positions(&self, index: usize) -> Result<impl Iterator<Item = u32>> {
        let (made, stored) = match self {
            WordsOfRow::Made(words) => (Some(words.positions(index)?), None),
            WordsOfRow::Stored(words) => (None, Some(words.positions(index)?)),
        };
        Ok(made.into_iter().flatten().chain(stored.into_iter().flatten()))
    }

    fn each_prefix(&self, each: impl FnMut(usize, u64) -> Result<()>) -> Result<()> {
        match self {
            WordsOfRow::Made(words) => words.each_prefix(each),
            WordsOfRow::Stored(words) => words.each_prefix(each),
        }
    }
}

/// Tests whether rows meet a query's demands, by their words.
pub struct RowJudge<'a> {
    judge: Judge<'a>,
    words: RowWords,
}

impl<'a> RowJudge<'a> {
    /// The test for entries.
    pub fn of(store: &Store, demands: &'a Demands) -> Result<RowJudge<'a>> {
        Ok(RowJudge { judge: Judge::of(demands), words: RowWords::of(store, Searched::Entries)? })
    }

    /// Whether a row meets them; `first` is the number of the first of [`columns`].
    pub fn meets(&mut self, row: &Row<'_>, first: i32) -> Result<bool> {
        let RowJudge { judge, words } = self;
        Ok(words.read(row, first, |words| judge.is_met_by(words))? == Some(true))
    }
}
