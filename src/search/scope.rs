//! Which rows a search may see: one memory, visible at the search's instant, passing the filters.
//! Row-level security and privileges come on top by themselves: the statements run as the caller.

use memory_search_core::filter::{Filters, NumberRange, TagMatch};
use memory_search_core::request::plan::Plan;
use memory_search_core::timestamp::Micros;

use crate::pg::clock;
use crate::pg::param::Param;
use crate::pg::spi::Statement;
use crate::search::trace::Trace;
use crate::store::definition::Store;

/// The least importance of entries that a fallback to the most recent ones gives: a question that
/// nothing answers is not answered with trivia.
pub const FALLBACK_IMPORTANCE: f64 = 50.0;

/// The times of an entry that decide whether it is visible.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    pub created: Option<Micros>,
    pub deletion_scheduled: Option<Micros>,
    pub expires: Option<Micros>,
}

/// One search over one store.
pub struct Scope<'a> {
    /// Where.
    pub store: &'a Store,
    /// What.
    pub plan: &'a Plan,
    /// The instant that ages and visibility refer to.
    pub now: Micros,
    /// The relation of contexts, as SQL text.
    pub contexts: String,
    /// Whether those are the contexts on the entries: with expiry times, and ids of entries.
    pub contexts_of_entries: bool,
    /// The embedder that made the query's vector; `None` when the caller gave it.
    pub embedder: Option<&'a str>,
    /// A tsquery of what the query demands or excludes, if it does.
    pub demands: Option<String>,
    /// Where the search notes what it does.
    pub trace: &'a Trace,
}

impl<'a> Scope<'a> {
    /// The same store and instant for another plan.
    pub fn with_plan(&self, plan: &'a Plan) -> Scope<'a> {
        Scope { plan, contexts: self.contexts.clone(), demands: self.demands.clone(), ..*self }
    }

    /// The same search with the contexts that stand on the entries themselves: for stores filled by
    /// those who keep them there.
    pub fn with_contexts_of_entries(&self) -> Scope<'a> {
        let contexts = format!(
            "(SELECT o.memory_id, o.entry_id AS context_id, o.user_id, o.context, o.creation_time, \
                o.deletion_scheduled_time, o.expires_at, o.superseded_by, o.superseded_time, NULL::{}.{} AS embedding, \
                NULL::pg_catalog.text AS embedding_model, {} AS search_vector \
              FROM {} o WHERE o.context IS NOT NULL AND o.context OPERATOR(pg_catalog.<>) '')",
            self.store.vector_schema,
            self.store.embedding.type_name,
            self.store.tsvector("o.context"),
            self.store.relation("entries")
        );
        Scope { contexts, contexts_of_entries: true, demands: self.demands.clone(), ..*self }
    }

    /// Conditions on entries `e` that hold for every statistic: the memory, and visibility.
    pub fn visible_entries(&self, statement: &mut Statement) -> String {
        format!("{}{}", self.entries_that_stand(statement), self.uncorrected(statement, "e"))
    }

    /// The same with those that are corrected, which [`Scope::is_corrected`] tells: for a pass, that asks which of them
    /// stand again once it knows them.
    pub fn entries_that_stand(&self, statement: &mut Statement) -> String {
        format!("{}{}", self.of_memory(statement, "e"), self.stands(statement, "e", true))
    }

    /// The condition that rows of entries `e` or contexts `c` are of this memory.
    pub fn of_memory(&self, statement: &mut Statement, alias: &str) -> String {
        if alias == "c" && !self.contexts_of_entries {
            let memory = statement.bind(Param::text(self.store.canonical_memory_id(&self.plan.memory_id)));
            return format!("c.memory_id OPERATOR(pg_catalog.=) {memory}");
        }
        self.store.of_memory(statement, alias, &self.plan.memory_id)
    }

