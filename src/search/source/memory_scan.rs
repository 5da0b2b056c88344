//! One pass over a memory that gives what both signals need: the distance to the query's vector, the
//! query's words in each row, and the statistics behind BM25.
//!
//! Nothing but the memory's own rows is read, so the cost follows the memory and not the store. All that
//! looks into a row stands in the select list: under row-level security no condition has to wait for a
//! policy, and the same plan serves with one and without ([ADR-0015]).
//!
//! [ADR-0015]: ../../adr/0015-one-pass-over-the-memory.md

use std::collections::{HashMap, HashSet};

use memory_search_core::Result;
use memory_search_core::ids::{IdKind, RowId};
use memory_search_core::output::response::ReadDiagnostics;
use memory_search_core::rank::bm25;
use memory_search_core::rank::ranking::Candidate;
use memory_search_core::request::limits;
use memory_search_core::request::options::WordMatch;
use memory_search_core::text::query_lexemes::QueryLexemes;
use memory_search_core::vector::binary_quantization::SignQuery;
use memory_search_core::vector::rescoring::Needed;
use memory_search_pgformat::tsvector::TsVector;
use memory_search_pgformat::varlena::bit_string;

use crate::pg::datum::varlena::decompressed;
use crate::pg::interrupt;
use crate::pg::param::{Param, from_postgres};
use crate::pg::row::Row;
use crate::pg::settings;
use crate::pg::spi::{Reader, Statement};
use crate::search::scope::{Scope, Times};
use crate::search::searched::Searched;
use crate::search::source::collector::{Gathered, Gathering, Nearness, Seen};
use crate::search::source::index_pages::{self, Entry, ScanIndex};
use crate::store::definition::search_index;

/// How many rows have their distance computed first for `limit` places, where only signs of embeddings are read;
/// `None` where so few dimensions say too little. What they show decides whether it is enough
/// ([`memory_search_core::vector::rescoring`]). Measured on 107,000 and on 4,300 embeddings
/// (ADR 0016): of 256 dimensions, 0.995 of the 10 nearest are among the 500 nearest by estimate; of
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
        None => Way::Index { rescore: 0 },
        Some(vector) => by_estimate(vector.len(), wanted.limit).map_or(Way::Rows, |rescore| Way::Index { rescore }),
    };
    let mut is_first = true;
    loop {
        let (gathered, needed) = read(reader, scope, wanted, way)?;
        way = match needed {
            Needed::Nothing => return Ok(gathered.into_candidates(wanted.limit)),
            Needed::Rescore(rescore) if is_first => Way::Index { rescore },
            _ => Way::Rows,
        };
        is_first = false;
    }
}

/// The way a pass reads.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// `entries_scan`; so many of the nearest by estimate are rescored at first.
    Index { rescore: usize },
    /// The rows of the relation, every distance computed.
    Rows,
}

/// Entries that are corrected. A pass sees that they are, and not whether one stands again because its correction is
/// gone: that is asked once all are known.
#[derive(Default)]
struct Corrected {
    met: Vec<RowId>,
    standing_again: Option<HashSet<RowId>>,
}

impl Corrected {
    /// Whether a corrected entry is hidden.
    fn hides(&mut self, id: Option<RowId>) -> Result<bool> {
        Ok(match (&self.standing_again, id) {
            (Some(standing), Some(id)) => !standing.contains(&id),
            (None, Some(id)) => {
                // A memory may hold more of them than this backend can: an ERROR, not an abort.
                self.met.try_reserve(1).map_err(|_| bm25::out_of_memory())?;
                self.met.push(id);
                true
            }
            (_, None) => true,
        })
    }

    /// Finds those of the entries met that stand again; `false` when there is none, or was asked before.
    fn learn_which_stand_again(&mut self, reader: &Reader<'_>, scope: &Scope<'_>, searched: Searched) -> Result<bool> {
        if self.met.is_empty() {
            return Ok(false);
        }
        let mut statement = Statement::default();
        let of_memory = scope.store.of_memory(&mut statement, "e", &scope.plan.memory_id);
        let stands_again = scope.stands_again(&mut statement, "e");
        let ids = std::mem::take(&mut self.met).iter().map(RowId::to_text).collect();
        let ids = statement.bind(Param::Texts(ids));
        let id_type = searched.id_type(scope);
        let statement = statement.with(format!(
            "SELECT e.entry_id::pg_catalog.{id_type} FROM {} WHERE {stands_again}",
            scope.store.wanted(&ids, &of_memory)
        ));
        let mut standing = HashSet::new();
        reader.scan(&statement, |row| {
            standing.extend(row.id(1, id_type)?);
            Ok(())
        })?;
        let any = !standing.is_empty();
        self.standing_again = Some(standing);
        Ok(any)
    }
}

