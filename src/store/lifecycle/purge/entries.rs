//! Removes a batch of entries permanently. An entry goes with its links, its access counts and the contexts that it
//! brought. While another session has locked one of these rows, or the entry itself, or the entry that gets one of its
//! contexts, it is left for the next purge. So a purge never waits while it holds locks, and has no part in a deadlock.

use memory_search_core::Result;
use memory_search_core::filter::condition::Condition;
use memory_search_core::filter::visibility;

use crate::pg::identifier::QualifiedName;
use crate::pg::param::Param;
use crate::pg::spi::{Statement, Writer};
use crate::pg::sql_text::filled;
use crate::store::definition::Store;
use crate::store::links::LinksOfGoing;
use crate::store::predicate::{Rows, at_present};
use crate::store::statements::by_memory::Part;
use crate::store::statements::row_locks::{LockedChange, may_lock_each};

/// Locks the links of entries, and returns the entries of which it has locked all.
const LINKS_IN_USE: &str = include_str!("links_in_use.sql");
/// The same for access counts.
const COUNTS_IN_USE: &str = include_str!("counts_in_use.sql");
/// The same for the contexts that the entries brought. If another entry has the same context, the context will belong to
/// that entry, which is locked too: returned is a row for each such context. Contexts are found by the index of the
/// entries that brought them, which alone has the order.
const CONTEXTS_IN_USE: &str = include_str!("contexts_in_use.sql");
/// The contexts `c` of an entry `t`, in the order of that index.
const OF_ENTRY: &str = include_str!("of_entry.sql");
/// Gives contexts to other entries.
const HANDED_ON: &str = include_str!("handed_on.sql");
/// Removes those of the entries that are still to go: a user's trigger on the contexts may have restored some.
const REMOVE: &str = include_str!("entries.sql");

/// The removal of a store's entries.
pub struct EntryRemoval<'a> {
    store: &'a Store,
    links: &'a LinksOfGoing,
    /// The tables whose rows are locked with the entries, each with the statement that locks them. Rows of the others go
    /// by their foreign key, which waits for whoever has locked them.
    locked_with: Vec<(QualifiedName, &'static str)>,
    hands_contexts_on: bool,
}

/// Entries that this session has locked.
#[derive(Default)]
struct Locked {
    memories: Vec<String>,
    ids: Vec<String>,
}

impl Locked {
    /// A query for their keys.
    fn keys(&self, statement: &mut Statement) -> String {
        let [memories, ids] = [&self.memories, &self.ids].map(|values| statement.bind(Param::Texts(values.clone())));
        format!(
            "SELECT t.memory_id, t.entry_id FROM ROWS FROM (pg_catalog.unnest({memories}), \
             pg_catalog.unnest({ids}::pg_catalog.uuid[])) t (memory_id, entry_id)"
        )
    }
}

impl<'a> EntryRemoval<'a> {
    /// `hands_contexts_on` says whether the caller may give contexts to other entries.
    pub fn new(store: &'a Store, links: &'a LinksOfGoing, hands_contexts_on: bool) -> Result<Self> {
        let mut locked_with = Vec::new();
        for (relation, statement) in
            [(links.table().cloned(), LINKS_IN_USE), (Some(store.relation("entry_access")), COUNTS_IN_USE)]
        {
            if let Some(relation) = relation
                && may_lock_each(&relation)?
            {
                locked_with.push((relation, statement));
            }
        }
        Ok(EntryRemoval { store, links, locked_with, hands_contexts_on })
    }

