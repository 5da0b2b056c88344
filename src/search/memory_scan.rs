//! One pass over a memory that gives what both signals need: the distance to the query's vector, the
//! query's words in each row, and the statistics behind BM25.
//!
//! Nothing but the memory's own rows is read, so the cost follows the memory and not the store. All that
//! looks into a row stands in the select list: under row-level security no condition has to wait for a
//! policy, and the same plan serves with one and without ([ADR-0015]).
//!
//! [ADR-0015]: ../../adr/0015-one-pass-over-the-memory.md

use std::collections::HashMap;

use memory_search_core::Result;
use memory_search_core::ids::RowId;
use memory_search_core::lexemes::QueryLexemes;
use memory_search_core::options::WordMatch;
use memory_search_core::rank::Candidate;
use memory_search_core::rescoring::Needed;
use memory_search_core::response::ReadDiagnostics;
use memory_search_core::signs::SignQuery;
use memory_search_core::tsvector::TsVector;

use crate::pg::catalog::FITS_INDEX;
use crate::pg::param::{Param, from_postgres};
use crate::pg::row::{Row, bit_string};
use crate::pg::scan_index::{self, Entry, ScanIndex};
use crate::pg::spi::{Reader, Statement};
use crate::pg::{guc, interrupt};
use crate::search::gathering::{Gathered, Gathering, Nearness, Seen};
use crate::search::scope::{Scope, Times};
use crate::search::searched::Searched;

/// How many rows have their distance computed first for `limit` places, where only signs of embeddings are read;
/// `None` where so few dimensions say too little. What they show decides whether it is enough
/// ([`memory_search_core::rescoring`]). Measured on 107,000 and on 4,300 embeddings
/// (docs/performance.md): of 256 dimensions, 0.995 of the 10 nearest are among the 500 nearest by estimate; of
/// 128, 0.98 among 1,000; of 64, 0.94.
fn by_estimate(dimensions: usize, limit: usize) -> Option<usize> {
    let enough = 450 + 4 * limit;
    match dimensions {
        256.. => Some(enough),
        128.. => Some(2 * enough),
        _ => None,
    }
}

/// What a pass looks for.
pub struct Wanted<'a> {
    pub searched: Searched,
    pub vector: Option<&'a [f32]>,
    pub lexemes: Option<&'a QueryLexemes>,
    /// How many of the best of each signal.
    pub limit: usize,
}

impl Wanted<'_> {
    /// How many of the nearest must not be missed: a page of answers.
    fn nearest(&self, top_ke: usize) -> usize {
        top_ke.max(LEAST_NEAREST).min(self.limit)
    }
}

/// Fewer than this of the nearest are never what a search rests on: words and boosts choose among them.
const LEAST_NEAREST: usize = 10;

/// The `limit` best rows by meaning and the `limit` best by words, each with both of its signals.
/// Without a vector nothing is found by meaning, without lexemes nothing by words.
pub fn candidates(reader: &Reader<'_>, scope: &Scope<'_>, wanted: &Wanted<'_>) -> Result<Vec<Candidate>> {
    let lexemes = wanted.lexemes.filter(|lexemes| !lexemes.is_empty());
    if wanted.vector.is_none() && lexemes.is_none() {
        return Ok(Vec::new());
    }
    let wanted = &Wanted { lexemes, ..*wanted };
    let is_indexed =
        wanted.searched == Searched::Entries && scope.store.has_scan_columns && scope.filters_are_indexed();
    let mut way = match wanted.vector {
        _ if !is_indexed => Way::Rows,
        None => Way::Index { keep: 0 },
        Some(vector) => by_estimate(vector.len(), wanted.limit).map_or(Way::Rows, |keep| Way::Index { keep }),
    };
    let mut is_first = true;
    loop {
        let mut gathered = read(reader, scope, wanted, way)?;
        way = match way {
            Way::Rows => return Ok(gathered.into_candidates(wanted.limit)),
            Way::Index { keep: _ } => match gathered.needed(wanted.nearest(scope.plan.top_ke)) {
                Needed::Nothing => return Ok(gathered.into_candidates(wanted.limit)),
                Needed::Rescore(keep) if is_first => Way::Index { keep },
                _ => Way::Rows,
            },
        };
        is_first = false;
    }
}

