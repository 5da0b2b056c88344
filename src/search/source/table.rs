//! A pass over the rows of a relation: any relation, every filter, every distance computed. Only the memory's own rows
//! are read, so the cost depends on the size of the memory and not of the store. All expressions on a row are in the
//! select list: under row-level security no condition has to wait for a policy, and the same plan works with and
//! without one ([ADR-0015]).
//!
//! [ADR-0015]: ../../../adr/0015-one-pass-over-the-memory.md

use memory_search_core::Result;
use memory_search_core::rank::collector::Scanned;
use memory_search_core::text::demands::Judge;

use super::contexts;
use super::distance::{self, DistanceColumns};
use super::pass::{Pass, Sink};
use crate::pg::spi::{Reader, Statement};
use crate::search::row_words::{self, RowWords, WordsOfRow};
use crate::search::searched::Searched;

/// The number of the first column with words.
const WORDS: i32 = 9;

/// For rows whose words are not read.
const NO_WORDS: Option<&WordsOfRow<'_>> = None;

/// Delivers, for every row of the memory that is visible to the caller at the search's instant, the data that ranking
/// needs: its id, time, order, importance, whether it passes the filters, its distance, and its words. In any order,
/// each row once. Returns the number of rows whose embedding came from another embedder than the query's.
pub fn deliver(reader: &Reader<'_>, pass: &Pass<'_>, sink: &mut Sink<'_>) -> Result<u64> {
    if pass.wanted.searched == Searched::Contexts
        && let Some(by_another) = contexts::deliver(pass, sink)?
    {
        return Ok(by_another);
    }
    let statement = statement(pass);
    let id_type = pass.wanted.searched.id_type(pass.scope);
    let with_words = pass.wanted.lexemes.is_some();
    let mut judge = pass.wanted.searched.demands(pass.scope).map(Judge::of);
    let mut row_words = match with_words || judge.is_some() {
        true => Some(RowWords::of(pass.scope.store, pass.wanted.searched)?),
        false => None,
    };
    let mut by_another = 0;
    reader.scan(&statement, |row| {
        // Only an adopted table can lack an id.
        let id = || row.id(1, id_type);
        if row.boolean(7) == Some(true) && sink.corrected.hides(id()?)? {
            return Ok(());
        }
        let is_by_another = u64::from(row.boolean(8) == Some(true));
        let mut scanned = Scanned {
            memory: pass.memory,
            created: row.timestamp(2).unwrap_or(i64::MIN),
            // An adopted table may have no order within an instant: then ids order rows.
            order: row.integer(6).unwrap_or(0),
            importance: row.number(3).unwrap_or(0.0),
            passes: row.boolean(4) == Some(true),
            distance: row.number(5).filter(|distance| !distance.is_nan()),
        };
        let judged = |words: &WordsOfRow<'_>| {
            if let Some(judge) = judge.as_mut().filter(|_| scanned.passes) {
                scanned.passes = judge.is_met_by(words)?;
            }
            if with_words || scanned.passes {
                by_another += is_by_another;
                sink.collector.add(scanned, with_words.then_some(words), id)?;
            }
            Ok(())
        };
        let read = match &mut row_words {
            Some(row_words) => row_words.read(&row, WORDS, judged)?,
            None => None,
        };
        if read.is_some() {
            return Ok(());
        }
        // For an entry without words, which is possible in an adopted table, no demand is known to be met.
        scanned.passes &= judge.is_none();
        if with_words || scanned.passes {
            by_another += is_by_another;
            sink.collector.add(scanned, NO_WORDS, id)?;
        }
        Ok(())
    })?;
    Ok(by_another)
}

/// A statement on the memory's rows, all visible ones or none of them, that needs the privileges of the pass over them,
/// because it names the same columns.
pub fn statement_of(rows: Rows, pass: &Pass<'_>) -> Statement {
    let mut statement = Statement::default();
    let Columns { selected, standing, filters } = columns(pass, &mut statement, false);
    let of_memory = pass.scope.of_memory(&mut statement, pass.wanted.searched.alias());
    let (relation, limit) = (from(pass), if rows == Rows::None { " LIMIT 0" } else { "" });
    statement.with(format!("SELECT {selected}, {standing}, {filters} FROM {relation} WHERE {of_memory}{limit}"))
}

/// The rows that a statement reads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// All rows of the memory.
    All,
    /// No rows: the statement only checks privileges.
    None,
}

fn statement(pass: &Pass<'_>) -> Statement {
    let mut statement = Statement::default();
    let with_words = pass.wanted.lexemes.is_some();
    let Columns { selected, standing, filters } = columns(pass, &mut statement, with_words);
    // If no statistic needs the rows that the filters remove, they need not be read.
    let filtered = if with_words { String::new() } else { format!(" AND {filters}") };
    let relation = from(pass);
    statement.with(format!("SELECT {selected} FROM {relation} WHERE {standing}{filtered}"))
}

fn from(pass: &Pass<'_>) -> String {
    format!("{} {}", pass.wanted.searched.relation(pass.scope), pass.wanted.searched.alias())
}

/// The SQL of a pass.
struct Columns {
    /// The columns, as [`deliver`] reads them.
    selected: String,
    /// The condition for visible rows, including corrected ones.
    standing: String,
    /// The condition for rows that may be found.
    filters: String,
}

/// `says_passes`: a column says which rows pass the filters.
fn columns(pass: &Pass<'_>, statement: &mut Statement, says_passes: bool) -> Columns {
    let (scope, searched) = (pass.scope, pass.wanted.searched);
    let distance = match pass.wanted.vector {
        Some(vector) => distance::columns(scope, searched, vector, statement),
        None => DistanceColumns { sql: "NULL::pg_catalog.float8".to_owned(), is_by_another: "false".to_owned() },
    };
    let standing = searched.that_stand(scope, statement);
    let is_corrected = scope.is_corrected(statement, searched.alias());
    let filters = searched.filters(scope, statement);
    let passes = if says_passes { filters.as_str() } else { "true" };
    let alias = searched.alias();
    let words = match pass.wanted.lexemes.is_some() || searched.demands(scope).is_some() {
        true => format!(", {}", row_words::columns(scope.store, searched)),
        false => String::new(),
    };
    let selected = format!(
        "{id}::pg_catalog.{id_type}, {alias}.creation_time::pg_catalog.timestamptz, {importance}, {passes}, \
           {distance}, {order}, {is_corrected}, {is_by_another}{words}",
        distance = distance.sql,
        is_by_another = distance.is_by_another,
        id = searched.id(),
        id_type = searched.id_type(scope),
        importance = searched.importance(),
        order = searched.order(),
    );
    Columns { selected, standing, filters }
}
