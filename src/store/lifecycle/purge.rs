//! Removes deleted and expired rows permanently.

use memory_search_core::Result;
use memory_search_core::filter::condition::Condition;
use memory_search_core::filter::visibility;
use memory_search_core::request::names::StoreName;
use memory_search_core::timestamp::Micros;

use crate::pg::clock;
use crate::pg::param::Param;
use crate::pg::progress::Progress;
use crate::pg::settings;
use crate::pg::spi::{self, Statement, Writer};
use crate::pg::sql_text::filled;
use crate::store::definition::{self, Store};
use crate::store::lifecycle::corrections_of_going::CorrectionsOfGoing;
use crate::store::links::LinksOfGoing;
use crate::store::predicate::{Rows, at_present};
use crate::store::statements::by_memory::{self, Part, Within};
use crate::store::statements::row_locks::{LockedChange, may_lock};

/// The rows of one DELETE: a cancel waits for one at most, and it takes few locks.
const BATCH_ROWS: u64 = 1_000;

/// Removes a batch; returns how many rows it found, and how many of them it removed.
const REMOVE_ROWS: &str = include_str!("purge/rows.sql");
/// Comes before the removal of entries, and returns how many it found, and which of them are free to go. A context that
/// one of the entries brought goes with it, by its foreign key, unless another entry says the same: then it is that
/// entry's from now on. Where somebody works on such a context, its entry is left for the next time, as locked rows are.
/// Contexts are found by the index of the entries that brought them, which alone has the order. The rows stay locked, so
/// that those found free are so for the statement after it: nobody can refer to one of them any more.
const FREE_ENTRIES: &str = include_str!("purge/free_entries.sql");
/// Removes a batch of contexts; returns the same numbers. Their texts go too where entries carry them: where a memory
/// has no context left, those on its entries would speak again. Where somebody works on such an entry, the context is
/// left for the next time; where the same was put down again, the entries keep it; entries that are about to go
/// themselves are left.
const REMOVE_CONTEXTS: &str = include_str!("purge/contexts.sql");
/// The condition that an entry `e`, which stays, carries the text of a context `t`.
const CARRIES: &str = include_str!("purge/carries.sql");
/// The contexts `c` of an entry `t`, in the order of the index of the entries that brought them.
const OF_ENTRY: &str = include_str!("purge/of_entry.sql");

/// Removes rows that were deleted or expired before the instant, at most `max_rows`; returns how
/// many entries and contexts were removed. Rows that another session has locked are left for the
/// next purge.
pub fn purge(store_name: &StoreName, before: Micros, max_rows: Option<u64>) -> Result<u64> {
    let store = spi::read(|reader| definition::store(reader, store_name))?;
    let deleted = visibility::deleted_before(before);
    let expired = visibility::expired_before(before, clock::transaction_start());
    // The contexts of an adopted table are the store's own; its entries are not.
    let of_entries = if store.is_adopted() { Vec::new() } else { vec![&deleted, &expired] };
    let hands_contexts_on = !store.is_view && may_lock(&store.relation("contexts"))?;
    let forgets_texts = !store.is_adopted() && may_lock(&store.relation("entries"))?;
    let deleted_or_expired = deleted.clone().or(expired.clone());
    let stays = deleted_or_expired.clone().is_not_true();
    let links = if store.is_adopted() { LinksOfGoing::none() } else { LinksOfGoing::of(&store)? };
    let contexts = Removal {
        store: &store,
        relation: "contexts",
        key: "context_id",
        template: if forgets_texts { REMOVE_CONTEXTS } else { REMOVE_ROWS },
        stays: &stays,
        links: &links,
    };
    let entries = Removal {
        relation: "entries",
        key: "entry_id",
        template: if hands_contexts_on { FREE_ENTRIES } else { REMOVE_ROWS },
        ..contexts
    };
    let passes: Vec<(&Removal<'_>, &Condition)> =
        [(&contexts, &deleted)].into_iter().chain(of_entries.iter().map(|goes| (&entries, *goes))).collect();
    let parts = by_memory::parts_now(&store, || passes.iter().map(|(removal, goes)| removal.rows(goes)).collect())?;
    let limit = max_rows.unwrap_or(u64::MAX);
    spi::write(|writer| {
        let mut progress = Progress::new("purged", None);
        for part in &parts {
            if !of_entries.is_empty() {
                let corrections = CorrectionsOfGoing { store: &store, part, goes: &deleted_or_expired };
                if corrections.is_any(writer, &of_entries)? {
                    corrections.lock(writer)?;
                    corrections.hand_on(writer)?;
                }
            }
            for (removal, goes) in &passes {
                removal.run(writer, part, goes, limit, &mut progress)?;
            }
            if progress.done() >= limit {
                break;
            }
        }
        Ok(progress.finish())
    })
}

/// The removal of rows of a relation.
#[derive(Clone, Copy)]
struct Removal<'a> {
    store: &'a Store,
    relation: &'a str,
    key: &'a str,
    template: &'a str,
    /// The entries that this purge does not remove.
    stays: &'a Condition,
    /// The links to remove with the entries.
    links: &'a LinksOfGoing,
}

