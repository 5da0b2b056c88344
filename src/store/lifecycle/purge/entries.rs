//! Removes a batch of entries permanently. An entry goes with its links, its access counts and the contexts that it
//! brought. While another session has locked one of these rows, or the entry itself, or the entry that gets one of its
//! contexts, it is left for the next purge. So a purge does not wait while it holds locks; docs/operations.md has the
//! exceptions.

use std::collections::HashSet;

use memory_search_core::Result;
use memory_search_core::filter::condition::Condition;
use memory_search_core::filter::visibility;

use super::batch::Batch;
use crate::pg::identifier::QualifiedName;
use crate::pg::param::Param;
use crate::pg::snapshot;
use crate::pg::spi::{self, Statement, Writer};
use crate::pg::sql_text::filled;
use crate::store::definition::Store;
use crate::store::lifecycle::corrections_of_going::CorrectionsOfGoing;
use crate::store::lifecycle::entry_keys::EntryKeys;
use crate::store::links::LinksOfGoing;
use crate::store::predicate::{Rows, at_present};
use crate::store::statements::by_memory::Part;
use crate::store::statements::row_locks::may_lock_each;

/// Locks the links of entries, and returns the entries of which it has locked all.
const LINKS_IN_USE: &str = include_str!("links_in_use.sql");
/// The same for access counts.
const COUNTS_IN_USE: &str = include_str!("counts_in_use.sql");
/// Locks the contexts that entries brought, and returns those that no other session has locked. The next statement sees
/// the entries of all sessions that had locked one of these before, because they rely on it.
const CONTEXTS_HELD: &str = include_str!("contexts_held.sql");
/// Returns the entries whose contexts are all locked so. If another entry has the same context, the context will belong to
/// that entry, which is locked too: returned is a row for each such context. FOR KEY SHARE would lock the version of the
/// snapshot although a later one has another context; FOR SHARE tests the conditions on the newest version. Contexts are
/// found by the index of the entries that brought them, which alone has the order. The other entries are read once for
/// the whole batch, because no index finds them by their context. Their texts are an array first: the planner expects few
/// elements of an array, and hashes them.
const CONTEXTS_IN_USE: &str = include_str!("contexts_in_use.sql");
/// Those of some entries whose contexts an entry has that does not go. In a transaction that keeps its snapshot, another
/// session may have added it since.
const CARRIED_SINCE: &str = include_str!("carried_since.sql");
/// The contexts `c` of an entry `t`, in the order of that index.
const OF_ENTRY: &str = include_str!("of_entry.sql");
/// Gives contexts to other entries.
const HANDED_ON: &str = include_str!("handed_on.sql");
/// Removes the entries that are still due: a user's trigger on the contexts may have restored some.
const REMOVE: &str = include_str!("entries.sql");

/// The removal of a store's entries.
pub struct EntryRemoval<'a> {
    store: &'a Store,
    links: &'a LinksOfGoing,
    /// The tables whose rows are locked with the entries, each with the statement that locks them. Rows of the other
    /// tables are removed by their foreign key, which waits for sessions that have locked them.
    locked_with: Vec<(QualifiedName, &'static str)>,
    hands_corrections_on: bool,
    hands_contexts_on: bool,
}

/// The locked entries of a batch.
struct Locked {
    /// How many were found.
    found: i64,
    batch: EntryKeys,
    /// Those of the batch that are themselves corrected.
    corrected: EntryKeys,
}

/// The most entries of a pass that are passed over: each batch compares with all of them.
const MOST_PASSED_OVER: usize = 10_000;

impl<'a> EntryRemoval<'a> {
    /// `hands_corrections_on` and `hands_contexts_on` say whether the caller may give corrections and contexts to other
    /// entries. A role that may remove entries but not change them still removes them.
    pub fn new(
        store: &'a Store,
        links: &'a LinksOfGoing,
        hands_corrections_on: bool,
        hands_contexts_on: bool,
    ) -> Result<Self> {
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
        Ok(EntryRemoval { store, links, locked_with, hands_corrections_on, hands_contexts_on })
    }

