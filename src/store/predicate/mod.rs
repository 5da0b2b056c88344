//! Conditions as SQL over the rows of a store. `memory_search_core::filter` evaluates a condition on a row from an
//! index page; this module writes the same condition for the rows of a statement. Values become parameters of it, and
//! this module defines the meaning of a missing column.

use memory_search_core::filter::TagMatch;
use memory_search_core::filter::condition::{
    Comparison, Condition, NumberField, TextColumn, TextField, TimeField, When,
};
use memory_search_core::filter::visibility;
use memory_search_core::ids::IdKind;
use memory_search_core::rank::group::GroupKey;

use crate::pg::clock;
use crate::pg::extension;
use crate::pg::param::Param;
use crate::pg::spi::Statement;
use crate::pg::sql_text::filled;
use crate::store::definition::{Store, StoreKind};

/// Each step from a correction to the next is a look-up of its own. The planner guesses how many steps there are, and for
/// so many it would read all entries, once for every corrected one.
const STANDS_AGAIN: &str = include_str!("stands_again.sql");
const METADATA_TIME: &str = include_str!("metadata_time.sql");
const HAS_ITS_ENTRY: &str = include_str!("has_its_entry.sql");

/// The present, from `now()`: for functions on the current rows.
pub fn at_present() -> When {
    When::Now(clock::transaction_start())
}

/// A relation of a store, by the fields that it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    Entries,
    /// The table of contexts: contexts neither expire nor are corrected.
    Contexts,
    /// Entries, read as the contexts that are stored in them.
    ContextsOfEntries,
}

/// The rows of a relation in a statement, by their alias.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    store: &'a Store,
    alias: &'a str,
    relation: Relation,
    memory_id: Option<&'a str>,
}