/// One pass, and whether its nearest rows are the nearest.
fn read(reader: &Reader<'_>, scope: &Scope<'_>, wanted: &Wanted<'_>, way: Way) -> Result<(Gathered, Needed)> {
    let wanted_words = match (wanted.searched, scope.plan.word_match) {
        (Searched::Entries, WordMatch::All) => wanted.lexemes.map_or(0, QueryLexemes::len),
        _ => 1,
    };
    let (nearest, by_estimate) = match way {
        Way::Index { rescore } => (rescore, true),
        Way::Rows if wanted.vector.is_some() => (wanted.limit, false),
        Way::Rows => (0, false),
    };
    let mut corrected = Corrected::default();
    let (gathering, path, mut other_embedder) = loop {
        let mut gathering = Gathering::new(wanted.lexemes, scope.plan.bm25, wanted_words, nearest, by_estimate);
        let (path, others) = scope.trace.phase("scan", || match way {
            Way::Index { .. } => {
                read_index(reader, scope, wanted, &mut corrected, &mut gathering).map(|path| (path, 0))
            }
            Way::Rows => {
                read_rows(reader, scope, wanted, &mut corrected, &mut gathering).map(|others| ("table", others))
            }
        })?;
        if !corrected.learn_which_stand_again(reader, scope, wanted.searched)? {
            break (gathering, path, others);
        }
    };
    interrupt::check();
    let (rows, matching) = gathering.counts();
    let mut gathered =
        scope.trace.phase("score", || gathering.finish(wanted.searched == Searched::Entries, wanted.limit))?;
    let (mut distances, mut needed) = (None, Needed::Nothing);
    if let (Some(vector), true) = (wanted.vector, by_estimate) {
        let (computed, others, verdict) =
            scope.trace.phase("distances", || rescore(reader, scope, wanted, vector, nearest, &mut gathered))?;
        (distances, needed, other_embedder) = (Some(computed), verdict, others);
    }
    scope.trace.read(ReadDiagnostics {
        relation: wanted.searched.name(),
        path,
        rows,
        matching,
        distances,
        other_embedder,
    });
    Ok((gathered, needed))
}

/// Rescores the best by estimate, and of what else is at hand as many as it takes; gives how many distances were
/// computed, how many rows another embedder made, and what is still needed.
fn rescore(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    wanted: &Wanted<'_>,
    vector: &[f32],
    mut rescored: usize,
    gathered: &mut Gathered,
) -> Result<(u64, u64, Needed)> {
    let (mut distances, mut by_another) = (0, 0);
    loop {
        let (computed, others) = add_distances(reader, scope, vector, gathered)?;
        distances += computed;
        by_another += others;
        match gathered.needed(rescored, wanted.nearest(scope.plan.top_ke), vector) {
            Needed::Rescore(rows) if rows > rescored && gathered.take_more(rows - rescored) => rescored = rows,
            needed => return Ok((distances, by_another, needed)),
        }
    }
}

/// Reads the rows of the relation itself, with their distances; gives how many another embedder made.
fn read_rows(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    wanted: &Wanted<'_>,
    corrected: &mut Corrected,
    gathering: &mut Gathering,
) -> Result<u64> {
    let mut statement = Statement::default();
    let distance = match wanted.vector {
        Some(vector) => distance(scope, wanted.searched, vector, &mut statement),
        None => Distance { sql: "NULL::pg_catalog.float8".to_owned(), is_by_another: "false".to_owned() },
    };
    let statement = finished(scope, wanted, statement, &distance, None);
    let id_type = wanted.searched.id_type(scope);
    let mut by_another = 0;
    reader.scan(&statement, |row| {
        if row.boolean(8) == Some(true) && corrected.hides(row.id(1, id_type)?)? {
            return Ok(());
        }
        by_another += u64::from(row.boolean(9) == Some(true));
        let nearness = row.number(5).filter(|distance| !distance.is_nan()).map_or(Nearness::None, Nearness::Distance);
        gather(scope, gathering, row, id_type, nearness)
    })?;
    Ok(by_another)
}

