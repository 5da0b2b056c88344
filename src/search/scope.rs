//! A search in one memory of a store, at an instant, with a plan. The engine's conditions say which of its rows are
//! visible and pass the filters, as SQL or on the data of the memory index. Row-level security and privileges apply in
//! addition, because the statements run as the caller.

use memory_search_core::entities::aliases::Aliases;
use memory_search_core::filter::Filters;
use memory_search_core::filter::condition::{Condition, TimeField, When};
use memory_search_core::filter::visibility;
use memory_search_core::ids::IdKind;
use memory_search_core::request::names::MemoryId;
use memory_search_core::request::plan::Plan;
use memory_search_core::text::demands::Demands;
use memory_search_core::timestamp::Micros;

use crate::pg::clock;
use crate::pg::param::Param;
use crate::pg::spi::Statement;
use crate::store::definition::Store;
use crate::store::predicate::Rows;

/// The name in explanations of the condition on the interval in which an entry holds.
pub const VALIDITY: &str = "validity";

/// One search over one memory.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// The store.
    pub store: &'a Store,
    /// The whole store, of which `store` may be the part that holds the memory. Links are followed in it, by statements.
    pub whole: &'a Store,
    /// The memory, as the caller wrote it.
    pub memory_id: &'a MemoryId,
    /// The plan.
    pub plan: &'a Plan,
    /// The instant for visibility.
    pub now: Micros,
    /// Whether its contexts are those in the entries: these have expiry times, and ids of entries.
    pub contexts_of_entries: bool,
    /// The embedder that made the query's vector; `None` if the caller gave it.
    pub embedder: Option<&'a str>,
    /// The words that the query demands or excludes, if any.
    pub demands: Option<&'a Demands>,
    /// Other names of the entities of this memory, if filters compare entities.
    pub aliases: &'a Aliases,
    /// Whether its store has a table of links, where the search follows them.
    pub has_links: bool,
}

