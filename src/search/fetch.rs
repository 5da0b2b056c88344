//! Fetches the texts of the winners, and access counts if the ranking needs them.

use memory_search_core::Result;
use memory_search_core::bounds_and_defaults;
use memory_search_core::output::response::{EntryResponse, ScoresResponse, rounded, verbatim};
use memory_search_core::place::Place;
use memory_search_core::rank::by_entry::{ByEntry, EntryKey, by_memory};
use memory_search_core::rank::candidate::Candidate;
use memory_search_core::rank::feedback::Feedback;
use memory_search_core::rank::near_duplicates::Embedded;
use memory_search_core::rank::ranking::Ranked;
use memory_search_core::rank::selection::{self, GroupValues};
use memory_search_core::text::author::author_of;
use memory_search_core::timestamp::{self, Micros};

use crate::pg::datum::text::{self, Opening};
use crate::pg::param::Param;
use crate::pg::row::Row;
use crate::pg::spi::{Reader, Statement};
use crate::pg::{interrupt, settings};
use crate::search::columns::Columns;
use crate::search::in_place::access_counts;
use crate::search::in_place::entries::Entries;
use crate::search::scope::Scope;
use crate::search::scopes::Scopes;
use crate::store::predicate;

/// A winner with everything that a response shows of it.
pub struct Found {
    /// The entry in the response's form.
    pub entry: EntryResponse,
    /// Its candidate and scores.
    pub ranked: Ranked,
    /// The time when it was created; `None` if an adopted table has none.
    pub created: Option<Micros>,
    /// The interval in which it holds; `None` means open.
    pub interval: (Option<Micros>, Option<Micros>),
}

/// The fetched data of entries.
#[derive(Default)]
struct Fetched {
    columns: ByEntry<Columns>,
    bytes: usize,
}

impl Fetched {
    fn keep(&mut self, memory: u32, id: String, found: Columns) -> Result<()> {
        self.bytes += found.bytes();
        if self.bytes > bounds_and_defaults::MAX_RESPONSE_BYTES {
            return Err(text::too_much(self.bytes));
        }
        self.columns.insert(memory, id, found);
        Ok(())
    }

    /// Runs a statement made by [`columns_from`], row by row, so that a response that is too long is noticed before all
    /// of it is in memory.
    fn take(&mut self, reader: &Reader<'_>, memory: u32, statement: &Statement) -> Result<()> {
        reader.scan(statement, |row| {
            let found = Columns {
                user_id: row.text(2)?,
                agent_id: row.text(3)?,
                summary: row.text(4)?,
                raw_entry: row.text(5)?.unwrap_or_default(),
                tags: row.text(6)?.unwrap_or_else(|| "[]".to_owned()),
                metadata: row.text(7)?.unwrap_or_else(|| "{}".to_owned()),
                source_type: row.text(8)?,
                importance: row.integer(9),
                created: row.timestamp(10),
                superseded_by: row.text(11)?,
                session_id: row.text(12)?,
                entry_key: row.text(13)?,
                valid_from: row.timestamp(14),
                valid_until: row.timestamp(15),
                embedding: row.reals(16)?,
                entities: row.text(17)?.filter(|names| names != "[]"),
            };
            self.keep(memory, row.required_text(1)?, found)
        })
    }

    /// The ids of the winners that are not fetched yet.
    fn missing(&self, winners: &[&Candidate]) -> Vec<String> {
        let missing = winners.iter().filter(|winner| !self.columns.contains(winner.key()));
        missing.map(|winner| winner.id.clone()).collect()
    }

    /// Fetches winners of a memory: by the places of their rows, or by their keys.
    fn of_memory(&mut self, reader: &Reader<'_>, scope: &Scope<'_>, memory: u32, winners: &[&Candidate]) -> Result<()> {
        let places: Vec<Place> = winners.iter().filter_map(|winner| winner.place).collect();
        // If corrected entries are wanted, the statement reads other rows, which needs their keys; the rows of a view
        // have no places.
        if let Some(entries) = Entries::of(scope) {
            entries.at(&places, |id, found| self.keep(memory, id, found))?;
            entries.with_ids(&self.missing(winners), |id, found| self.keep(memory, id, found))?;
        } else if !places.is_empty() && !scope.plan.include_superseded && !scope.store.is_adopted() {
            let mut statement = Statement::default();
            let places = statement.bind(Param::Places(places));
            let at_places = scope.store.at_places(&mut statement, &places, scope.memory_id);
            let statement = columns_from(scope, statement, &at_places);
            settings::with_tids_only(|| self.take(reader, memory, &statement))?;
        }
        // Winners without a known place, and those that have moved within their block.
        let missing = self.missing(winners);
        if !missing.is_empty() {
            let mut statement = Statement::default();
            let of_memory = scope.of_memory(&mut statement, "e");
            let ids = statement.bind(Param::Texts(missing));
            let statement = columns_from(scope, statement, &scope.store.wanted(&ids, &of_memory));
            scope.store.looking_up(|| self.take(reader, memory, &statement))?;
        }
        Ok(())
    }
}

