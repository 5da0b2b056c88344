//! The query's words, through the same text search configuration as the entries'.

use memory_search_core::Result;
use memory_search_core::request::plan::Plan;
use memory_search_core::text::demands::Demands;
use memory_search_core::text::document::Document;
use memory_search_core::text::phrase::Phrase;
use memory_search_core::text::query_lexemes::QueryLexemes;
use memory_search_core::text::word_finder::WordFinder;
use memory_search_core::text::words_in_text::Held;
use memory_search_pgformat::tsquery::written;
use memory_search_pgformat::tsvector::TsVector;

use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::text_search;
use crate::store::definition::Store;

/// The lexemes of the query in the store's language.
pub fn lexemes(reader: &Reader<'_>, store: &Store, plan: &Plan) -> Result<QueryLexemes> {
    let wanted = &plan.query.wanted;
    let written = with_tsvector(reader, store, wanted, AsWritten, |vector| QueryLexemes::of(&vector))?;
    let written = written.unwrap_or_default();
    if written.is_empty() || !store.preparation.may_fold(wanted) {
        return Ok(written);
    }
    let folded = with_tsvector(reader, store, wanted, AsRowsHaveThem, |vector| written.clone().with_folded(&vector))?;
    Ok(folded.unwrap_or(written))
}

/// The lexemes of a text as an entry's.
pub fn lexemes_of(reader: &Reader<'_>, store: &Store, text: &str) -> Result<Vec<String>> {
    let found = with_tsvector(reader, store, text, AsRowsHaveThem, |vector| {
        let lexeme = |index| Ok(String::from_utf8_lossy(vector.lexeme(index)?).into_owned());
        (0..vector.lexeme_count()).map(lexeme).collect::<Result<Vec<String>>>()
    })?;
    Ok(found.unwrap_or_default())
}

/// What a query demands of every entry.
pub struct Demanded {
    /// As a tsquery, for statements that ask about few rows.
    pub tsquery: String,
    /// The same for rows that are read here: the server takes a second for phrases over repetitive entries.
    pub demands: Demands,
}

/// What the query demands of every entry: its phrases, and none of its excluded words. They are meant as they are
/// written: with an accent they are not found without it.
pub fn demands(reader: &Reader<'_>, store: &Store, plan: &Plan) -> Result<Option<Demanded>> {
    let phrases = |texts: &[String]| -> Result<Vec<Phrase>> {
        let mut found = Vec::new();
        for text in texts {
            found.extend(with_tsvector(reader, store, text, AsWritten, |vector| Phrase::of(&vector))?.flatten());
        }
        Ok(found)
    };
    let (wanted, excluded) = (phrases(&plan.query.phrases)?, phrases(&plan.query.excluded)?);
    if wanted.is_empty() && excluded.is_empty() {
        return Ok(None);
    }
    let unwanted = excluded.iter().map(|phrase| format!("!{}", written(phrase)));
    let tsquery = wanted.iter().map(written).chain(unwanted).collect::<Vec<String>>().join(" & ");
    Ok(Some(Demanded { tsquery, demands: Demands::new(&wanted, &excluded) }))
}

/// The numbers of the words of a query that a text holds.
pub fn held(reader: &Reader<'_>, store: &Store, text: &str, words: &WordFinder) -> Result<Held> {
    let mut held = Held::new();
    with_tsvector(reader, store, text, AsRowsHaveThem, |vector| {
        words.find(&vector, |number, _| {
            held.extend(u16::try_from(number));
            Ok(())
        })
    })?;
    Ok(held)
}

/// Which lexemes a text has.
#[derive(Clone, Copy)]
enum Which {
    AsWritten,
    /// With those of words without their accents.
    AsRowsHaveThem,
}
use Which::{AsRowsHaveThem, AsWritten};

fn with_tsvector<T>(
    reader: &Reader<'_>,
    store: &Store,
    text: &str,
    which: Which,
    read: impl FnOnce(TsVector<'_>) -> Result<T>,
) -> Result<Option<T>> {
    if let Some(configuration) = store.configuration_alone(text) {
        return text_search::with_tsvector(&configuration, text, read);
    }
    let mut statement = Statement::default();
    let text = statement.bind(Param::text(text));
    let statement = statement.with(match which {
        AsWritten => format!("SELECT {}", store.written_tsvector(&text)),
        AsRowsHaveThem => format!("SELECT {}", store.tsvector(&text)),
    });
    let mut read = Some(read);
    let found = reader.first(&statement, |row| match read.take() {
        Some(read) => row.tsvector(1, read),
        None => Ok(None),
    })?;
    Ok(found.flatten())
}