/// Reads `entries_scan`, and the rows that are too long for it, with the signs of their embeddings.
fn read_index(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    wanted: &Wanted<'_>,
    corrected: &mut Corrected,
    gathering: &mut Gathering,
) -> Result<&'static str> {
    let signs = wanted.vector.map(SignQuery::new);
    let mut was_read = false;
    if let Some(index) = ScanIndex::open(scope.store) {
        was_read = index.entries(&scope.plan.memory_id, &mut |entry| {
            gather_entry(scope, gathering, wanted.lexemes.is_some(), signs.as_ref(), corrected, &entry)
        })?;
    }
    let column = if signs.is_some() { "e.embedding_signs" } else { "NULL::pg_catalog.varbit" };
    let column = Distance { sql: column.to_owned(), is_by_another: "false".to_owned() };
    let id_type = wanted.searched.id_type(scope);
    let may_have_long = index_pages::may_have_long(scope.store, &scope.plan.memory_id)?;
    for (is_in_index, is_wanted) in [("IS NOT TRUE", may_have_long), ("IS TRUE", !was_read)] {
        if !is_wanted {
            continue;
        }
        let condition = format!("{} {is_in_index}", search_index::FITS);
        let statement = finished(scope, wanted, Statement::default(), &column, Some(&condition));
        settings::with_index_only(|| {
            reader.scan(&statement, |row| {
                if row.boolean(8) == Some(true) && corrected.hides(row.id(1, id_type)?)? {
                    return Ok(());
                }
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
    corrected: &mut Corrected,
    entry: &Entry<'_>,
) -> Result<()> {
    let columns = &entry.columns;
    let times = Times {
        created: columns.creation_time.map(from_postgres),
        deletion_scheduled: columns.deletion_scheduled_time.map(from_postgres),
        expires: columns.expires_at.map(from_postgres),
    };
    if !scope.sees(&times)
        || scope.is_superseded(columns.superseded_time.map(from_postgres))
            && corrected.hides(columns.entry_id.map(RowId::Uuid))?
    {
        return Ok(());
    }
    let is_user =
        |wanted: &str| columns.user_id.is_some_and(|user_id| decompressed(user_id, |bytes| bytes == wanted.as_bytes()));
    let importance = columns.importance.map(f64::from);
    let passes = scope.plan.filters.pass(is_user, importance, times.created);
    // Where no statistic needs the rows that the filters remove, they are not looked at, as in SQL.
    if !passes && !with_words {
        return Ok(());
    }
    let nearness = match (signs, columns.embedding_signs) {
        (Some(_), Some(value)) => decompressed(value, |bytes| {
            let (count, bits) = bit_string(bytes);
            estimate(signs, count, bits)
        }),
        _ => Nearness::None,
    };
    // As the statements over the rows have it where somebody let a column be null.
    let seen = Seen {
        created: times.created.unwrap_or(i64::MIN),
        order: columns.entry_order.unwrap_or(0),
        importance: importance.unwrap_or(limits::DEFAULT_IMPORTANCE as f64),
        passes,
        nearness,
        tid: Some(entry.tid),
    };
    let id = || Ok(columns.entry_id.map(RowId::Uuid));
    match columns.search_vector.filter(|_| with_words) {
        Some(value) => decompressed(value, |bytes| gathering.add(seen, Some(TsVector::new(bytes)?), id)),
        None => gathering.add(seen, None, id),
    }
}

fn gather(
    scope: &Scope<'_>,
    gathering: &mut Gathering,
    row: Row<'_>,
    id_type: IdKind,
    nearness: Nearness,
) -> Result<()> {
    let order = match row.integer(7).unwrap_or(0) {
        // An adopted table may say nothing of the order within an instant. Any will do that does
        // not depend on where rows lie.
        0 if scope.store.is_adopted() => row.id(1, id_type)?.map_or(0, |id| id.any_order()),
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
/// others, and those that have moved within their block, by their ids. Gives how many, and how many rows another
/// embedder made.
fn add_distances(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    vector: &[f32],
    gathered: &mut Gathered,
) -> Result<(u64, u64)> {
    let (mut places, mut asked) = (Vec::new(), Vec::new());
    for (id, tid) in gathered.estimated() {
        interrupt::check();
        places.extend(tid.map(|tid| format!("({},{})", tid.block, tid.offset)));
        asked.push(id.clone());
    }
    interrupt::check();
    let (mut distances, mut by_another) = (HashMap::new(), 0);
    if !places.is_empty() {
        // No condition on the memory, whose rows they are: it would make other plans possible.
        let mut statement = Statement::default();
        let distance = distance(scope, Searched::Entries, vector, &mut statement);
        let places = statement.bind(Param::Texts(places));
        let statement = statement.with(format!(
            "SELECT e.entry_id, {}, {} FROM {} e WHERE e.ctid OPERATOR(pg_catalog.=) ANY ({places}::pg_catalog.tid[])",
            distance.sql,
            distance.is_by_another,
            scope.store.relation("entries")
        ));
        settings::with_places_only(|| read_distances(reader, &statement, &mut distances, &mut by_another))?;
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
        let statement = statement.with(format!(
            "SELECT e.entry_id, {}, {} FROM {}",
            distance.sql,
            distance.is_by_another,
            scope.store.wanted(&ids, &of_memory)
        ));
        read_distances(reader, &statement, &mut distances, &mut by_another)?;
    }
    interrupt::check();
    gathered.set_distances(&distances);
    interrupt::check();
    Ok((distances.len() as u64, by_another))
}

fn read_distances(
    reader: &Reader<'_>,
    statement: &Statement,
    distances: &mut HashMap<RowId, f64>,
    by_another: &mut u64,
) -> Result<()> {
    reader.scan(statement, |row| {
        *by_another += u64::from(row.boolean(3) == Some(true));
        if let Some(id) = row.id(1, IdKind::Uuid)? {
            distances.insert(id, row.number(2).unwrap_or(f64::NAN));
        }
        Ok(())
    })
}

/// The statement that reads the memory's visible rows; `nearness` is what it says of their embeddings. With a
/// condition on what `entries_scan` holds it reads nothing else.
fn finished(
    scope: &Scope<'_>,
    wanted: &Wanted<'_>,
    mut statement: Statement,
    nearness: &Distance,
    in_index: Option<&str>,
) -> Statement {
    let searched = wanted.searched;
    let mut standing = searched.that_stand(scope, &mut statement);
    if let Some(condition) = in_index {
        standing.push_str(&format!(" AND {condition}"));
    }
    let is_corrected = scope.is_corrected(&mut statement, searched.alias());
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
        "SELECT {id}::pg_catalog.{id_type}, {alias}.creation_time::pg_catalog.timestamptz, {importance}, {passes}, \
           {nearness}, {lexemes}, {order}, {is_corrected}, {is_by_another} \
         FROM {relation} {alias} WHERE {standing}{filtered}",
        nearness = nearness.sql,
        is_by_another = nearness.is_by_another,
        id = searched.id(),
        id_type = searched.id_type(scope),
        importance = searched.importance(),
        order = searched.order(),
        relation = searched.relation(scope)
    ))
}

/// The cosine distance as SQL, null where a row's vector cannot be compared; and whether that is because another
/// embedder than the query's made it.
struct Distance {
    sql: String,
    is_by_another: String,
}

fn distance(scope: &Scope<'_>, searched: Searched, vector: &[f32], statement: &mut Statement) -> Distance {
    let alias = searched.alias();
    let placeholder = statement.bind(Param::Reals(Some(vector.to_vec())));
    // As a subquery the parameter becomes a vector once; a generic plan would cast it for each row.
    let distance =
        format!("{alias}.embedding {} (SELECT {})", scope.store.cosine_distance(), scope.store.vector(&placeholder));
    let is_by_another = match scope.embedder.filter(|_| scope.store.names_embedders) {
        Some(embedder) => {
            let embedder = statement.bind(Param::text(embedder));
            format!("COALESCE({alias}.embedding_model OPERATOR(pg_catalog.<>) {embedder}, false)")
        }
        None => "false".to_owned(),
    };
    let mut conditions = Vec::new();
    if is_by_another != "false" {
        conditions.push(format!("NOT {is_by_another}"));
    }
    // Contexts are a table of their own, which may hold other dimensions.
    if searched == Searched::Contexts || scope.store.embedding.dimensions.is_none() {
        let dimensions = statement.bind(Param::Integer(Some(vector.len() as i64)));
        conditions.push(format!(
            "{}.vector_dims({alias}.embedding)::pg_catalog.int8 OPERATOR(pg_catalog.=) {dimensions}",
            scope.store.vector_schema
        ));
    }
    let sql = match conditions.is_empty() {
        true => distance,
        false => format!("CASE WHEN {} THEN {distance} END", conditions.join(" AND ")),
    };
    Distance { sql, is_by_another }
}