impl<'a> Scope<'a> {
    /// This search with the contexts in the entries themselves: for stores whose applications store contexts there.
    pub fn with_contexts_of_entries(&self) -> Scope<'a> {
        Scope { contexts_of_entries: true, ..*self }
    }

    /// The relation of contexts, as SQL text.
    pub fn contexts(&self) -> String {
        if self.contexts_of_entries {
            self.contexts_on_entries("")
        } else {
            self.store.relation("contexts").to_string()
        }
    }

    /// The relation of contexts with the columns for ranking by meaning.
    pub fn contexts_to_rank(&self) -> String {
        if !self.contexts_of_entries {
            return self.contexts();
        }
        self.contexts_on_entries(&format!(
            ", NULL::{}.{} AS embedding, NULL::pg_catalog.text AS embedding_model",
            self.store.vector_schema, self.store.embedding.type_name,
        ))
    }

    fn contexts_on_entries(&self, ranked_by: &str) -> String {
        format!(
            "(SELECT o.memory_id, o.entry_id AS context_id, o.user_id, o.context, o.creation_time, \
                o.deletion_scheduled_time, o.expires_at, o.superseded_by, o.superseded_time{ranked_by} \
              FROM {} o WHERE o.context IS NOT NULL AND o.context OPERATOR(pg_catalog.<>) '')",
            self.store.relation("entries")
        )
    }

    /// The instant of the search.
    pub fn when(&self) -> When {
        self.plan.as_of.map_or(When::Now(self.now), When::AsOf)
    }

    /// The rows of entries `e`, or of contexts `c`, that conditions apply to.
    fn rows<'b>(&'b self, alias: &'b str) -> Rows<'b> {
        let rows = match alias {
            "c" if self.contexts_of_entries => Rows::contexts_of_entries(self.store, alias),
            "c" => Rows::contexts(self.store, alias),
            _ => Rows::entries(self.store, alias),
        };
        rows.of_memory(self.memory_id)
    }

    /// The visibility of present rows: a corrected row is not visible, unless the search asks for such rows.
    fn visible(&self) -> Condition {
        match self.plan.include_superseded {
            true => visibility::present(self.when()),
            false => visibility::visible(self.when()),
        }
    }

    /// The condition that rows of entries `e` or contexts `c` belong to this memory.
    pub fn of_memory(&self, statement: &mut Statement, alias: &str) -> String {
        if alias == "c" && !self.contexts_of_entries {
            self.store.where_it_lies(statement);
            let memory = statement.bind(Param::text(self.store.canonical_memory_id(self.memory_id)));
            return format!("c.memory_id OPERATOR(pg_catalog.=) {memory}");
        }
        self.store.of_memory(statement, alias, self.memory_id)
    }

    /// The condition that a context's id is in a text[] parameter.
    pub fn context_is_among(&self, placeholder: &str) -> String {
        format!("c.context_id OPERATOR(pg_catalog.=) ANY ({placeholder}::pg_catalog.{}[])", self.context_id_type())
    }

    /// The type of ids of contexts.
    pub fn context_id_type(&self) -> IdKind {
        if self.contexts_of_entries { self.store.ids.entry } else { IdKind::Uuid }
    }

    /// The conditions on entries `e` that hold for every statistic: the memory, and visibility.
    pub fn visible_entries(&self, statement: &mut Statement) -> String {
        let of_memory = self.of_memory(statement, "e");
        format!("{of_memory}{}", self.rows("e").and(statement, &self.visible()))
    }

    /// The conditions that entries `alias` are visible and belong to the users that the search filters by.
    pub fn visible_entries_of_users(&self, statement: &mut Statement, alias: &str) -> String {
        let of_memory = self.of_memory(statement, alias);
        let holds = Condition::All(self.validity());
        let conditions = Condition::all([self.visible(), holds].into_iter().chain(self.plan.filters.user().cloned()));
        format!("{of_memory}{}", self.rows(alias).and(statement, &conditions))
    }

    /// The conditions that entries `e` of the memory are visible, hold at the search's time, and meet another
    /// condition.
    pub fn visible_entries_that_meet(&self, statement: &mut Statement, condition: &Condition) -> String {
        let visible = self.visible_entries(statement);
        let holds = self.rows("e").and(statement, &Condition::All(self.validity()));
        format!("{visible}{holds}{}", self.rows("e").and(statement, &self.aliases.applied(condition)))
    }

    /// The conditions of [`Scope::visible_entries`] without the one on corrections, which [`Scope::is_corrected`]
    /// gives: for a pass that determines the reinstated entries after it has read all.
    pub fn entries_that_stand(&self, statement: &mut Statement) -> String {
        let of_memory = self.of_memory(statement, "e");
        format!("{of_memory}{}", self.rows("e").and(statement, &visibility::present(self.when())))
    }

    /// The conditions on visible contexts `c`.
    pub fn visible_contexts(&self, statement: &mut Statement) -> String {
        let visible = self.visible();
        self.contexts_where(statement, visible)
    }

    /// The conditions of [`Scope::visible_contexts`], except that contexts of corrected entries pass too.
    pub fn contexts_that_stand(&self, statement: &mut Statement) -> String {
        self.contexts_where(statement, visibility::present(self.when()))
    }

    fn contexts_where(&self, statement: &mut Statement, condition: Condition) -> String {
        let conditions = [condition, Condition::HasItsEntry(self.when())].into_iter().chain(self.asked_of_contexts());
        let of_memory = self.of_memory(statement, "c");
        let meets = self.rows("c").and(statement, &Condition::all(conditions));
        let is_new = if self.contexts_of_entries { self.is_in_no_table(statement) } else { String::new() };
        format!("{of_memory}{meets}{is_new}")
    }

    /// The condition that contexts `c` of the table belong to this memory, are not deleted, and have their entry. The
    /// condition is true for none of them if all entries of a memory are deleted. So it hashes the contexts of entries
    /// once, while [`Condition::HasItsEntry`] would look through all entries for each context.
    pub fn undeleted_contexts(&self, statement: &mut Statement) -> String {
        let of_memory = self.of_memory(statement, "c");
        let not_deleted = self.rows("c").and(statement, &visibility::not_deleted(self.when()));
        if self.store.is_view {
            return format!("{of_memory}{not_deleted}");
        }
        let of_entries = self.of_memory(statement, "i");
        let present = self.rows("i").and(statement, &visibility::present(self.when()));
        let entries = self.store.relation("entries");
        let the_entry = self.store.keyed("i", "entry_id", "c.entry_id", &present);
        format!(
            "{of_memory}{not_deleted} AND (c.entry_id IS NULL \
               OR (SELECT true FROM {entries} i WHERE {of_entries} AND {the_entry}) IS TRUE \
               OR ((c.context, c.user_id IS NULL, COALESCE(c.user_id, '')) OPERATOR(pg_catalog.=) ANY (\
                 SELECT i.context, i.user_id IS NULL, COALESCE(i.user_id, '') FROM {entries} i \
                  WHERE {of_entries} AND i.context IS NOT NULL{present})) IS TRUE)"
        )
    }

    /// The condition that the table has no row with the text of contexts `c` in entries: a context that was deleted there
    /// must not be found again, also not on an entry that has changed its user since. The subquery is hashed once, because
    /// no index finds texts.
    fn is_in_no_table(&self, statement: &mut Statement) -> String {
        self.store.where_it_lies(statement);
        let memory = statement.bind(Param::text(self.store.canonical_memory_id(self.memory_id)));
        format!(
            " AND NOT (c.context::pg_catalog.text OPERATOR(pg_catalog.=) ANY (\
               SELECT k.context FROM {} k WHERE k.memory_id OPERATOR(pg_catalog.=) {memory}))",
            self.store.relation("contexts")
        )
    }

    /// The conditions that the request sets on contexts: their time, the users, and `options.contexts`.
    fn asked_of_contexts(&self) -> Vec<Condition> {
        let mut conditions = Vec::new();
        // A context with a later date is not the latest yet.
        if self.plan.as_of.is_none() {
            conditions.push(visibility::created_by(clock::now()));
        }
        conditions.extend(self.plan.filters.user().cloned());
        conditions.extend(self.plan.contexts.as_ref().map(Filters::condition));
        conditions
    }

    /// Whether a row of entries `e`, or of contexts `c` in entries, is corrected, as SQL.
    pub fn is_corrected(&self, statement: &mut Statement, alias: &str) -> String {
        match self.plan.include_superseded {
            true => "false".to_owned(),
            false => self.was_corrected(statement, alias),
        }
    }

    /// The test of [`Scope::is_corrected`], even if the search includes corrected entries.
    pub fn was_corrected(&self, statement: &mut Statement, alias: &str) -> String {
        self.rows(alias).sql(statement, &visibility::corrected(self.when()))
    }

    /// Whether an entry `e` is deleted, as SQL.
    pub fn is_deleted(&self, statement: &mut Statement) -> String {
        self.rows("e").sql(statement, &visibility::deleted(self.when()))
    }

    /// The condition that no correction of an entry is valid, over any number of corrections: the entry is reinstated.
    pub fn stands_again(&self, statement: &mut Statement, alias: &str) -> String {
        self.rows(alias).sql(statement, &Condition::StandsAgain(self.when()))
    }

    /// The filters on entries `e`; `true` if there are none. They do not include the query's demands on words.
    pub fn filters(&self, statement: &mut Statement) -> String {
        self.rows("e").sql(statement, &self.all_filters())
    }

    /// The filters on entries `e` in two parts: those on the creation time, which an index in the order of time
    /// answers, and the others.
    pub fn filters_by_time(&self, statement: &mut Statement) -> (String, String) {
        let is_by_time = |condition: &Condition| matches!(condition, Condition::Time(TimeField::Creation, ..));
        let filters = self.named_filters().into_iter().map(|(_, condition)| condition);
        let (by_time, others): (Vec<_>, Vec<_>) = filters.partition(is_by_time);
        let rows = self.rows("e");
        (rows.sql(statement, &Condition::All(by_time)), rows.sql(statement, &Condition::All(others)))
    }

    /// Whether the search has filters besides the one on the interval in which entries hold, which nearly all entries
    /// pass.
    pub fn has_filters(&self) -> bool {
        self.demands.is_some() || !self.plan.filters.conditions().is_empty()
    }

    /// Each filter on entries `e` with its name in the request.
    pub fn filter_conditions(&self, statement: &mut Statement) -> Vec<(String, String)> {
        let rows = self.rows("e");
        self.named_filters().into_iter().map(|(name, condition)| (name, rows.sql(statement, &condition))).collect()
    }

    /// The condition on the interval in which an entry holds; empty if a column of it is null in every row.
    fn validity(&self) -> Vec<Condition> {
        let mut conditions = self.plan.validity.conditions(self.now);
        conditions.retain(|condition| {
            [TimeField::ValidFrom, TimeField::ValidUntil]
                .into_iter()
                .all(|field| !condition.looks_at_time(field) || self.store.may_have(field))
        });
        conditions
    }

    fn all_filters(&self) -> Condition {
        Condition::all(self.named_filters().into_iter().map(|(_, condition)| condition))
    }

    fn named_filters(&self) -> Vec<(String, Condition)> {
        let mut filters = self.plan.filters.conditions().to_vec();
        if !self.aliases.is_empty() {
            filters.iter_mut().for_each(|(_, condition)| *condition = self.aliases.applied(condition));
        }
        let validity = self.validity();
        if !validity.is_empty() {
            filters.push((VALIDITY.to_owned(), Condition::All(validity)));
        }
        filters
    }

    /// The conditions of [`Scope::visible_contexts`] on a row of the table of contexts, which is never corrected,
    /// except the one on its entry: for rows that are not read by SQL.
    pub fn on_context_rows(&self) -> Condition {
        Condition::all([visibility::present(self.when())].into_iter().chain(self.asked_of_contexts()))
    }

    /// The conditions of [`Scope::visible_entries`] and [`Scope::filters`], for rows that are not read by SQL.
    pub fn on_indexed_rows(&self) -> OnIndexedRows {
        let demands = self.demands.map(|_| Condition::Demands);
        OnIndexedRows {
            visible: self.visible(),
            filters: Condition::all([self.all_filters()].into_iter().chain(demands)),
        }
    }
}

/// The conditions of a search on the data of an index.
pub struct OnIndexedRows {
    /// The condition for visible rows.
    pub visible: Condition,
    /// The condition for rows that may be found.
    pub filters: Condition,
}
