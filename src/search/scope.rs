//! Which rows a search may see: one memory, visible at the search's instant, passing the filters.
//! Row-level security and privileges come on top by themselves: the statements run as the caller.

use memory_search_core::filters::{Filters, NumberRange, TagMatch};
use memory_search_core::plan::Plan;
use memory_search_core::timestamp::Micros;

use crate::pg::catalog::Store;
use crate::pg::param::Param;
use crate::pg::spi::Statement;

/// The least importance of entries that a fallback to the most recent ones gives: a question that
/// nothing answers is not answered with trivia.
pub const FALLBACK_IMPORTANCE: f64 = 50.0;

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
    /// Whether that relation has expiry times.
    pub contexts_expire: bool,
    /// A tsquery of what the query demands or excludes, if it does.
    pub demands: Option<String>,
}

impl<'a> Scope<'a> {
    /// The same place and instant for another plan.
    pub fn with_plan(&self, plan: &'a Plan) -> Scope<'a> {
        Scope { plan, contexts: self.contexts.clone(), demands: self.demands.clone(), ..*self }
    }

    /// The same search with the contexts that stand on the entries themselves: for stores filled by
    /// those who keep them there.
    pub fn with_contexts_of_entries(&self) -> Scope<'a> {
        let contexts = format!(
            "(SELECT o.memory_id, o.entry_id AS context_id, o.user_id, o.context, o.creation_time, \
                o.deletion_scheduled_time, o.expires_at, NULL::{}.halfvec AS embedding, {} AS search_vector \
              FROM {} o WHERE o.context IS NOT NULL AND o.context OPERATOR(pg_catalog.<>) '')",
            self.store.vector_schema,
            self.store.tsvector("o.context"),
            self.store.relation("entries")
        );
        Scope { contexts, contexts_expire: true, demands: self.demands.clone(), ..*self }
    }

    /// Conditions on entries `e` that hold for every statistic: the memory, and visibility.
    pub fn visible_entries(&self, statement: &mut Statement) -> String {
        let now = statement.bind(Param::Timestamp(Some(self.now)));
        format!(
            "{} AND (e.expires_at IS NULL OR e.expires_at OPERATOR(pg_catalog.>) {now})",
            self.visible(statement, "e")
        )
    }

    /// The same for contexts `c`.
    pub fn visible_contexts(&self, statement: &mut Statement) -> String {
        let mut conditions = self.visible(statement, "c");
        if self.contexts_expire {
            let now = statement.bind(Param::Timestamp(Some(self.now)));
            conditions.push_str(&format!(" AND (c.expires_at IS NULL OR c.expires_at OPERATOR(pg_catalog.>) {now})"));
        }
        if let Some(user) = &self.plan.filters.user_id {
            let user = statement.bind(Param::text(user.as_str()));
            conditions.push_str(&format!(" AND c.user_id OPERATOR(pg_catalog.=) {user}"));
        }
        conditions
    }

    fn visible(&self, statement: &mut Statement, alias: &str) -> String {
        let memory = statement.bind(Param::text(self.plan.memory_id.as_str()));
        let of_memory = format!("{alias}.memory_id OPERATOR(pg_catalog.=) {memory}");
        match self.plan.as_of {
            None => format!("{of_memory} AND {alias}.deletion_scheduled_time IS NULL"),
            Some(instant) => {
                let instant = statement.bind(Param::Timestamp(Some(instant)));
                format!(
                    "{of_memory} AND {alias}.creation_time OPERATOR(pg_catalog.<=) {instant} \
                     AND ({alias}.deletion_scheduled_time IS NULL \
                          OR {alias}.deletion_scheduled_time OPERATOR(pg_catalog.>) {instant})"
                )
            }
        }
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
            let then = self.plan.as_of.map(|instant| {
                let instant = statement.bind(Param::Timestamp(Some(instant)));
                format!(" AND a.last_accessed_at OPERATOR(pg_catalog.<=) {instant}")
            });
            let count = format!(
                "COALESCE((SELECT a.access_count FROM {} a WHERE a.memory_id OPERATOR(pg_catalog.=) e.memory_id \
                   AND a.entry_id OPERATOR(pg_catalog.=) e.entry_id{}), 0)::pg_catalog.float8",
                self.store.relation("entry_access"),
                then.unwrap_or_default()
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