/// Fetches the texts of the winners, in their order.
pub fn entries(reader: &Reader<'_>, scopes: &Scopes<'_>, winners: Vec<Ranked>) -> Result<Vec<Found>> {
    let (mut fetched, mut counts) = (Fetched::default(), ByEntry::default());
    for (memory, scope) in scopes.numbered() {
        let winners = winners.iter().map(|winner| &winner.candidate);
        let winners: Vec<&Candidate> = winners.filter(|winner| winner.memory == memory).collect();
        if !winners.is_empty() {
            fetched.of_memory(reader, scope, memory, &winners)?;
            let ids = fetched.columns.ids(memory).cloned().collect();
            access_counts(reader, scope, ids, |id, count| counts.insert(memory, id, count))?;
        }
    }
    winners
        .into_iter()
        .filter_map(|ranked| fetched.columns.remove(ranked.candidate.key()).map(|columns| (ranked, columns)))
        .map(|(ranked, columns)| {
            interrupt::check();
            let access_count = counts.get(ranked.candidate.key()).copied().unwrap_or_default();
            let scope = scopes.memory(ranked.candidate.memory);
            let interval = (columns.valid_from, columns.valid_until);
            Ok(Found {
                created: columns.created,
                interval,
                entry: entry(scope, &ranked, columns, access_count)?,
                ranked,
            })
        })
        .collect()
}

/// The columns of entries `e`, as [`Fetched::take`] reads them.
fn columns_from(scope: &Scope<'_>, mut statement: Statement, from: &str) -> Statement {
    // Otherwise a corrected entry is only found if it is reinstated.
    let superseded_by = match scope.plan.include_superseded {
        true => {
            let is_superseded = scope.was_corrected(&mut statement, "e");
            let stands_again = scope.stands_again(&mut statement, "e");
            format!("CASE WHEN {is_superseded} AND NOT ({stands_again}) THEN e.superseded_by::pg_catalog.text END")
        }
        false => "NULL::pg_catalog.text".to_owned(),
    };
    let embedding = if scope.plan.shows_embedding() { "e.embedding" } else { "NULL" };
    statement.with(format!(
        "SELECT e.entry_id::pg_catalog.text, e.user_id::pg_catalog.text, e.agent_id::pg_catalog.text, \
                e.summary::pg_catalog.text, e.raw_entry::pg_catalog.text, \
                pg_catalog.to_jsonb(e.tags)::pg_catalog.text, pg_catalog.to_jsonb(e.metadata)::pg_catalog.text, \
                e.source_type::pg_catalog.text, e.importance::pg_catalog.int8, \
                e.creation_time::pg_catalog.timestamptz, {superseded_by}, e.session_id, {}, {}, \
                {embedding}::pg_catalog.float4[], pg_catalog.to_jsonb(e.entities)::pg_catalog.text \
         FROM {from}",
        scope.store.entry_key("e"),
        scope.store.interval("e")
    ))
}

/// The access counts of those entries of a memory that were touched. Their keys are adjacent in the index, which a
/// statement for all of them descends once.
fn access_counts(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    ids: Vec<String>,
    mut each: impl FnMut(String, i64),
) -> Result<()> {
    if access_counts::of(scope, &ids, &mut each)? {
        return Ok(());
    }
    let mut statement = Statement::default();
    let of_memory = scope.of_memory(&mut statement, "a");
    let ids = statement.bind(Param::Texts(ids));
    let statement = statement.with(format!(
        "SELECT a.entry_id::pg_catalog.text, a.access_count::pg_catalog.int8 FROM {} a WHERE {of_memory} AND {}",
        scope.store.relation("entry_access"),
        scope.store.is_among("a.entry_id", &ids)
    ));
    let take = |row: Row<'_>| {
        each(row.required_text(1)?, row.integer(2).unwrap_or_default());
        Ok(())
    };
    scope.store.looking_up(|| reader.scan(&statement, take))
}