impl Removal<'_> {
    /// The rows to remove.
    fn rows(&self, goes: &Condition) -> by_memory::Rows {
        let mut statement = Statement::default();
        let condition = self.condition(&mut statement, goes);
        by_memory::Rows { relation: self.store.relation(self.relation), statement, condition }
    }

    /// The condition for the rows to remove: it reads columns that entries and contexts share,
    /// except the time of expiry.
    fn condition(&self, statement: &mut Statement, goes: &Condition) -> String {
        match self.relation {
            "contexts" => Rows::contexts(self.store, "r"),
            _ => Rows::entries(self.store, "r"),
        }
        .sql(statement, goes)
    }

    /// Removes the rows of a part that match, batch by batch.
    fn run(
        &self,
        writer: &mut Writer<'_>,
        part: &Part,
        goes: &Condition,
        limit: u64,
        progress: &mut Progress,
    ) -> Result<()> {
        loop {
            let batch = BATCH_ROWS.min(limit.saturating_sub(progress.done()));
            if batch == 0 {
                return Ok(());
            }
            let (found, removed) = settings::without_sorting(|| self.remove(writer, part, goes, batch))?;
            progress.advance(removed.unsigned_abs());
            // The remaining rows of a batch are in use, and would be found again.
            if found.unsigned_abs() < batch || removed == 0 {
                return Ok(());
            }
        }
    }

    /// Removes one batch; returns how many rows it found, and how many of them it removed.
    fn remove(&self, writer: &mut Writer<'_>, part: &Part, goes: &Condition, batch: u64) -> Result<(i64, i64)> {
        let of_batch = self.of_batch(part, goes, batch);
        if self.template != FREE_ENTRIES {
            return of_batch.only(writer, |row| Ok((row.required_integer(1)?, row.required_integer(2)?)));
        }
        let (found, memories, ids) =
            of_batch.only(writer, |row| Ok((row.required_integer(1)?, row.texts(2), row.texts(3))))?;
        if ids.is_empty() {
            return Ok((found, 0));
        }
        let mut statement = Statement::default();
        let free = [memories, ids].map(|values| statement.bind(Param::Texts(values)));
        let those = format!(
            "SELECT t.memory_id, t.entry_id \
             FROM ROWS FROM (pg_catalog.unnest({}), pg_catalog.unnest({}::pg_catalog.uuid[])) t (memory_id, entry_id)",
            free[0], free[1]
        );
        let within = part.bind(&mut statement);
        let removal = self.removal(&those, &within);
        Ok((found, writer.only(&statement.with(removal), |row| row.required_integer(2))?))
    }

    /// The statement that removes rows, from a query of their keys.
    fn removal(&self, those: &str, within: &Within) -> String {
        let unlinked =
            if self.relation == "entries" { self.links.removed_with("those", within) } else { String::new() };
        filled(
            REMOVE_ROWS,
            &[
                ("{those}", those),
                ("{unlinked}", &unlinked),
                ("{relation}", &self.store.relation(self.relation)),
                ("{key}", self.key),
                ("{in_r}", &within.and("r")),
            ],
        )
    }

    /// The change of one batch.
    fn of_batch(&self, part: &Part, goes: &Condition, batch: u64) -> LockedChange {
        let store = self.store;
        let mut statement = Statement::default();
        let rows = statement.bind(Param::Integer(Some(batch as i64)));
        let goes = self.condition(&mut statement, goes);
        let entry_stays = match self.template {
            REMOVE_CONTEXTS => Rows::entries(store, "e").and(&mut statement, self.stays),
            _ => String::new(),
        };
        let is_deleted = Rows::entries(store, "o").sql(&mut statement, &visibility::deleted(at_present()));
        let is_not_deleted = Rows::contexts(store, "o").and(&mut statement, &visibility::not_deleted(at_present()));
        let within = part.bind(&mut statement);
        let (entries, contexts) = (store.relation("entries"), store.relation("contexts"));
        let relation = store.relation(self.relation);
        let [in_r, in_e, in_c, in_o] = ["r", "e", "c", "o"].map(|alias| within.and(alias));
        let those = |columns: &str| {
            format!("SELECT {columns} FROM {relation} r WHERE {goes}{in_r} LIMIT {rows} FOR UPDATE SKIP LOCKED")
        };
        let keys = those(&format!("r.memory_id, r.{}", self.key));
        let locked = those("");
        if self.template == REMOVE_ROWS {
            return LockedChange::of_free_rows(statement, &locked, self.removal(&keys, &within));
        }
        let carries = filled(CARRIES, &[("{in_e}", &in_e), ("{entry_stays}", &entry_stays)]);
        let change = filled(
            self.template,
            &[
                ("{those}", &keys),
                ("{carries}", &carries),
                ("{of_entry}", &filled(OF_ENTRY, &[("{in_c}", &in_c)])),
                ("{entries}", &entries),
                ("{contexts}", &contexts),
                ("{goes}", &goes),
                ("{rows}", &rows),
                ("{is_deleted}", &is_deleted),
                ("{is_not_deleted}", &is_not_deleted),
                ("{in_r}", &in_r),
                ("{in_e}", &in_e),
                ("{in_c}", &in_c),
                ("{in_o}", &in_o),
            ],
        );
        LockedChange::of_free_rows(statement, &locked, change)
    }
}