/// The way a pass reads.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// `entries_scan`; the `keep` nearest by estimate are rescored.
    Index { keep: usize },
    /// The rows of the relation, every distance computed.
    Rows,
}

/// One pass.
fn read(reader: &Reader<'_>, scope: &Scope<'_>, wanted: &Wanted<'_>, way: Way) -> Result<Gathered> {
    let wanted_words = match (wanted.searched, scope.plan.word_match) {
        (Searched::Entries, WordMatch::All) => wanted.lexemes.map_or(0, QueryLexemes::len),
        _ => 1,
    };
    let keep = match way {
        Way::Index { keep } => keep,
        Way::Rows if wanted.vector.is_some() => wanted.limit,
        Way::Rows => 0,
    };
    let mut gathering = Gathering::new(wanted.lexemes, scope.plan.bm25, wanted_words, keep);
    let path = scope.trace.phase("scan", || match way {
        Way::Index { .. } => read_index(reader, scope, wanted, &mut gathering),
        Way::Rows => read_rows(reader, scope, wanted, &mut gathering).map(|()| "table"),
    })?;
    interrupt::check();
    let (rows, matching) = gathering.counts();
    let mut gathered =
        scope.trace.phase("score", || gathering.finish(wanted.searched == Searched::Entries, wanted.limit))?;
    let distances = match (wanted.vector, way) {
        (Some(vector), Way::Index { .. }) => {
            Some(scope.trace.phase("distances", || add_distances(reader, scope, vector, &mut gathered))?)
        }
        _ => None,
    };
    scope.trace.read(ReadDiagnostics { relation: wanted.searched.name(), path, rows, matching, distances });
    Ok(gathered)
}

/// Reads the rows of the relation itself, with their distances.
fn read_rows(reader: &Reader<'_>, scope: &Scope<'_>, wanted: &Wanted<'_>, gathering: &mut Gathering) -> Result<()> {
    let mut statement = Statement::default();
    let distance = match wanted.vector {
        Some(vector) => distance(scope, wanted.searched, vector, &mut statement),
        None => "NULL::pg_catalog.float8".to_owned(),
    };
    let statement = finished(scope, wanted, statement, &distance, "true");
    let id_type = wanted.searched.id_type(scope);
    reader.scan(&statement, |row| {
        let nearness = row.number(5).filter(|distance| !distance.is_nan()).map_or(Nearness::None, Nearness::Distance);
        gather(scope, gathering, row, id_type, nearness)
    })
}

/// Reads `entries_scan`, and the rows that are too long for it, with the signs of their embeddings.
fn read_index(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    wanted: &Wanted<'_>,
    gathering: &mut Gathering,
) -> Result<&'static str> {
    let signs = wanted.vector.map(SignQuery::new);
    let mut was_read = false;
    if let Some(index) = ScanIndex::open(scope.store) {
        was_read = index.entries(&scope.plan.memory_id, &mut |entry| {
            gather_entry(scope, gathering, wanted.lexemes.is_some(), signs.as_ref(), &entry)
        })?;
    }
    let column = if signs.is_some() { "e.embedding_signs" } else { "NULL::pg_catalog.varbit" };
    let id_type = wanted.searched.id_type(scope);
    let may_have_long = scan_index::may_have_long(scope.store, &scope.plan.memory_id)?;
    for (is_in_index, is_wanted) in [("IS NOT TRUE", may_have_long), ("IS TRUE", !was_read)] {
        if !is_wanted {
            continue;
        }
        let statement = finished(scope, wanted, Statement::default(), column, &format!("{FITS_INDEX} {is_in_index}"));
        guc::with_index_only(|| {
            reader.scan(&statement, |row| {
                let nearness = row.bits(5, |count, bits| estimate(signs.as_ref(), count, bits));
                gather(scope, gathering, row, id_type, nearness.unwrap_or(Nearness::None))
            })
        })?;
    }
    Ok(if was_read { "index pages" } else { "index" })
}

