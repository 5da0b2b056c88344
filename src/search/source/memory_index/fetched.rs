//! The data of rows that may win, from the table: their ids, their exact distances, and whether they pass the filters
//! if the index does not know.

use std::collections::{HashMap, HashSet};

use memory_search_core::ids::{IdKind, RowId};
use memory_search_core::place::Place;
use memory_search_core::text::demands::Demands;
use memory_search_core::timestamp::Micros;
use memory_search_core::{Result, error};

use super::open::OpenIndex;
use crate::pg::attribute::Attribute;
use crate::pg::param::Param;
use crate::pg::row::Row;
use crate::pg::seen_rows::SeenRows;
use crate::pg::spi::{Reader, Statement};
use crate::pg::{interrupt, settings};
use crate::search::row_words::{self, RowJudge};
use crate::search::scope::Scope;
use crate::search::searched::Searched;
use crate::search::source::distance;

/// The most places in one statement.
const PLACES_AT_ONCE: usize = 16_384;

/// The data of a row from the table.
#[derive(Debug, Clone)]
pub struct Fetched {
    pub id: RowId,
    /// The place of the version that the snapshot sees.
    pub at: Place,
    /// Its creation time; the least possible time if an adopted table has none.
    pub created: Micros,
    /// 0..100.
    pub importance: f64,
    /// The cosine distance; `None` if it cannot be computed.
    pub distance: Option<f64>,
    /// The author; `None` also if it was not asked for.
    pub author: Option<String>,
    /// Bytes of its text; `None` if it was not asked for.
    pub text_bytes: Option<u32>,
    /// Whether it passes the filters.
    pub passes: bool,
}

/// The question to the table.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The query's vector.
    pub vector: Option<&'a [f32]>,
    /// Whether to test the filters.
    pub with_filters: bool,
}

/// Asks about the rows at these places. A row that the caller does not see has no answer.
pub fn ask(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    open: &OpenIndex,
    question: Question<'_>,
    places: &[Place],
) -> Result<HashMap<Place, Fetched>> {
    let mut rows = SeenRows::in_active_snapshot(&open.table);
    if let Some((id, kind)) = open.looked_up_by {
        return ask_by_ids(reader, scope, question, &ids_at(&mut rows, id, kind, places)?);
    }
    let mut found = HashMap::new();
    ask_by_places(reader, scope, question, places, &mut found)?;
    // The others may have moved within their block, where a place leads to the visible version.
    let mut moved: HashMap<Place, Place> = HashMap::new();
    for &place in places.iter().filter(|place| !found.contains_key(place)) {
        if let Some(version) = rows.version(place).filter(|version| *version != place) {
            moved.insert(version, place);
        }
    }
    if !moved.is_empty() {
        let versions: Vec<Place> = moved.keys().copied().collect();
        let mut there = HashMap::new();
        ask_by_places(reader, scope, question, &versions, &mut there)?;
        for (version, fetched) in there {
            if let Some(&place) = moved.get(&version) {
                found.insert(place, fetched);
            }
        }
    }
    Ok(found)
}

/// A row that is looked up by its id: its place in an index, the place of its version, and its id.
struct RowWithId {
    place: Place,
    at: Place,
    id: RowId,
}

fn ids_at(rows: &mut SeenRows<'_>, id: Attribute, kind: IdKind, places: &[Place]) -> Result<Vec<RowWithId>> {
    let mut found = Vec::new();
    for &place in places {
        interrupt::check();
        let Some(mut row) = rows.row(place) else { continue };
        let at = row.at();
        found.extend(row.id(id, kind)?.map(|id| RowWithId { place, at, id }));
    }
    Ok(found)
}

/// The rows of a view have no places, and only the server can evaluate its expressions. For a table, only a caller that
/// may read all of it can ask for places. Otherwise rows are looked up by their key.
fn ask_by_ids(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    question: Question<'_>,
    rows: &[RowWithId],
) -> Result<HashMap<Place, Fetched>> {
    let mut found = HashMap::new();
    if rows.is_empty() {
        return Ok(found);
    }
    let by_id: HashMap<String, &RowWithId> = rows.iter().map(|row| (row.id.to_text(), row)).collect();
    let mut statement = Statement::default();
    let columns = columns(scope, question, &mut statement);
    let mut judge = judge(scope, question)?;
    let of_memory = scope.of_memory(&mut statement, "e");
    let ids = statement.bind(Param::Texts(by_id.keys().cloned().collect()));
    let from = scope.store.wanted(&ids, &of_memory);
    let statement = statement.with(format!("SELECT NULL::pg_catalog.tid, {columns} FROM {from}"));
    scope.store.looking_up(|| {
        reader.scan(&statement, |row| {
            let id = row.id(2, Searched::Entries.id_type(scope))?;
            if let Some(asked) = id.and_then(|id| by_id.get(&id.to_text())) {
                found.extend(fetched(scope, &mut judge, row, asked.at)?.map(|fetched| (asked.place, fetched)));
            }
            Ok(())
        })
    })?;
    Ok(found)
}

fn ask_by_places(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    question: Question<'_>,
    places: &[Place],
    found: &mut HashMap<Place, Fetched>,
) -> Result<()> {
    if places.is_empty() {
        return Ok(());
    }
    let mut statement = Statement::default();
    let columns = columns(scope, question, &mut statement);
    let mut judge = judge(scope, question)?;
    let places = statement.bind(Param::Places(places.to_vec()));
    let at_places = scope.store.at_places(&mut statement, &places, scope.memory_id);
    let statement = statement.with(format!("SELECT e.ctid, {columns} FROM {at_places}"));
    settings::with_tids_only(|| {
        reader.scan(&statement, |row| {
            if let Some(place) = row.place(1) {
                found.extend(fetched(scope, &mut judge, row, place)?.map(|fetched| (place, fetched)));
            }
            Ok(())
        })
    })
}