    /// Removes at most `rows` entries of a part that meet a condition, and adds those that it has to leave to
    /// `passed_over`, so that the next batch of the pass reaches those behind them.
    pub fn remove(
        &self,
        writer: &mut Writer<'_>,
        corrections: &CorrectionsOfGoing<'_>,
        goes: &Condition,
        rows: u64,
        passed_over: &mut EntryKeys,
    ) -> Result<Batch> {
        let part = corrections.part;
        let Locked { found, batch, corrected } = self.lock(writer, part, goes, rows, passed_over)?;
        if batch.is_empty() {
            return Ok(Batch { found, removed: 0, is_stuck: false });
        }
        let mut free = self.free(writer, part, &batch)?;
        // Only the corrections of entries that this batch removes are handed on: the others may be restored.
        let going = corrected.among(&free);
        if !going.is_empty() {
            let mut needed = EntryKeys::default();
            if self.hands_corrections_on {
                needed = corrections.hand_on_free(writer, &going)?;
            }
            needed.add_but(&corrections.still_needed(&going)?, &EntryKeys::default());
            free = free.but(&needed);
        }
        let removed = self.remove_free(writer, part, goes, &free)?;
        if removed.unsigned_abs() as usize != free.len() {
            // A user's trigger kept some of them: all of the batch is passed over.
            free = EntryKeys::default();
        }
        passed_over.add_but(&batch, &free);
        Ok(Batch { found, removed, is_stuck: passed_over.len() > MOST_PASSED_OVER })
    }

    /// Those of some locked entries of which no other session has locked the rows that go with them.
    fn free(&self, writer: &mut Writer<'_>, part: &Part, batch: &EntryKeys) -> Result<EntryKeys> {
        let mut locked = batch.clone();
        for (relation, template) in &self.locked_with {
            let mut statement = Statement::default();
            let those = locked.query(&mut statement);
            let in_l = part.bind(&mut statement).and("l");
            let marks: [(&str, &str); 3] = [("{those}", &those), ("{relation}", relation), ("{in_l}", &in_l)];
            let statement = statement.with(filled(template, &marks));
            let (memories, ids) = writer.only(&statement, |row| Ok((row.texts(1), row.texts(2))))?;
            locked = EntryKeys { memories, ids };
        }
        match self.hands_contexts_on && !locked.is_empty() {
            true => self.hand_contexts_on(writer, part, &locked),
            false => Ok(locked),
        }
    }

    /// Removes entries, and returns how many of them.
    fn remove_free(&self, writer: &mut Writer<'_>, part: &Part, goes: &Condition, free: &EntryKeys) -> Result<i64> {
        if free.is_empty() {
            return Ok(0);
        }
        let mut statement = Statement::default();
        let those = free.query(&mut statement);
        let goes = Rows::entries(self.store, "r").sql(&mut statement, goes);
        let within = part.bind(&mut statement);
        let marks: [(&str, &str); 5] = [
            ("{those}", &those),
            ("{goes}", &goes),
            ("{unlinked}", &self.links.removed_with("those", &within)),
            ("{entries}", &self.store.relation("entries")),
            ("{in_r}", &within.and("r")),
        ];
        writer.only(&statement.with(filled(REMOVE, &marks)), |row| row.required_integer(1))
    }

    /// Locks a batch of entries that are not passed over.
    fn lock(
        &self,
        writer: &mut Writer<'_>,
        part: &Part,
        goes: &Condition,
        rows: u64,
        passed_over: &EntryKeys,
    ) -> Result<Locked> {
        let mut statement = Statement::default();
        let rows = statement.bind(Param::Integer(Some(rows as i64)));
        let goes = Rows::entries(self.store, "r").sql(&mut statement, goes);
        let in_part = part.bind(&mut statement).and("r");
        let entries = self.store.relation("entries");
        let others = match passed_over.is_empty() {
            true => String::new(),
            false => format!(
                " AND NOT EXISTS (SELECT FROM ({}) t \
                 WHERE (t.memory_id, t.entry_id) OPERATOR(pg_catalog.=) (r.memory_id, r.entry_id))",
                passed_over.query(&mut statement)
            ),
        };
        let keys = format!(
            "SELECT pg_catalog.count(*), pg_catalog.array_agg(t.memory_id::pg_catalog.text), \
             pg_catalog.array_agg(t.entry_id::pg_catalog.text), \
             pg_catalog.array_agg(t.memory_id::pg_catalog.text) FILTER (WHERE t.superseded_by IS NOT NULL), \
             pg_catalog.array_agg(t.entry_id::pg_catalog.text) FILTER (WHERE t.superseded_by IS NOT NULL) \
             FROM (SELECT r.memory_id, r.entry_id, r.superseded_by FROM {entries} r \
             WHERE {goes}{in_part}{others} LIMIT {rows} FOR UPDATE SKIP LOCKED) t"
        );
        writer.only(&statement.with(keys), |row| {
            Ok(Locked {
                found: row.required_integer(1)?,
                batch: EntryKeys { memories: row.texts(2), ids: row.texts(3) },
                corrected: EntryKeys { memories: row.texts(4), ids: row.texts(5) },
            })
        })
    }