impl<'a> Rows<'a> {
    /// Entries.
    pub fn entries(store: &'a Store, alias: &'a str) -> Rows<'a> {
        Rows { store, alias, relation: Relation::Entries, memory_id: None }
    }

    /// Contexts of the store's table.
    pub fn contexts(store: &'a Store, alias: &'a str) -> Rows<'a> {
        Rows { store, alias, relation: Relation::Contexts, memory_id: None }
    }

    /// Contexts that are stored in entries.
    pub fn contexts_of_entries(store: &'a Store, alias: &'a str) -> Rows<'a> {
        Rows { store, alias, relation: Relation::ContextsOfEntries, memory_id: None }
    }

    /// The rows of one memory. A condition that reads other rows reads only rows of this memory, for every tested row.
    pub fn of_memory(self, memory_id: &'a str) -> Rows<'a> {
        Rows { memory_id: Some(memory_id), ..self }
    }

    /// A condition as SQL to write after AND; `true` if every row meets it.
    pub fn sql(&self, statement: &mut Statement, condition: &Condition) -> String {
        self.interpreted(statement, condition).beside_and()
    }

    /// The same with the AND before it; empty if every row meets it.
    pub fn and(&self, statement: &mut Statement, condition: &Condition) -> String {
        match self.interpreted(statement, condition) {
            Sql::Known(Some(true)) => String::new(),
            other => format!(" AND {}", other.beside_and()),
        }
    }

    /// The column `superseded_by` of entries, null where the correction does not count at an instant.
    pub fn superseded_by(&self, statement: &mut Statement, when: When) -> String {
        let alias = self.alias;
        match self.interpreted(statement, &visibility::correction_counts(when)) {
            Sql::Known(Some(true)) => format!("{alias}.superseded_by"),
            counts => format!("CASE WHEN {} THEN {alias}.superseded_by END AS superseded_by", counts.alone()),
        }
    }

    fn interpreted(&self, statement: &mut Statement, condition: &Condition) -> Sql {
        let alias = self.alias;
        match condition {
            Condition::Equals(field, _) if !self.has_text(*field) => Sql::Known(None),
            Condition::Equals(field, value) => {
                let value = statement.bind(Param::text(value.as_str()));
                Sql::Term(format!("{alias}.{} OPERATOR(pg_catalog.=) {value}", text_column(*field)))
            }
            // OR over no values is false, and AND over no values is true, also for a null column.
            Condition::IsAmong(_, values) if values.is_empty() => Sql::Known(Some(false)),
            Condition::Tags(tags, matching) if tags.is_empty() => Sql::Known(Some(*matching == TagMatch::All)),
            Condition::Entities(keys, matching) if keys.is_empty() => Sql::Known(Some(*matching == TagMatch::All)),
            Condition::IsAmong(field, _) if !self.has_text(*field) => Sql::Known(None),
            Condition::IsAmong(field, values) => {
                let values = statement.bind(Param::Texts(values.clone()));
                Sql::Term(format!("{alias}.{} OPERATOR(pg_catalog.=) ANY ({values})", text_column(*field)))
            }
            Condition::Number(field, comparison, bound) => {
                let number = self.number(statement, *field);
                let bound = statement.bind(Param::Number(*bound));
                Sql::Term(format!("{number} {} {bound}", operator(*comparison)))
            }
            Condition::Time(field, ..) if !self.has(*field) => Sql::Known(None),
            Condition::Time(field, comparison, instant) => {
                let instant = statement.bind(Param::Timestamp(Some(*instant)));
                Sql::Term(format!("{alias}.{} {} {instant}", time_column(*field), operator(*comparison)))
            }
            Condition::NullOrTime(field, comparison, instant) => {
                let compares = Condition::Time(*field, *comparison, *instant);
                self.any(statement, &[Condition::IsNull(*field), compares])
            }
            Condition::IsNull(field) if !self.has(*field) => Sql::Known(Some(true)),
            Condition::IsNull(TimeField::Creation) if !self.store.may_lack_creation_time => Sql::Known(Some(false)),
            Condition::IsNull(field) => Sql::IsNull(format!("{alias}.{}", time_column(*field))),
            Condition::Tags(tags, matching) => {
                let tags = statement.bind(Param::Texts(tags.clone()));
                let operator = match matching {
                    TagMatch::Any => "&&",
                    TagMatch::All => "@>",
                };
                Sql::Term(format!("{alias}.tags OPERATOR(pg_catalog.{operator}) {tags}"))
            }
            Condition::Entities(keys, matching) => {
                let keys = statement.bind(Param::Texts(keys.clone()));
                let operator = match matching {
                    TagMatch::Any => "&&",
                    TagMatch::All => "@>",
                };
                let key_of = extension::function("memory_entity_keys");
                Sql::Term(format!("{key_of}({alias}.entities) OPERATOR(pg_catalog.{operator}) {keys}"))
            }
            // The condition demands nothing.
            Condition::Metadata(part) if part.json().bytes().filter(|byte| !byte.is_ascii_whitespace()).eq(*b"{}") => {
                Sql::Known(Some(true))
            }
            Condition::Metadata(part) => {
                let json = statement.bind(Param::text(part.json()));
                // A subquery of its own: otherwise a generic plan would parse the text again for every row.
                Sql::Term(format!("{alias}.metadata OPERATOR(pg_catalog.@>) (SELECT {json}::pg_catalog.jsonb)"))
            }
            Condition::MetadataPath(path) => {
                let variables = statement.bind(Param::text(path.variables()));
                let path = statement.bind(Param::text(path.path()));
                // Subqueries of their own: otherwise a generic plan would parse the texts again for every row.
                Sql::Term(format!(
                    "pg_catalog.jsonb_path_exists({alias}.metadata, (SELECT {path}::pg_catalog.jsonpath), \
                       (SELECT {variables}::pg_catalog.jsonb), true)"
                ))
            }
            Condition::MetadataTime(path, bounds) => {
                let path = statement.bind(Param::text(path.path()));
                let compared: Vec<String> = bounds
                    .iter()
                    .map(|(comparison, instants)| {
                        let instants = Param::NullableTimestamps(instants.iter().copied().map(Some).collect());
                        format!("t.instant {} ANY ({})", operator(*comparison), statement.bind(instants))
                    })
                    .collect();
                Sql::Term(filled(
                    METADATA_TIME,
                    &[("{alias}", alias), ("{path}", &path), ("{compared}", &compared.join(" AND "))],
                ))
            }
            // Any value that is not null.
            Condition::Like(column, pattern, _) if pattern.bytes().all(|byte| byte == b'%') && !pattern.is_empty() => {
                self.interpreted(statement, &Condition::HasText(*column))
            }
            Condition::HasText(TextColumn::RawEntry) if !self.store.is_adopted() => Sql::Known(Some(true)),
            Condition::Like(column, ..) if !self.has_column(*column) => Sql::Known(None),
            Condition::HasText(column) if !self.has_column(*column) => Sql::Known(Some(false)),
            Condition::Like(column, pattern, in_any_case) => {
                let pattern = statement.bind(Param::text(pattern.as_str()));
                let operator = if *in_any_case { "~~*" } else { "~~" };
                // The column's own collation may refuse patterns.
                Sql::Term(format!(
                    "{alias}.{}::pg_catalog.text COLLATE pg_catalog.\"default\" OPERATOR(pg_catalog.{operator}) {pattern}",
                    text_of_row(*column)
                ))
            }
            Condition::HasText(column) => Sql::Term(format!("{alias}.{} IS NOT NULL", text_of_row(*column))),
            Condition::Id(ids) => {
                // In any notation of the type; a text that cannot be an id names no entry.
                let ids: Vec<String> = ids.iter().filter_map(|id| self.store.ids.entry.value(id)).collect();
                if ids.is_empty() {
                    return Sql::Known(Some(false));
                }
                let ids = statement.bind(Param::Texts(ids));
                Sql::Term(format!("{alias}.entry_id::pg_catalog.text OPERATOR(pg_catalog.=) ANY ({ids})"))
            }
            // A condition that SQL cannot express is met by no row.
            Condition::Demands => Sql::Known(Some(false)),
            Condition::StandsAgain(when) => self.stands_again(statement, *when),
            Condition::HasItsEntry(when) => self.has_its_entry(statement, *when),
            Condition::All(parts) => self.all(statement, parts),
            Condition::Any(parts) => self.any(statement, parts),
            Condition::Not(part) => match self.interpreted(statement, part) {
                Sql::Known(value) => Sql::Known(value.map(|value| !value)),
                Sql::IsNull(column) => Sql::Term(format!("{column} IS NOT NULL")),
                other => Sql::Term(format!("NOT ({})", other.alone())),
            },
            Condition::IsTrue(part) => match self.interpreted(statement, part) {
                Sql::Known(value) => Sql::Known(Some(value == Some(true))),
                other => Sql::Term(format!("(({}) IS TRUE)", other.alone())),
            },
        }
    }

    fn all(&self, statement: &mut Statement, parts: &[Condition]) -> Sql {
        let mut terms = Vec::new();
        for part in parts {
            match self.interpreted(statement, part) {
                Sql::Known(Some(true)) => {}
                Sql::Known(Some(false)) => return Sql::Known(Some(false)),
                other => terms.push(other.beside_and()),
            }
        }
        if terms.is_empty() { Sql::Known(Some(true)) } else { Sql::Term(terms.join(" AND ")) }
    }

    fn any(&self, statement: &mut Statement, parts: &[Condition]) -> Sql {
        let mut terms = Vec::new();
        for part in parts {
            match self.interpreted(statement, part) {
                Sql::Known(Some(false)) => {}
                Sql::Known(Some(true)) => return Sql::Known(Some(true)),
                other => terms.push(other),
            }
        }
        match terms.len() {
            0 => Sql::Known(Some(false)),
            1 => terms.remove(0),
            // AND binds closer than OR.
            _ => Sql::Alternatives(terms.into_iter().map(Sql::alone).collect::<Vec<_>>().join(" OR ")),
        }
    }

    fn has(&self, field: TimeField) -> bool {
        match field {
            TimeField::Creation | TimeField::DeletionScheduled => true,
            TimeField::Expiry | TimeField::Superseded => self.relation != Relation::Contexts,
            TimeField::ValidFrom | TimeField::ValidUntil => self.relation == Relation::Entries,
        }
    }

    fn has_text(&self, field: TextField) -> bool {
        match field {
            TextField::EntryKey => !self.store.is_view,
            _ => true,
        }
    }

    fn has_column(&self, column: TextColumn) -> bool {
        column.field().is_none_or(|field| self.has_text(field))
    }

    fn number(&self, statement: &mut Statement, field: NumberField) -> String {
        match field {
            NumberField::Importance => format!("{}.importance::pg_catalog.float8", self.alias),
            NumberField::AccessCount => {
                let of_memory = self.same_memory(statement, "a");
                format!(
                    "COALESCE((SELECT a.access_count FROM {} a WHERE {of_memory} \
                     AND a.entry_id OPERATOR(pg_catalog.=) {}.entry_id), 0)::pg_catalog.float8",
                    self.store.relation("entry_access"),
                    self.alias
                )
            }
        }
    }

    fn stands_again(&self, statement: &mut Statement, when: When) -> Sql {
        if self.relation == Relation::Contexts {
            return Sql::Known(Some(true));
        }
        // A store's own column is a uuid; an adopted one may be a text, which need not be an id.
        let id = match (&self.store.kind, self.store.ids.entry) {
            (StoreKind::Own, _) => "k.id",
            (_, IdKind::Text) => "k.id::pg_catalog.text",
            (_, IdKind::Uuid) => {
                "CASE WHEN pg_catalog.pg_input_is_valid(k.id::pg_catalog.text, 'pg_catalog.uuid') \
                 THEN k.id::pg_catalog.text::pg_catalog.uuid END"
            }
            _ => {
                "CASE WHEN pg_catalog.pg_input_is_valid(k.id::pg_catalog.text, 'pg_catalog.int8') \
                 THEN k.id::pg_catalog.text::pg_catalog.int8 END"
            }
        };
        let of_memory = self.same_memory(statement, "f");
        let corrections = self.other_entries("f");
        let superseded_by = corrections.superseded_by(statement, when);
        let present = corrections.sql(statement, &visibility::present(when));
        Sql::Term(filled(
            STANDS_AGAIN,
            &[
                ("{alias}", self.alias),
                ("{superseded_by}", &superseded_by),
                ("{present}", &present),
                ("{entries}", &self.store.relation("entries")),
                ("{of_memory}", &of_memory),
                ("{the_correction}", &self.store.keyed("f", "entry_id", id, "")),
            ],
        ))
    }

    /// The entry is looked up by a subquery of one row: for an EXISTS the planner might read all entries at once. The
    /// contexts of the memory's entries are read once and hashed, at the first context whose entry is gone: all may be.
    fn has_its_entry(&self, statement: &mut Statement, when: When) -> Sql {
        if self.relation != Relation::Contexts || self.store.is_view {
            return Sql::Known(Some(true));
        }
        let of_memory = self.same_memory(statement, "i");
        let present = self.other_entries("i").and(statement, &visibility::present(when));
        let id = format!("{}.entry_id", self.alias);
        Sql::Term(filled(
            HAS_ITS_ENTRY,
            &[
                ("{alias}", self.alias),
                ("{entries}", &self.store.relation("entries")),
                ("{of_memory}", &of_memory),
                ("{the_entry}", &self.store.keyed("i", "entry_id", &id, &present)),
                ("{present}", &present),
            ],
        ))
    }

    fn other_entries(&self, alias: &'a str) -> Rows<'a> {
        Rows { alias, relation: Relation::Entries, ..*self }
    }

    /// The condition that other rows, which have the ids of entries, belong to the same memory.
    fn same_memory(&self, statement: &mut Statement, other: &str) -> String {
        match self.memory_id {
            Some(memory_id) => self.store.of_memory(statement, other, memory_id),
            None => format!("{other}.memory_id OPERATOR(pg_catalog.=) {}.memory_id", self.alias),
        }
    }
}

/// A condition as SQL.
enum Sql {
    /// The same value for every row.
    Known(Option<bool>),
    /// The column is null.
    IsNull(String),
    /// A term, which can be combined with AND.
    Term(String),
    /// Terms with OR between them.
    Alternatives(String),
}

impl Sql {
    fn beside_and(self) -> String {
        match self {
            Sql::Alternatives(text) => format!("({text})"),
            other => other.alone(),
        }
    }

    fn alone(self) -> String {
        match self {
            Sql::Known(Some(true)) => "true".to_owned(),
            Sql::Known(Some(false)) => "false".to_owned(),
            Sql::Known(None) => "NULL::pg_catalog.bool".to_owned(),
            Sql::IsNull(column) => format!("{column} IS NULL"),
            Sql::Term(text) | Sql::Alternatives(text) => text,
        }
    }
}

fn operator(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Less => "OPERATOR(pg_catalog.<)",
        Comparison::LessOrEqual => "OPERATOR(pg_catalog.<=)",
        Comparison::Equal => "OPERATOR(pg_catalog.=)",
        Comparison::GreaterOrEqual => "OPERATOR(pg_catalog.>=)",
        Comparison::Greater => "OPERATOR(pg_catalog.>)",
    }
}