/// The test of the query's demands, if it is necessary.
fn judge<'a>(scope: &Scope<'a>, question: Question<'_>) -> Result<Option<RowJudge<'a>>> {
    let demands = Searched::Entries.demands(scope).filter(|_| question.with_filters);
    demands.map(|demands| RowJudge::of(scope.store, demands)).transpose()
}

/// Columns with the words of entries, after other columns, if they are needed.
fn words_columns(scope: &Scope<'_>, are_looked_at: bool) -> String {
    match are_looked_at {
        true => format!(", {}", row_words::columns(scope.store, Searched::Entries)),
        false => String::new(),
    }
}

/// Columns from 2 on of a statement, as [`fetched`] reads them.
fn columns(scope: &Scope<'_>, question: Question<'_>, statement: &mut Statement) -> String {
    let distance = match question.vector {
        Some(vector) => distance::columns(scope, Searched::Entries, vector, statement).sql,
        None => "NULL::pg_catalog.float8".to_owned(),
    };
    let passes = match question.with_filters {
        true => scope.filters(statement),
        false => "true".to_owned(),
    };
    format!(
        "e.entry_id::pg_catalog.{id_type}, e.creation_time::pg_catalog.timestamptz, {importance}, {distance}, {passes}{words}",
        words = words_columns(scope, question.with_filters && Searched::Entries.demands(scope).is_some()),
        id_type = Searched::Entries.id_type(scope),
        importance = Searched::Entries.importance()
    )
}

fn fetched(scope: &Scope<'_>, judge: &mut Option<RowJudge<'_>>, row: Row<'_>, at: Place) -> Result<Option<Fetched>> {
    let Some(id) = row.id(2, Searched::Entries.id_type(scope))? else { return Ok(None) };
    let passes = row.boolean(6) == Some(true)
        && match judge {
            Some(judge) => judge.meets(&row, 7)?,
            None => true,
        };
    Ok(Some(Fetched {
        id,
        at,
        created: row.timestamp(3).unwrap_or(i64::MIN),
        importance: row.number(4).unwrap_or(0.0),
        distance: row.number(5).filter(|distance| !distance.is_nan()),
        author: None,
        text_bytes: None,
        passes,
    }))
}

/// The places of those corrected rows whose corrections are all no longer present.
pub fn that_stand_again(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    open: &OpenIndex,
    places: &[Place],
) -> Result<HashSet<Place>> {
    that_meet(reader, scope, open, places, None, |statement| scope.stands_again(statement, "e"))
}

/// The rows at these places that pass the filters. The statement reads little else, in contrast to [`ask`].
pub fn that_pass(reader: &Reader<'_>, scope: &Scope<'_>, open: &OpenIndex, places: &[Place]) -> Result<HashSet<Place>> {
    let mut passing = HashSet::new();
    for some in places.chunks(PLACES_AT_ONCE) {
        let demands = Searched::Entries.demands(scope);
        let found = that_meet(reader, scope, open, some, demands, |statement| scope.filters(statement))?;
        passing.try_reserve(found.len()).map_err(|_| error::out_of_memory())?;
        passing.extend(found);
    }
    Ok(passing)
}

/// The rows at these places that the caller sees and that meet a condition on entries `e`, and demands on their words.
fn that_meet(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    open: &OpenIndex,
    places: &[Place],
    demands: Option<&Demands>,
    condition: impl FnOnce(&mut Statement) -> String,
) -> Result<HashSet<Place>> {
    let mut rows = SeenRows::in_active_snapshot(&open.table);
    let mut statement = Statement::default();
    let condition = condition(&mut statement);
    let mut judge = demands.map(|demands| RowJudge::of(scope.store, demands)).transpose()?;
    let words = words_columns(scope, judge.is_some());
    let mut meets = |row: Row<'_>| judge.as_mut().map_or(Ok(true), |judge| judge.meets(&row, 2));
    let mut found = HashSet::new();
    if let Some((id, kind)) = open.looked_up_by {
        let asked = ids_at(&mut rows, id, kind, places)?;
        let by_id: HashMap<String, Place> = asked.iter().map(|row| (row.id.to_text(), row.place)).collect();
        let of_memory = scope.of_memory(&mut statement, "e");
        let ids = statement.bind(Param::Texts(by_id.keys().cloned().collect()));
        let from = scope.store.wanted(&ids, &of_memory);
        let statement =
            statement.with(format!("SELECT e.entry_id::pg_catalog.text{words} FROM {from} WHERE {condition}"));
        scope.store.looking_up(|| {
            reader.scan(&statement, |row| {
                if meets(row)? {
                    found.extend(by_id.get(&row.required_text(1)?));
                }
                Ok(())
            })
        })?;
        return Ok(found);
    }
    let versions: HashMap<Place, Place> =
        places.iter().filter_map(|&place| Some((rows.version(place)?, place))).collect();
    let asked = statement.bind(Param::Places(versions.keys().copied().collect()));
    let at_places = scope.store.at_places(&mut statement, &asked, scope.memory_id);
    let statement = statement.with(format!("SELECT e.ctid{words} FROM {at_places} AND {condition}"));
    settings::with_tids_first(|| {
        reader.scan(&statement, |row| {
            if meets(row)? {
                found.extend(row.place(1).and_then(|version| versions.get(&version)));
            }
            Ok(())
        })
    })?;
    Ok(found)
}
