//! What a search is to one memory of a store, at an instant, by a plan. The engine's conditions say which of its rows are
//! visible and pass the filters, as SQL or on what the memory index holds. Row-level security and privileges come on top
//! by themselves: the statements run as the caller.

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

/// What explanations call the condition on the interval in which an entry holds.
pub const VALIDITY: &str = "validity";

/// One search over one memory.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// Where.
    pub store: &'a Store,
    /// The memory, as its caller wrote it.
    pub memory_id: &'a MemoryId,
    /// What.
    pub plan: &'a Plan,
    /// The instant that visibility refers to.
    pub now: Micros,
    /// Whether its contexts are those on the entries: with expiry times, and ids of entries.
    pub contexts_of_entries: bool,
    /// The embedder that made the query's vector; `None` when the caller gave it.
    pub embedder: Option<&'a str>,
    /// What the query demands or excludes, if it does.
    pub demands: Option<&'a Demands>,
    /// Other names of the entities of this memory, where filters ask for some.
    pub aliases: &'a Aliases,
    /// Whether its store has a table of links, where the search follows them.
    pub has_links: bool,
}

impl<'a> Scope<'a> {
    /// The same search with the contexts that stand on the entries themselves: for stores filled by
    /// those who keep them there.
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

    /// The same with what ranking by meaning reads.
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

    /// The instant that is asked about.
    pub fn when(&self) -> When {
        self.plan.as_of.map_or(When::Now(self.now), When::AsOf)
    }

    /// The rows of entries `e`, or of contexts `c`, that conditions are said of.
    fn rows<'b>(&'b self, alias: &'b str) -> Rows<'b> {
        let rows = match alias {
            "c" if self.contexts_of_entries => Rows::contexts_of_entries(self.store, alias),
            "c" => Rows::contexts(self.store, alias),
            _ => Rows::entries(self.store, alias),
        };
        rows.of_memory(self.memory_id)
    }

    /// What is visible of rows that are present: what is corrected is not, unless it was asked for.
    fn visible(&self) -> Condition {
        match self.plan.include_superseded {
            true => visibility::present(self.when()),
            false => visibility::visible(self.when()),
        }
    }

    /// The condition that rows of entries `e` or contexts `c` are of this memory.
    pub fn of_memory(&self, statement: &mut Statement, alias: &str) -> String {
        if alias == "c" && !self.contexts_of_entries {
            self.store.where_it_lies(statement);
            let memory = statement.bind(Param::text(self.store.canonical_memory_id(self.memory_id)));
            return format!("c.memory_id OPERATOR(pg_catalog.=) {memory}");
        }
        self.store.of_memory(statement, alias, self.memory_id)
    }

    /// The condition that a context's id is among those in a text[] parameter.
    pub fn context_is_among(&self, placeholder: &str) -> String {
        format!("c.context_id OPERATOR(pg_catalog.=) ANY ({placeholder}::pg_catalog.{}[])", self.context_id_type())
    }

    /// The type of ids of contexts.
    pub fn context_id_type(&self) -> IdKind {
        if self.contexts_of_entries { self.store.ids.entry } else { IdKind::Uuid }
    }

    /// Conditions on entries `e` that hold for every statistic: the memory, and visibility.
    pub fn visible_entries(&self, statement: &mut Statement) -> String {
        let of_memory = self.of_memory(statement, "e");
        format!("{of_memory}{}", self.rows("e").and(statement, &self.visible()))
    }

    /// Conditions on entries `alias` that are visible, and of the users whom the search asks for.
    pub fn visible_entries_of_users(&self, statement: &mut Statement, alias: &str) -> String {
        let of_memory = self.of_memory(statement, alias);
        let holds = Condition::All(self.validity());
        let conditions = Condition::all([self.visible(), holds].into_iter().chain(self.plan.filters.user().cloned()));
        format!("{of_memory}{}", self.rows(alias).and(statement, &conditions))
    }

    /// Conditions on entries `e` of the memory that are visible, hold when the search asks, and meet another one.
    pub fn visible_entries_that_meet(&self, statement: &mut Statement, condition: &Condition) -> String {
        let visible = self.visible_entries(statement);
        let holds = self.rows("e").and(statement, &Condition::All(self.validity()));
        format!("{visible}{holds}{}", self.rows("e").and(statement, &self.aliases.applied(condition)))
    }

    /// The same with those that are corrected, which [`Scope::is_corrected`] tells: for a pass, that asks which of them
    /// stand again once it knows them.
    pub fn entries_that_stand(&self, statement: &mut Statement) -> String {
        let of_memory = self.of_memory(statement, "e");
        format!("{of_memory}{}", self.rows("e").and(statement, &visibility::present(self.when())))
    }

    /// The same for contexts `c`.
    pub fn visible_contexts(&self, statement: &mut Statement) -> String {
        let visible = self.visible();
        self.contexts_where(statement, visible)
    }

    /// The same with those of entries that are corrected.
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