fn estimate(query: Option<&SignQuery>, dimensions: usize, signs: &[u8]) -> Nearness {
    match query {
        Some(query) if query.dimensions() == dimensions => Nearness::Estimate(query.estimate(signs)),
        _ => Nearness::None,
    }
}

fn gather_entry(
    scope: &Scope<'_>,
    gathering: &mut Gathering,
    with_words: bool,
    signs: Option<&SignQuery>,
    entry: &Entry<'_>,
) -> Result<()> {
    let columns = &entry.columns;
    let times = Times {
        created: columns.creation_time.map(from_postgres),
        deletion_scheduled: columns.deletion_scheduled_time.map(from_postgres),
        expires: columns.expires_at.map(from_postgres),
        superseded: columns.superseded_time.map(from_postgres),
    };
    if !scope.sees(&times) {
        return Ok(());
    }
    let is_user = |wanted: &str| {
        columns.user_id.is_some_and(|user_id| scan_index::bytes(user_id, |bytes| bytes == wanted.as_bytes()))
    };
    let importance = columns.importance.map(f64::from);
    let passes = scope.plan.filters.pass(is_user, importance, times.created);
    // Where no statistic needs the rows that the filters remove, they are not looked at, as in SQL.
    if !passes && !with_words {
        return Ok(());
    }
    let nearness = match (signs, columns.embedding_signs) {
        (Some(_), Some(value)) => scan_index::bytes(value, |bytes| {
            let (count, bits) = bit_string(bytes);
            estimate(signs, count, bits)
        }),
        _ => Nearness::None,
    };
    // As the statements over the rows have it where somebody let a column be null.
    let seen = Seen {
        created: times.created.unwrap_or(i64::MIN),
        order: columns.entry_order.unwrap_or(0),
        importance: importance.unwrap_or(50.0),
        passes,
        nearness,
        tid: Some(entry.tid),
    };
    let id = || Ok(columns.entry_id.map(RowId::Uuid));
    match columns.search_vector.filter(|_| with_words) {
        Some(value) => scan_index::bytes(value, |bytes| gathering.add(seen, Some(TsVector::new(bytes)?), id)),
        None => gathering.add(seen, None, id),
    }
}

fn gather(scope: &Scope<'_>, gathering: &mut Gathering, row: Row<'_>, id_type: &str, nearness: Nearness) -> Result<()> {
    let order = match row.integer(7).unwrap_or(0) {
        // An adopted table may say nothing of the order within an instant. Any will do that does
        // not depend on where rows lie.
        0 if scope.store.adopted_from.is_some() => row.id(1, id_type)?.map_or(0, |id| id.any_order()),
        order => order,
    };
    let seen = Seen {
        created: row.timestamp(2).unwrap_or(i64::MIN),
        order,
        importance: row.number(3).unwrap_or(0.0),
        passes: row.boolean(4) == Some(true),
        nearness,
        tid: None,
    };
    // Only an adopted table can lack an id.
    let id = || row.id(1, id_type);
    match row.tsvector(6, |lexemes| gathering.add(seen, Some(lexemes), id))? {
        Some(()) => Ok(()),
        None => gathering.add(seen, None, id),
    }
}

