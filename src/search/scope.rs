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
}

impl Scope<'_> {
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
        for (column, wanted) in [("user_id", user_id), ("agent_id", agent_id)] {
            if let Some(wanted) = wanted {
                let wanted = statement.bind(Param::text(wanted.as_str()));
                conditions.push(format!("e.{column} OPERATOR(pg_catalog.=) {wanted}"));
            }
        }
        if !tags.is_empty() {
            let wanted = statement.bind(Param::Texts(tags.clone()));
            let operator = match tag_match {
                TagMatch::Any => "&&",
                TagMatch::All => "@>",
            };
            conditions.push(format!("e.tags OPERATOR(pg_catalog.{operator}) {wanted}"));
        }
        within("e.importance::pg_catalog.float8", *importance, statement, &mut conditions);
        for (operator, instant) in [(">=", created_after), ("<=", created_before)] {
            if let Some(instant) = instant {
                let instant = statement.bind(Param::Timestamp(Some(*instant)));
                conditions.push(format!("e.creation_time OPERATOR(pg_catalog.{operator}) {instant}"));
            }
        }
        if let Some(types) = source_types {
            let types = statement.bind(Param::Texts(types.clone()));
            conditions.push(format!("e.source_type OPERATOR(pg_catalog.=) ANY ({types})"));
        }
        if !access_count.is_open() {
            let count = format!(
                "COALESCE((SELECT a.access_count FROM {} a WHERE a.memory_id OPERATOR(pg_catalog.=) e.memory_id \
                   AND a.entry_id OPERATOR(pg_catalog.=) e.entry_id), 0)::pg_catalog.float8",
                self.store.relation("entry_access")
            );
            within(&count, *access_count, statement, &mut conditions);
        }
        if let Some(metadata) = metadata {
            let metadata = statement.bind(Param::text(metadata.as_str()));
            conditions.push(format!("e.metadata OPERATOR(pg_catalog.@>) {metadata}::pg_catalog.jsonb"));
        }
        if conditions.is_empty() { "true".to_owned() } else { conditions.join(" AND ") }
    }
}

fn within(expression: &str, range: NumberRange, statement: &mut Statement, conditions: &mut Vec<String>) {
    let NumberRange { at_least, above, at_most, below, equal } = range;
    for (operator, bound) in [(">=", at_least), (">", above), ("<=", at_most), ("<", below), ("=", equal)] {
        if let Some(bound) = bound {
            let bound = statement.bind(Param::Number(bound));
            conditions.push(format!("{expression} OPERATOR(pg_catalog.{operator}) {bound}"));
        }
    }
}