    /// The condition that contexts `c` of the table are of this memory, and are not deleted by themselves.
    pub fn undeleted_contexts(&self, statement: &mut Statement) -> String {
        let of_memory = self.of_memory(statement, "c");
        format!("{of_memory}{}", self.rows("c").and(statement, &visibility::not_deleted(self.when())))
    }

    /// The condition that the table has no row with the text and the user of contexts `c` that stand on entries: what
    /// was deleted there must not come back. As a list that is hashed once: a look-up by text has no index.
    fn is_in_no_table(&self, statement: &mut Statement) -> String {
        self.store.where_it_lies(statement);
        let memory = statement.bind(Param::text(self.store.canonical_memory_id(self.memory_id)));
        format!(
            " AND NOT ((c.context::pg_catalog.text, c.user_id IS NULL, COALESCE(c.user_id::pg_catalog.text, '')) \
               OPERATOR(pg_catalog.=) ANY (\
                 SELECT k.context, k.user_id IS NULL, COALESCE(k.user_id, '') FROM {} k \
                  WHERE k.memory_id OPERATOR(pg_catalog.=) {memory}))",
            self.store.relation("contexts")
        )
    }

    /// What the search asks of contexts that are visible.
    fn asked_of_contexts(&self) -> Vec<Condition> {
        let mut conditions = Vec::new();
        // What is dated later is not yet the latest.
        if self.plan.as_of.is_none() {
            conditions.push(visibility::created_by(clock::now()));
        }
        conditions.extend(self.plan.filters.user().cloned());
        conditions.extend(self.plan.contexts.as_ref().map(Filters::condition));
        conditions
    }

    /// Whether a row of entries `e`, or of contexts `c` that stand on entries, is corrected, as SQL.
    pub fn is_corrected(&self, statement: &mut Statement, alias: &str) -> String {
        match self.plan.include_superseded {
            true => "false".to_owned(),
            false => self.was_corrected(statement, alias),
        }
    }

    /// The same also where corrected entries are asked for.
    pub fn was_corrected(&self, statement: &mut Statement, alias: &str) -> String {
        self.rows(alias).sql(statement, &visibility::corrected(self.when()))
    }

    /// Whether an entry `e` is deleted, as SQL.
    pub fn is_deleted(&self, statement: &mut Statement) -> String {
        self.rows("e").sql(statement, &visibility::deleted(self.when()))
    }

    /// The condition that no correction of an entry stands, however many lie between: it stands again.
    pub fn stands_again(&self, statement: &mut Statement, alias: &str) -> String {
        self.rows(alias).sql(statement, &Condition::StandsAgain(self.when()))
    }

    /// The filters on entries `e`; `true` without any. What the query demands of words is not among them.
    pub fn filters(&self, statement: &mut Statement) -> String {
        self.rows("e").sql(statement, &self.all_filters())
    }

    /// The filters on entries `e` in two: those on when they were made, which an index in the order of time answers, and the
    /// others.
    pub fn filters_by_time(&self, statement: &mut Statement) -> (String, String) {
        let is_by_time = |condition: &Condition| matches!(condition, Condition::Time(TimeField::Creation, ..));
        let filters = self.named_filters().into_iter().map(|(_, condition)| condition);
        let (by_time, others): (Vec<_>, Vec<_>) = filters.partition(is_by_time);
        let rows = self.rows("e");
        (rows.sql(statement, &Condition::All(by_time)), rows.sql(statement, &Condition::All(others)))
    }

    /// Whether the search filters entries by more than when they hold, which nearly all do.
    pub fn has_filters(&self) -> bool {
        self.demands.is_some() || !self.plan.filters.conditions().is_empty()
    }

    /// Each filter on entries `e` with the name that the request has for it.
    pub fn filter_conditions(&self, statement: &mut Statement) -> Vec<(String, String)> {
        let rows = self.rows("e");
        self.named_filters().into_iter().map(|(name, condition)| (name, rows.sql(statement, &condition))).collect()
    }

    /// What the search asks of the interval in which an entry holds; nothing of a column that is null in every row.
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

    /// What [`Scope::visible_contexts`] says of a row of the table of contexts, which is never corrected, but for its
    /// entry: for rows that are not read by SQL.
    pub fn on_context_rows(&self) -> Condition {
        Condition::all([visibility::present(self.when())].into_iter().chain(self.asked_of_contexts()))
    }

    /// What [`Scope::visible_entries`] and [`Scope::filters`] say, for rows that are not read by SQL.
    pub fn on_indexed_rows(&self) -> OnIndexedRows {
        let demands = self.demands.map(|_| Condition::Demands);
        OnIndexedRows {
            visible: self.visible(),
            filters: Condition::all([self.all_filters()].into_iter().chain(demands)),
        }
    }
}

/// The conditions of a search on what an index holds of rows.
pub struct OnIndexedRows {
    /// What is visible.
    pub visible: Condition,
    /// What may be found.
    pub filters: Condition,
}