/// Computes the distances that estimates stood for: of the rows whose places are known there, and of the
/// others, and those that have moved within their block, by their ids.
fn add_distances(reader: &Reader<'_>, scope: &Scope<'_>, vector: &[f32], gathered: &mut Gathered) -> Result<u64> {
    let (mut places, mut asked) = (Vec::new(), Vec::new());
    for (id, tid) in gathered.estimated() {
        interrupt::check();
        places.extend(tid.map(|tid| format!("({},{})", tid.block, tid.place)));
        asked.push(id.clone());
    }
    interrupt::check();
    let mut distances = HashMap::new();
    if !places.is_empty() {
        // No condition on the memory, whose rows they are: it would make other plans possible.
        let mut statement = Statement::default();
        let distance = distance(scope, Searched::Entries, vector, &mut statement);
        let places = statement.bind(Param::Texts(places));
        let statement = statement.with(format!(
            "SELECT e.entry_id, {distance} FROM {} e WHERE e.ctid OPERATOR(pg_catalog.=) ANY ({places}::pg_catalog.tid[])",
            scope.store.relation("entries")
        ));
        guc::with_places_only(|| read_distances(reader, &statement, &mut distances))?;
    }
    let ids: Vec<[u8; 16]> = asked
        .iter()
        .filter_map(|id| match id {
            RowId::Uuid(bytes) if !distances.contains_key(id) => Some(*bytes),
            _ => None,
        })
        .collect();
    if !ids.is_empty() {
        let mut statement = Statement::default();
        let of_memory = scope.of_memory(&mut statement, "e");
        let distance = distance(scope, Searched::Entries, vector, &mut statement);
        let ids = statement.bind(Param::Uuids(ids));
        let statement =
            statement.with(format!("SELECT e.entry_id, {distance} FROM {}", scope.store.wanted(&ids, &of_memory)));
        read_distances(reader, &statement, &mut distances)?;
    }
    interrupt::check();
    gathered.set_distances(&distances);
    interrupt::check();
    Ok(distances.len() as u64)
}

fn read_distances(reader: &Reader<'_>, statement: &Statement, distances: &mut HashMap<RowId, f64>) -> Result<()> {
    reader.scan(statement, |row| {
        if let Some(id) = row.id(1, "uuid")? {
            distances.insert(id, row.number(2).unwrap_or(f64::NAN));
        }
        Ok(())
    })
}

/// The statement that reads the memory's visible rows; `nearness` is what it says of their embeddings.
fn finished(
    scope: &Scope<'_>,
    wanted: &Wanted<'_>,
    mut statement: Statement,
    nearness: &str,
    condition: &str,
) -> Statement {
    let searched = wanted.searched;
    let visible = searched.visible(scope, &mut statement);
    let filters = searched.filters(scope, &mut statement);
    let with_words = wanted.lexemes.is_some();
    // Where no statistic needs the rows that the filters remove, they need not be looked at.
    let (passes, filtered) =
        if with_words { (filters, String::new()) } else { ("true".to_owned(), format!(" AND {filters}")) };
    let alias = searched.alias();
    let lexemes = if with_words {
        format!("{alias}.search_vector::pg_catalog.tsvector")
    } else {
        "NULL::pg_catalog.tsvector".to_owned()
    };
    statement.with(format!(
        "SELECT {id}::pg_catalog.{id_type}, {alias}.creation_time::pg_catalog.timestamptz, {importance}, {passes}, {nearness}, {lexemes}, {order} \
         FROM {relation} {alias} WHERE {visible}{filtered} AND {condition}",
        id = searched.id(),
        id_type = searched.id_type(scope),
        importance = searched.importance(),
        order = searched.order(),
        relation = searched.relation(scope)
    ))
}

/// The cosine distance as SQL; null where a row's vector cannot be compared.
fn distance(scope: &Scope<'_>, searched: Searched, vector: &[f32], statement: &mut Statement) -> String {
    let alias = searched.alias();
    let placeholder = statement.bind(Param::Reals(Some(vector.to_vec())));
    // As a subquery the parameter becomes a vector once; a generic plan would cast it for each row.
    let distance =
        format!("{alias}.embedding {} (SELECT {})", scope.store.cosine_distance(), scope.store.vector(&placeholder));
    // Contexts are a table of their own, which may hold other dimensions.
    if searched == Searched::Entries && scope.store.embedding.dimensions.is_some() {
        return distance;
    }
    let dimensions = statement.bind(Param::Integer(Some(vector.len() as i64)));
    format!(
        "CASE WHEN {}.vector_dims({alias}.embedding)::pg_catalog.int8 OPERATOR(pg_catalog.=) {dimensions} \
         THEN {distance} END",
        scope.store.vector_schema
    )
}
