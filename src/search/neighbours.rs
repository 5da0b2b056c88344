//! Entries next to the found ones in their sessions: the messages just before and after.

use std::collections::{HashMap, HashSet};

use memory_search_core::Result;
use memory_search_core::bounds_and_defaults;
use memory_search_core::output::response::NeighbourResponse;
use memory_search_core::request::options::Neighbours;
use memory_search_core::timestamp::{self, Micros};

use crate::pg::datum::text;
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::search::fetch::Found;
use crate::search::scope::Scope;
use crate::search::scopes::Scopes;

/// An entry next to a found one.
pub struct Neighbour {
    /// Its distance in entries of the session; negative before the found one.
    pub place: i64,
    #[allow(missing_docs)]
    pub entry_id: String,
    #[allow(missing_docs)]
    pub user_id: Option<String>,
    #[allow(missing_docs)]
    pub agent_id: Option<String>,
    #[allow(missing_docs)]
    pub summary: Option<String>,
    #[allow(missing_docs)]
    pub raw_entry: String,
    #[allow(missing_docs)]
    pub source_type: Option<String>,
    #[allow(missing_docs)]
    pub importance: Option<i64>,
    /// `None` means no time, and such an entry is not a neighbour.
    pub created: Option<Micros>,
    /// The interval in which it holds; `None` means open.
    pub interval: (Option<Micros>, Option<Micros>),
}

impl From<Neighbour> for NeighbourResponse {
    fn from(neighbour: Neighbour) -> Self {
        NeighbourResponse {
            place: neighbour.place,
            entry_id: neighbour.entry_id,
            user_id: neighbour.user_id,
            agent_id: neighbour.agent_id,
            summary: neighbour.summary,
            raw_entry: neighbour.raw_entry,
            creation_time: neighbour.created.map(timestamp::format),
            valid_from: neighbour.interval.0.map(timestamp::format),
            valid_until: neighbour.interval.1.map(timestamp::format),
        }
    }
}

/// The neighbours of each found entry, in the order of its session. Each occurs once: a found entry is never a
/// neighbour, and a neighbour of two found entries belongs to the better one.
///
/// Neighbours are visible entries of the memory that hold at the search's time and, if the search filters by users,
/// belong to these users. No other filter applies to them, because an answer need not have the same source as the
/// question.
pub fn of(reader: &Reader<'_>, scopes: &Scopes<'_>, found: &[Found]) -> Result<Vec<Vec<Neighbour>>> {
    let Some(wanted) = scopes.plan.neighbours else { return Ok(Vec::new()) };
    let (mut of_each, mut bytes): (Vec<Vec<Neighbour>>, _) = (found.iter().map(|_| Vec::new()).collect(), 0);
    for (number, scope) in scopes.numbered() {
        let places: Vec<usize> =
            (0..found.len()).filter(|&place| found[place].ranked.candidate.memory == number).collect();
        let ids: Vec<String> = places.iter().map(|&place| found[place].entry.entry_id.clone()).collect();
        for (place, neighbours) in places.into_iter().zip(of_memory(reader, scope, wanted, ids, &mut bytes)?) {
            of_each[place] = neighbours;
        }
    }
    Ok(of_each)
}

/// The neighbours of entries of one memory; `bytes` adds up the length of all their texts.
fn of_memory(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    wanted: Neighbours,
    ids: Vec<String>,
    bytes: &mut usize,
) -> Result<Vec<Vec<Neighbour>>> {
    let mut all: HashMap<String, Vec<Neighbour>> = HashMap::new();
    for (most, side) in [(wanted.before, Side::Before), (wanted.after, Side::After)] {
        if most == 0 || ids.is_empty() {
            continue;
        }
        let statement = statement(scope, ids.clone(), most, side);
        scope.store.looking_up(|| {
            reader.scan(&statement, |row| {
                let neighbour = Neighbour {
                    place: if side == Side::Before { -row.required_integer(2)? } else { row.required_integer(2)? },
                    entry_id: row.required_text(3)?,
                    user_id: row.text(4)?,
                    agent_id: row.text(5)?,
                    summary: row.text(6)?,
                    raw_entry: row.text(7)?.unwrap_or_default(),
                    source_type: row.text(8)?,
                    importance: row.integer(9),
                    created: row.timestamp(10),
                    interval: (row.timestamp(11), row.timestamp(12)),
                };
                *bytes += neighbour.raw_entry.len() + neighbour.summary.as_ref().map_or(0, String::len);
                if *bytes > bounds_and_defaults::MAX_RESPONSE_BYTES {
                    return Err(text::too_much(*bytes));
                }
                all.entry(row.required_text(1)?).or_default().push(neighbour);
                Ok(())
            })
        })?;
    }
    let mut shown: HashSet<String> = ids.iter().cloned().collect();
    let mut of_each = Vec::with_capacity(ids.len());
    for id in &ids {
        let mut neighbours = all.remove(id).unwrap_or_default();
        neighbours.sort_by_key(|neighbour| neighbour.place);
        neighbours.retain(|neighbour| shown.insert(neighbour.entry_id.clone()));
        of_each.push(neighbours);
    }
    Ok(of_each)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

/// The nearest entries on one side of each: by time, then by insertion, then by id.
fn statement(scope: &Scope<'_>, ids: Vec<String>, most: i64, side: Side) -> Statement {
    let store = scope.store;
    let mut statement = Statement::default();
    let ids = statement.bind(Param::Texts(ids));
    let of_memory = scope.of_memory(&mut statement, "h");
    let visible = scope.visible_entries_of_users(&mut statement, "e");
    let most = statement.bind(Param::Integer(Some(most)));
    let (comparison, direction) = match side {
        Side::Before => ("<", "DESC"),
        Side::After => (">", "ASC"),
    };
    let id = |alias: &str| store.id_order(&format!("{alias}.entry_id"));
    // Each entry is looked up by itself, and its neighbours on one side by the index of sessions, in whose order they
    // are numbered.
    statement.with(format!(
        "SELECT w.id::pg_catalog.text, n.* \
           FROM pg_catalog.unnest({ids}::pg_catalog.{id_type}[]) w (id) \
          CROSS JOIN LATERAL (SELECT h.entry_id, h.session_id, h.creation_time, h.entry_order FROM {entries} h \
            WHERE {of_memory} AND {the_entry}) h \
          CROSS JOIN LATERAL (SELECT pg_catalog.row_number() OVER (), s.* \
            FROM (SELECT e.entry_id::pg_catalog.text, e.user_id::pg_catalog.text, e.agent_id::pg_catalog.text, \
                e.summary::pg_catalog.text, e.raw_entry::pg_catalog.text, e.source_type::pg_catalog.text, \
                e.importance::pg_catalog.int8, e.creation_time::pg_catalog.timestamptz, {interval} FROM {entries} e \
              WHERE {visible} AND e.session_id OPERATOR(pg_catalog.=) h.session_id \
                AND e.creation_time OPERATOR(pg_catalog.{comparison}=) h.creation_time \
                AND (e.creation_time, e.entry_order, {id_of_e}) OPERATOR(pg_catalog.{comparison}) \
                    (h.creation_time, h.entry_order, {id_of_h}) \
              ORDER BY e.creation_time {direction}, e.entry_order {direction}, {id_of_e} {direction} \
              LIMIT {most}) s) n",
        interval = store.interval("e"),
        id_type = store.ids.entry,
        entries = store.relation("entries"),
        id_of_e = id("e"),
        id_of_h = id("h"),
        the_entry = store.keyed("h", "entry_id", "w.id", ""),
    ))
}