    /// Gives the contexts of entries to others that have the same; returns the entries of which no context is in use.
    fn hand_contexts_on(&self, writer: &mut Writer<'_>, part: &Part, locked: &EntryKeys) -> Result<EntryKeys> {
        let (entries, contexts) = (self.store.relation("entries"), self.store.relation("contexts"));
        let mut statement = Statement::default();
        let those = locked.query(&mut statement);
        let within = part.bind(&mut statement);
        let of_entry = filled(OF_ENTRY, &[("{in_c}", &within.and("c"))]);
        let marks: [(&str, &str); 3] = [("{those}", &those), ("{of_entry}", &of_entry), ("{contexts}", &contexts)];
        let held = writer.only(&statement.with(filled(CONTEXTS_HELD, &marks)), |row| Ok(row.texts(1)))?;
        let mut statement = Statement::default();
        let those = locked.query(&mut statement);
        let is_deleted = Rows::entries(self.store, "o").sql(&mut statement, &visibility::deleted(at_present()));
        let within = part.bind(&mut statement);
        let held = statement.bind(Param::Texts(held));
        let marks: [(&str, &str); 7] = [
            ("{those}", &those),
            ("{of_entry}", &filled(OF_ENTRY, &[("{in_c}", &within.and("c"))])),
            ("{held}", &held),
            ("{entries}", &entries),
            ("{contexts}", &contexts),
            ("{is_deleted}", &is_deleted),
            ("{in_o}", &within.and("o")),
        ];
        let statement = statement.with(filled(CONTEXTS_IN_USE, &marks));
        let (mut free, mut without_next) = (EntryKeys::default(), EntryKeys::default());
        let (mut memories, mut given, mut to) = (Vec::new(), Vec::new(), Vec::new());
        // A row for each context, and an entry may have several.
        let mut seen = HashSet::new();
        writer.returning(&statement, |row| {
            let (memory, entry) = (row.required_text(1)?, row.required_text(2)?);
            match (row.text(3)?, row.text(4)?) {
                (Some(context), Some(next)) => {
                    memories.push(memory.clone());
                    given.push(context);
                    to.push(next);
                }
                (Some(_), None) => {
                    without_next.memories.push(memory.clone());
                    without_next.ids.push(entry.clone());
                }
                (None, _) => {}
            }
            if seen.insert((memory.clone(), entry.clone())) {
                free.memories.push(memory);
                free.ids.push(entry);
            }
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
        if without_next.is_empty() || snapshot::level_that_keeps_one().is_none() {
            return Ok(free);
        }
        let carried = self.carried_since(part, &without_next, locked)?;
        Ok(free.but(&carried))
    }

    /// Those of the entries `without_next` whose context an entry carries that is not among `going`, by the newest
    /// snapshot.
    fn carried_since(&self, part: &Part, without_next: &EntryKeys, going: &EntryKeys) -> Result<EntryKeys> {
        let mut statement = Statement::default();
        let (those, going) = (without_next.query(&mut statement), going.query(&mut statement));
        let within = part.bind(&mut statement);
        let marks: [(&str, &str); 6] = [
            ("{those}", &those),
            ("{going}", &going),
            ("{entries}", &self.store.relation("entries")),
            ("{contexts}", &self.store.relation("contexts")),
            ("{in_o}", &within.and("o")),
            ("{in_c}", &within.and("c")),
        ];
        let statement = statement.with(filled(CARRIED_SINCE, &marks));
        spi::read_newest(|reader| {
            reader.only(&statement, |row| Ok(EntryKeys { memories: row.texts(1), ids: row.texts(2) }))
        })
    }
}