/// The value by which entries `alias` are grouped, as SQL of type text.
pub fn group(statement: &mut Statement, alias: &str, key: &GroupKey) -> String {
    match key {
        GroupKey::Column(field) => format!("{alias}.{}::pg_catalog.text", text_column(*field)),
        GroupKey::Metadata(path) => {
            let path = statement.bind(Param::Texts(path.clone()));
            let text = format!("{alias}.metadata OPERATOR(pg_catalog.#>>) {path}");
            // 5 and 5.0 are the same number.
            format!(
                "CASE WHEN pg_catalog.jsonb_typeof({alias}.metadata OPERATOR(pg_catalog.#>) {path}) \
                   OPERATOR(pg_catalog.=) 'number' \
                 THEN pg_catalog.trim_scale(({text})::pg_catalog.numeric)::pg_catalog.text ELSE {text} END"
            )
        }
    }
}

fn text_column(field: TextField) -> &'static str {
    match field {
        TextField::UserId => "user_id",
        TextField::AgentId => "agent_id",
        TextField::SessionId => "session_id",
        TextField::SourceType => "source_type",
        TextField::EntryKey => "entry_key",
    }
}

fn text_of_row(column: TextColumn) -> &'static str {
    match column {
        TextColumn::UserId => "user_id",
        TextColumn::AgentId => "agent_id",
        TextColumn::SessionId => "session_id",
        TextColumn::SourceType => "source_type",
        TextColumn::EntryKey => "entry_key",
        TextColumn::RawEntry => "raw_entry",
        TextColumn::Summary => "summary",
    }
}

fn time_column(field: TimeField) -> &'static str {
    match field {
        TimeField::Creation => "creation_time",
        TimeField::DeletionScheduled => "deletion_scheduled_time",
        TimeField::Expiry => "expires_at",
        TimeField::Superseded => "superseded_time",
        TimeField::ValidFrom => "valid_from",
        TimeField::ValidUntil => "valid_until",
    }
}
