//! Removes for good what was deleted or has expired.

use memory_search_core::Result;
use memory_search_core::filter::condition::Condition;
use memory_search_core::filter::visibility;
use memory_search_core::request::names::StoreName;
use memory_search_core::timestamp::Micros;

use crate::pg::clock;
use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition::{self, Store};
use crate::store::predicate::{Rows, at_present};
use crate::store::progress::Progress;
use crate::store::row_locks::{LockedChange, may_lock};
use crate::store::succession::hand_corrections_on;

/// Rows of one DELETE: a cancel waits for one at most, and its locks are few.
const BATCH_ROWS: u64 = 1_000;

/// What removes a batch; each gives how many rows it found, and how many of them it removed.
const REMOVE_ROWS: &str = include_str!("purge/rows.sql");
const REMOVE_ENTRIES: &str = include_str!("purge/entries.sql");
const REMOVE_CONTEXTS: &str = include_str!("purge/contexts.sql");

/// Removes what was deleted or expired before the instant, at most `max_rows` of it; gives how many
/// entries and contexts went. Rows that another session has locked are left for the next time.
pub fn purge(store_name: &StoreName, before: Micros, max_rows: Option<u64>) -> Result<u64> {
    let store = spi::read(|reader| definition::store(reader, store_name))?;
    let deleted = visibility::deleted_before(before);
    let expired = visibility::expired_before(before, clock::transaction_start());
    // The contexts of an adopted table are the store's own; its entries are not.
    let of_entries = if store.is_adopted() { Vec::new() } else { vec![&deleted, &expired] };
    let hands_contexts_on = store.contexts_name_entries && may_lock(&store.relation("contexts"))?;
    let forgets_texts = !store.is_adopted() && may_lock(&store.relation("entries"))?;
    let stays = deleted.clone().or(expired.clone()).is_not_true();
    let limit = max_rows.unwrap_or(u64::MAX);
    spi::write(|writer| {
        let mut progress = Progress::new("purged", None);
        for goes in &of_entries {
            hand_corrections_on(writer, &store, goes)?;
        }
        let contexts = Removal {
            store: &store,
            relation: "contexts",
            key: "context_id",
            template: if forgets_texts { REMOVE_CONTEXTS } else { REMOVE_ROWS },
            stays: &stays,
        };
        let entries = Removal {
            relation: "entries",
            key: "entry_id",
            template: if hands_contexts_on { REMOVE_ENTRIES } else { REMOVE_ROWS },
            ..contexts
        };
        let passes = [(&contexts, &deleted)].into_iter().chain(of_entries.iter().map(|goes| (&entries, *goes)));
        for (removal, goes) in passes {
            loop {
                let batch = BATCH_ROWS.min(limit.saturating_sub(progress.done()));
                if batch == 0 {
                    return Ok(progress.finish());
                }
                let (found, removed) = removal
                    .of_batch(goes, batch)
                    .only(writer, |row| Ok((row.required_integer(1)?, row.required_integer(2)?)))?;
                progress.advance(removed.unsigned_abs());
                // What is left of a batch is in use, and would be found again.
                if found.unsigned_abs() < batch || removed == 0 {
                    break;
                }
            }
        }
        Ok(progress.finish())
    })
}

/// How rows of a relation are removed.
#[derive(Clone, Copy)]
struct Removal<'a> {
    store: &'a Store,
    relation: &'a str,
    key: &'a str,
    template: &'a str,
    /// Entries that this purge does not remove.
    stays: &'a Condition,
}

impl Removal<'_> {
    /// What removes a batch of those that go.
    fn of_batch(&self, goes: &Condition, batch: u64) -> LockedChange {
        let store = self.store;
        let mut statement = Statement::default();
        let rows = statement.bind(Param::Integer(Some(batch as i64)));
        // What goes is said by columns that entries and contexts share, but for the time of expiry.
        let goes = match self.relation {
            "contexts" => Rows::contexts(store, "r"),
            _ => Rows::entries(store, "r"),
        }
        .sql(&mut statement, goes);
        let entry_stays = match self.template {
            REMOVE_CONTEXTS => Rows::entries(store, "e").and(&mut statement, self.stays),
            _ => String::new(),
        };
        let is_deleted = Rows::entries(store, "o").sql(&mut statement, &visibility::deleted(at_present()));
        let is_not_deleted = Rows::contexts(store, "o").and(&mut statement, &visibility::not_deleted(at_present()));
        let relation = store.relation(self.relation);
        let locked = format!("SELECT FROM {relation} r WHERE {goes} LIMIT {rows} FOR UPDATE SKIP LOCKED");
        let change = filled(
            self.template,
            &[
                ("{relation}", &relation),
                ("{entries}", &store.relation("entries")),
                ("{contexts}", &store.relation("contexts")),
                ("{key}", self.key),
                ("{goes}", &goes),
                ("{rows}", &rows),
                ("{is_deleted}", &is_deleted),
                ("{is_not_deleted}", &is_not_deleted),
                ("{entry_stays}", &entry_stays),
            ],
        );
        LockedChange::new(statement, &locked, change)
    }
}