    /// The condition that a context's id is among those in a text[] parameter.
    pub fn context_is_among(&self, placeholder: &str) -> String {
        match self.contexts_of_entries {
            true => self.store.is_among("c.context_id", placeholder),
            false => format!("c.context_id OPERATOR(pg_catalog.=) ANY ({placeholder}::pg_catalog.uuid[])"),
        }
    }

    /// The same for contexts `c`.
    pub fn visible_contexts(&self, statement: &mut Statement) -> String {
        let uncorrected = if self.contexts_of_entries { self.uncorrected(statement, "c") } else { String::new() };
        format!("{}{uncorrected}", self.contexts_that_stand(statement))
    }

    /// The same with those of entries that are corrected.
    pub fn contexts_that_stand(&self, statement: &mut Statement) -> String {
        let of_memory = self.of_memory(statement, "c");
        let mut conditions = format!("{of_memory}{}", self.stands(statement, "c", self.contexts_of_entries));
        // What is dated later is not yet the latest.
        let latest = statement.bind(Param::Timestamp(Some(self.plan.as_of.unwrap_or_else(clock::now))));
        conditions.push_str(&format!(
            " AND (c.creation_time OPERATOR(pg_catalog.<=) {latest}{})",
            if self.store.may_lack_creation_time { " OR c.creation_time IS NULL" } else { "" }
        ));
        if !self.contexts_of_entries && self.store.contexts_name_entries {
            conditions.push_str(&format!(" AND {}", self.has_its_entry(statement)));
        }
        if let Some(user) = &self.plan.filters.user_id {
            let user = statement.bind(Param::text(user.as_str()));
            conditions.push_str(&format!(" AND c.user_id OPERATOR(pg_catalog.=) {user}"));
        }
        conditions
    }

    /// The condition that a context `c` stands by itself, or with the entry that brought it, or with another that
    /// says the same. (A subquery of one row: as EXISTS the planner might read all entries at once.)
    fn has_its_entry(&self, statement: &mut Statement) -> String {
        let entries = self.store.relation("entries");
        let mut with = |condition: &str| {
            let of_memory = self.of_memory(statement, "e");
            let stands = self.stands(statement, "e", true);
            format!("(SELECT true FROM {entries} e WHERE {of_memory} AND {condition}{stands} LIMIT 1) IS TRUE")
        };
        let brought = with("e.entry_id OPERATOR(pg_catalog.=) c.entry_id");
        let repeated = with("e.context OPERATOR(pg_catalog.=) c.context AND e.user_id IS NOT DISTINCT FROM c.user_id");
        format!("(c.entry_id IS NULL OR {brought} OR {repeated})")
    }

    /// The condition, after an AND, that an entry is not corrected, or stands again.
    fn uncorrected(&self, statement: &mut Statement, alias: &str) -> String {
        if self.plan.include_superseded {
            return String::new();
        }
        let corrected = self.has_happened(statement, &format!("{alias}.superseded_time"));
        format!(" AND (NOT {corrected} OR {})", self.stands_again(statement, alias))
    }

    /// Whether a row of entries `e`, or of contexts `c` that stand on entries, is corrected, as SQL.
    pub fn is_corrected(&self, statement: &mut Statement, alias: &str) -> String {
        if self.plan.include_superseded || alias == "c" && !self.contexts_of_entries {
            return "false".to_owned();
        }
        self.has_happened(statement, &format!("{alias}.superseded_time"))
    }