    /// Removes at most `batch` entries of a part that meet a condition; returns how many it found that no other session
    /// has locked, and how many of them it removed.
    pub fn remove(&self, writer: &mut Writer<'_>, part: &Part, goes: &Condition, batch: u64) -> Result<(i64, i64)> {
        let (found, mut locked) = self.lock(writer, part, goes, batch)?;
        if locked.ids.is_empty() {
            return Ok((found, 0));
        }
        for (relation, template) in &self.locked_with {
            let mut statement = Statement::default();
            let those = locked.keys(&mut statement);
            let in_l = part.bind(&mut statement).and("l");
            let marks: [(&str, &str); 3] = [("{those}", &those), ("{relation}", relation), ("{in_l}", &in_l)];
            let statement = statement.with(filled(template, &marks));
            let (memories, ids) = writer.only(&statement, |row| Ok((row.texts(1), row.texts(2))))?;
            locked = Locked { memories, ids };
        }
        if self.hands_contexts_on {
            locked = self.hand_contexts_on(writer, part, &locked)?;
        }
        if locked.ids.is_empty() {
            return Ok((found, 0));
        }
        let mut statement = Statement::default();
        let those = locked.keys(&mut statement);
        let goes = Rows::entries(self.store, "r").sql(&mut statement, goes);
        let within = part.bind(&mut statement);
        let marks: [(&str, &str); 5] = [
            ("{those}", &those),
            ("{goes}", &goes),
            ("{unlinked}", &self.links.removed_with("those", &within)),
            ("{entries}", &self.store.relation("entries")),
            ("{in_r}", &within.and("r")),
        ];
        Ok((found, writer.only(&statement.with(filled(REMOVE, &marks)), |row| row.required_integer(1))?))
    }

    /// Locks a batch.
    fn lock(&self, writer: &mut Writer<'_>, part: &Part, goes: &Condition, batch: u64) -> Result<(i64, Locked)> {
        let mut statement = Statement::default();
        let rows = statement.bind(Param::Integer(Some(batch as i64)));
        let goes = Rows::entries(self.store, "r").sql(&mut statement, goes);
        let in_part = part.bind(&mut statement).and("r");
        let entries = self.store.relation("entries");
        let free = |columns: &str| {
            format!("SELECT {columns} FROM {entries} r WHERE {goes}{in_part} LIMIT {rows} FOR UPDATE SKIP LOCKED")
        };
        let keys = format!(
            "SELECT pg_catalog.count(*), pg_catalog.array_agg(t.memory_id::pg_catalog.text), \
             pg_catalog.array_agg(t.entry_id::pg_catalog.text) FROM ({}) t",
            free("r.memory_id, r.entry_id")
        );
        LockedChange::of_free_rows(statement, &free(""), keys)
            .only(writer, |row| Ok((row.required_integer(1)?, Locked { memories: row.texts(2), ids: row.texts(3) })))
    }

    /// Gives the contexts of entries to others that have the same; returns the entries of which no context is in use.
    fn hand_contexts_on(&self, writer: &mut Writer<'_>, part: &Part, locked: &Locked) -> Result<Locked> {
        let mut statement = Statement::default();
        let those = locked.keys(&mut statement);
        let is_deleted = Rows::entries(self.store, "o").sql(&mut statement, &visibility::deleted(at_present()));
        let within = part.bind(&mut statement);
        let (entries, contexts) = (self.store.relation("entries"), self.store.relation("contexts"));
        let marks: [(&str, &str); 6] = [
            ("{those}", &those),
            ("{of_entry}", &filled(OF_ENTRY, &[("{in_c}", &within.and("c"))])),
            ("{entries}", &entries),
            ("{contexts}", &contexts),
            ("{is_deleted}", &is_deleted),
            ("{in_o}", &within.and("o")),
        ];
        let statement = statement.with(filled(CONTEXTS_IN_USE, &marks));
        let mut free = Locked::default();
        let (mut memories, mut given, mut to) = (Vec::new(), Vec::new(), Vec::new());
        writer.returning(&statement, |row| {
            let memory = row.required_text(1)?;
            if let (Some(context), Some(next)) = (row.text(3)?, row.text(4)?) {
                memories.push(memory.clone());
                given.push(context);
                to.push(next);
            }
            free.memories.push(memory);
            free.ids.push(row.required_text(2)?);
            Ok(())
        })?;
        if !given.is_empty() {
            let mut statement = Statement::default();
            let [memories, given, to] = [memories, given, to].map(|values| statement.bind(Param::Texts(values)));
            let in_c = part.bind(&mut statement).and("c");
            let marks: [(&str, &str); 5] = [
                ("{contexts}", &contexts),
                ("{memories}", &memories),
                ("{given}", &given),
                ("{to}", &to),
                ("{in_c}", &in_c),
            ];
            writer.execute(&statement.with(filled(HANDED_ON, &marks)))?;
        }
        Ok(free)
    }
}