fn entry(scope: &Scope<'_>, ranked: &Ranked, columns: Columns, access_count: i64) -> Result<EntryResponse> {
    Ok(EntryResponse {
        entry_id: ranked.candidate.id.clone(),
        memory_id: scope.memory_id.to_string(),
        user_id: columns.user_id,
        agent_id: columns.agent_id,
        session_id: columns.session_id,
        entry_key: columns.entry_key,
        summary: columns.summary,
        raw_entry: columns.raw_entry,
        snippet: None,
        tags: verbatim(columns.tags)?,
        entities: columns.entities.map(verbatim).transpose()?,
        metadata: verbatim(columns.metadata)?,
        source_type: columns.source_type,
        importance: columns.importance,
        access_count,
        creation_time: columns.created.map(timestamp::format),
        valid_from: columns.valid_from.map(timestamp::format),
        valid_until: columns.valid_until.map(timestamp::format),
        superseded_by: columns.superseded_by,
        strategy: ranked.strategy.word(),
        score: rounded(ranked.score),
        scores: ScoresResponse {
            semantic: ranked.candidate.signals.cosine.map(rounded),
            keyword: ranked.candidate.signals.bm25.and(ranked.fused.keyword).map(rounded),
            relevance: rounded(ranked.fused.relevance),
            recency: rounded(ranked.factors.recency),
            importance: rounded(ranked.factors.importance),
            popularity: rounded(ranked.factors.popularity),
            author: rounded(ranked.lifts.author),
            date: rounded(ranked.lifts.date),
            length: rounded(ranked.lifts.length),
            association: scope.plan.expand.then(|| rounded(ranked.candidate.association)),
            used_recency: (scope.plan.ranking.scoring.used_recency_boost > 0.0)
                .then(|| rounded(ranked.factors.used_recency)),
            feedback: (scope.plan.ranking.scoring.feedback_boost > 0.0).then(|| rounded(ranked.feedback)),
            rerank: ranked.reranked.map(|reranked| rounded(reranked.score)),
        },
        embedding: columns.embedding,
        neighbours: None,
    })
}

/// The properties that a selection compares, fetched when they are needed.
pub struct Compared<'a> {
    pub reader: &'a Reader<'a>,
    pub scopes: &'a Scopes<'a>,
}

impl selection::Compared for Compared<'_> {
    fn embeddings(&mut self, entries: &[EntryKey<'_>]) -> Result<ByEntry<Embedded>> {
        let mut found = ByEntry::default();
        for (memory, ids) in by_memory(entries.iter().copied()) {
            embeddings(self.reader, self.scopes.memory(memory), ids, |id, value| found.insert(memory, id, value))?;
        }
        Ok(found)
    }

    fn groups(&mut self, entries: &[EntryKey<'_>]) -> Result<GroupValues> {
        let mut found = ByEntry::default();
        for (memory, ids) in by_memory(entries.iter().copied()) {
            groups(self.reader, self.scopes.memory(memory), ids, |id, values| found.insert(memory, id, values))?;
        }
        Ok(found)
    }
}

/// The values by which candidates of a memory are grouped, as text.
fn groups(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    ids: Vec<String>,
    mut each: impl FnMut(String, Vec<Option<String>>),
) -> Result<()> {
    let mut statement = Statement::default();
    let of_memory = scope.of_memory(&mut statement, "e");
    let ids = statement.bind(Param::Texts(ids));
    let mut columns = String::new();
    for limit in &scope.plan.at_most {
        columns.push_str(", ");
        columns.push_str(&predicate::group(&mut statement, "e", &limit.key));
    }
    let statement = statement
        .with(format!("SELECT e.entry_id::pg_catalog.text{columns} FROM {}", scope.store.wanted(&ids, &of_memory)));
    let take = |row: Row<'_>| {
        let values = (2..).take(scope.plan.at_most.len()).map(|column| row.text(column)).collect::<Result<Vec<_>>>()?;
        each(row.required_text(1)?, values);
        Ok(())
    };
    scope.store.looking_up(|| reader.scan(&statement, take))
}

/// Fetches the embeddings of those candidates of a memory that have one.
fn embeddings(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    ids: Vec<String>,
    mut each: impl FnMut(String, Embedded),
) -> Result<()> {
    let mut statement = Statement::default();
    let of_memory = scope.of_memory(&mut statement, "e");
    let ids = statement.bind(Param::Texts(ids));
    let model = scope.store.embedder("e");
    let statement = statement.with(format!(
        "SELECT e.entry_id::pg_catalog.text, e.embedding::pg_catalog.float4[], {model} \
         FROM {} WHERE e.embedding IS NOT NULL",
        scope.store.wanted(&ids, &of_memory)
    ));
    let take = |row: Row<'_>| {
        if let Some(vector) = row.reals(2)? {
            each(row.required_text(1)?, Embedded { model: row.text(3)?, vector });
        }
        Ok(())
    };
    scope.store.looking_up(|| reader.scan(&statement, take))
}