    /// Conditions, each after an AND, that a row is there at the search's instant, not deleted and, for what is made
    /// of entries, not expired.
    fn stands(&self, statement: &mut Statement, alias: &str, of_entries: bool) -> String {
        let as_of = self.as_of(statement);
        let mut conditions = match &as_of {
            None => format!(" AND {alias}.deletion_scheduled_time IS NULL"),
            Some(then) => format!(
                " AND ({alias}.deletion_scheduled_time IS NULL OR {alias}.deletion_scheduled_time OPERATOR(pg_catalog.>) {then})"
            ),
        };
        if of_entries {
            let now = statement.bind(Param::Timestamp(Some(self.now)));
            conditions.push_str(&format!(
                " AND ({alias}.expires_at IS NULL OR {alias}.expires_at OPERATOR(pg_catalog.>) {now})"
            ));
        }
        if let Some(then) = &as_of {
            conditions.push_str(&match self.store.may_lack_creation_time {
                false => format!(" AND {alias}.creation_time OPERATOR(pg_catalog.<=) {then}"),
                true => format!(
                    " AND ({alias}.creation_time IS NULL OR {alias}.creation_time OPERATOR(pg_catalog.<=) {then})"
                ),
            });
        }
        conditions
    }

    /// The condition that no correction of an entry stands, however many lie between: it stands again.
    pub fn stands_again(&self, statement: &mut Statement, alias: &str) -> String {
        // A store's own column is a uuid; elsewhere it may be a text, which need not be an id.
        let id = match (&self.store.adopted_from, self.store.ids.entry.as_str()) {
            (None, _) => "k.id",
            (_, "text") => "k.id::pg_catalog.text",
            (_, "uuid") => {
                "CASE WHEN k.id::pg_catalog.text OPERATOR(pg_catalog.~) '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' \
                 THEN k.id::pg_catalog.text::pg_catalog.uuid END"
            }
            _ => {
                "CASE WHEN k.id::pg_catalog.text OPERATOR(pg_catalog.~) '^-?[0-9]{1,18}$' \
                 THEN k.id::pg_catalog.text::pg_catalog.int8 END"
            }
        };
        let entries = self.store.relation("entries");
        let (first, last) = (self.of_memory(statement, "f"), self.of_memory(statement, "l"));
        let followed = match self.as_of(statement) {
            None => String::new(),
            Some(then) => format!(" AND f.superseded_time OPERATOR(pg_catalog.<=) {then}"),
        };
        let stands = self.stands(statement, "l", true);
        format!(
            "(WITH RECURSIVE correction (id) AS (SELECT {alias}.superseded_by UNION SELECT f.superseded_by \
               FROM correction k JOIN {entries} f ON {first} AND f.entry_id OPERATOR(pg_catalog.=) {id}{followed}) \
             SELECT true FROM correction k JOIN {entries} l ON {last} AND l.entry_id OPERATOR(pg_catalog.=) {id}{stands} \
             LIMIT 1) IS NULL"
        )
    }

    /// What [`Scope::entries_that_stand`] says, of an entry of the memory that was not read by SQL.
    pub fn sees(&self, times: &Times) -> bool {
        self.not_yet(times.deletion_scheduled)
            && times.expires.is_none_or(|expires| expires > self.now)
            && self.plan.as_of.is_none_or(|then| times.created.is_none_or(|created| created <= then))
    }

    /// Whether an entry is corrected at the search's instant, and so hidden unless it stands again.
    pub fn is_superseded(&self, superseded: Option<Micros>) -> bool {
        !self.plan.include_superseded && !self.not_yet(superseded)
    }

    fn not_yet(&self, time: Option<Micros>) -> bool {
        match (time, self.plan.as_of) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(time), Some(then)) => time > then,
        }
    }

    /// Whether what may be found is said by columns of `entries_scan` alone.
    pub fn filters_are_indexed(&self) -> bool {
        self.plan.filters.are_simple() && self.demands.is_none()
    }

    /// Whether what a time of a row stands for has happened at the search's instant: what happens
    /// to a row later has not happened as of then.
    pub fn has_happened(&self, statement: &mut Statement, time: &str) -> String {
        match self.as_of(statement) {
            None => format!("({time} IS NOT NULL)"),
            Some(then) => format!("(({time} OPERATOR(pg_catalog.<=) {then}) IS TRUE)"),
        }
    }

    fn as_of(&self, statement: &mut Statement) -> Option<String> {
        self.plan.as_of.map(|instant| statement.bind(Param::Timestamp(Some(instant))))
    }

    /// The filters on entries `e`; `true` without any.
    pub fn filters(&self, statement: &mut Statement) -> String {
        let conditions: Vec<String> =
            self.filter_conditions(statement).into_iter().map(|(_, condition)| condition).collect();
        if conditions.is_empty() { "true".to_owned() } else { conditions.join(" AND ") }
    }

    /// Each filter on entries `e` with the name that the request has for it.
    pub fn filter_conditions(&self, statement: &mut Statement) -> Vec<(&'static str, String)> {
        let Filters {
            user_id,
            agent_id,
            tags,
            tag_match,
            importance,
            created_after,
            created_before,
            source_types,
            access_count,
            metadata,
        } = &self.plan.filters;
        let mut conditions = Vec::new();
        for (name, column, wanted) in [("userId", "user_id", user_id), ("agentId", "agent_id", agent_id)] {
            if let Some(wanted) = wanted {
                let wanted = statement.bind(Param::text(wanted.as_str()));
                conditions.push((name, format!("e.{column} OPERATOR(pg_catalog.=) {wanted}")));
            }
        }
        if !tags.is_empty() {
            let wanted = statement.bind(Param::Texts(tags.clone()));
            let operator = match tag_match {
                TagMatch::Any => "&&",
                TagMatch::All => "@>",
            };
            conditions.push(("tags", format!("e.tags OPERATOR(pg_catalog.{operator}) {wanted}")));
        }
        conditions.extend(within("importance", "e.importance::pg_catalog.float8", *importance, statement));
        for (name, operator, instant) in
            [("createdAfter", ">=", created_after), ("createdBefore", "<=", created_before)]
        {
            if let Some(instant) = instant {
                let instant = statement.bind(Param::Timestamp(Some(*instant)));
                conditions.push((name, format!("e.creation_time OPERATOR(pg_catalog.{operator}) {instant}")));
            }
        }
        if let Some(types) = source_types.as_ref().filter(|types| !types.is_empty()) {
            let types = statement.bind(Param::Texts(types.clone()));
            conditions.push(("sourceType", format!("e.source_type OPERATOR(pg_catalog.=) ANY ({types})")));
        }
        if !access_count.is_open() {
            let counted = self.of_memory(statement, "a");
            let count = format!(
                "COALESCE((SELECT a.access_count FROM {} a WHERE {counted} \
                   AND a.entry_id OPERATOR(pg_catalog.=) e.entry_id), 0)::pg_catalog.float8",
                self.store.relation("entry_access")
            );
            conditions.extend(within("accessCount", &count, *access_count, statement));
        }
        if let Some(metadata) = metadata {
            let metadata = statement.bind(Param::text(metadata.as_str()));
            conditions.push(("metadata", format!("e.metadata OPERATOR(pg_catalog.@>) {metadata}::pg_catalog.jsonb")));
        }
        if let Some(demands) = &self.demands {
            let demands = statement.bind(Param::text(demands.as_str()));
            let condition = format!("e.search_vector OPERATOR(pg_catalog.@@) {demands}::pg_catalog.tsquery");
            conditions.push(("phrases and excluded words of the query", condition));
        }
        conditions
    }
}

fn within(
    name: &'static str,
    expression: &str,
    range: NumberRange,
    statement: &mut Statement,
) -> Option<(&'static str, String)> {
    let NumberRange { at_least, above, at_most, below, equal } = range;
    let mut bounds = Vec::new();
    for (operator, bound) in [(">=", at_least), (">", above), ("<=", at_most), ("<", below), ("=", equal)] {
        if let Some(bound) = bound {
            let bound = statement.bind(Param::Number(bound));
            bounds.push(format!("{expression} OPERATOR(pg_catalog.{operator}) {bound}"));
        }
    }
    (!bounds.is_empty()).then(|| (name, bounds.join(" AND ")))
}