/// Looks up the authors and the lengths of candidates for which they are not known yet.
pub fn add_authors_and_lengths(reader: &Reader<'_>, scopes: &Scopes<'_>, candidates: &mut [Candidate]) -> Result<()> {
    // Candidates without a signal, which only association found, get no lift.
    let unknown = candidates.iter().filter(|candidate| candidate.has_signal() && candidate.text_bytes.is_none());
    let mut found = ByEntry::default();
    for (memory, ids) in by_memory(unknown.map(Candidate::key)) {
        let scope = scopes.memory(memory);
        let mut statement = Statement::default();
        let of_memory = scope.of_memory(&mut statement, "e");
        let ids = statement.bind(Param::Texts(ids));
        let statement = statement.with(format!(
            "SELECT e.entry_id::pg_catalog.text, e.raw_entry::pg_catalog.text, e.user_id::pg_catalog.text, \
                    e.agent_id::pg_catalog.text FROM {}",
            scope.store.wanted(&ids, &of_memory)
        ));
        scope.store.looking_up(|| {
            reader.scan(&statement, |row| {
                let Opening { beginning, bytes } = row.opening(2);
                let author = author_of(&beginning, row.text(3)?, row.text(4)?);
                found.insert(memory, row.required_text(1)?, (author, bytes));
                Ok(())
            })
        })?;
    }
    if found.is_empty() {
        return Ok(());
    }
    for candidate in candidates {
        if let Some((author, bytes)) = found.remove(candidate.key()) {
            (candidate.author, candidate.text_bytes) = (author, Some(bytes));
        }
    }
    Ok(())
}

/// Looks up the times when the candidates were last used, and the feedback on them.
pub fn add_uses(reader: &Reader<'_>, scopes: &Scopes<'_>, candidates: &mut [Candidate]) -> Result<()> {
    let mut found = ByEntry::default();
    for (memory, ids) in by_memory(candidates.iter().map(Candidate::key)) {
        let scope = scopes.memory(memory);
        let mut statement = Statement::default();
        let of_memory = scope.of_memory(&mut statement, "a");
        let ids = statement.bind(Param::Texts(ids));
        let statement = statement.with(format!(
            "SELECT a.entry_id::pg_catalog.text, a.last_accessed_at::pg_catalog.timestamptz, a.helpful, a.unhelpful FROM {} a \
             WHERE {of_memory} AND {}",
            scope.store.relation("entry_access"),
            scope.store.is_among("a.entry_id", &ids)
        ));
        let take = |row: Row<'_>| {
            let said =
                Feedback { helpful: row.integer(3).unwrap_or_default(), unhelpful: row.integer(4).unwrap_or_default() };
            found.insert(memory, row.required_text(1)?, (row.timestamp(2), said));
            Ok(())
        };
        scope.store.looking_up(|| reader.scan(&statement, take))?;
    }
    for candidate in candidates {
        if let Some((last_used, feedback)) = found.remove(candidate.key()) {
            (candidate.last_used, candidate.feedback) = (last_used, feedback);
        }
    }
    Ok(())
}

/// Looks up how often the candidates were touched; returns the highest count of the memories.
pub fn add_access_counts(reader: &Reader<'_>, scopes: &Scopes<'_>, candidates: &mut [Candidate]) -> Result<i64> {
    let (mut highest, mut counts) = (0, ByEntry::default());
    for (memory, scope) in scopes.numbered() {
        let mut statement = Statement::default();
        let visible = scope.visible_entries(&mut statement);
        let of_memory = scope.of_memory(&mut statement, "a");
        // The join with the entries leaves only counts of rows that the caller sees. Counts have no history, so a
        // search at an earlier instant uses the current ones too.
        let statement = statement.with(format!(
            "SELECT e.entry_id::pg_catalog.text, a.access_count::pg_catalog.int8 FROM {} a JOIN {} e \
               ON a.memory_id OPERATOR(pg_catalog.=) e.memory_id AND a.entry_id OPERATOR(pg_catalog.=) e.entry_id \
             WHERE {visible} AND {of_memory}",
            scope.store.relation("entry_access"),
            scope.store.relation("entries")
        ));
        scope.store.joining_all(|| {
            reader.scan(&statement, |row| {
                let count = row.integer(2).unwrap_or(0);
                highest = highest.max(count);
                counts.insert(memory, row.required_text(1)?, count);
                Ok(())
            })
        })?;
    }
    for candidate in candidates {
        candidate.access_count = counts.get(candidate.key()).copied().unwrap_or(0);
    }
    Ok(highest)
}
