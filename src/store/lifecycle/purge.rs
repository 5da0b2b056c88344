//! Removes deleted and expired rows permanently.

use memory_search_core::Result;
use memory_search_core::filter::condition::Condition;
use memory_search_core::filter::visibility;
use memory_search_core::request::names::StoreName;
use memory_search_core::timestamp::Micros;

use crate::pg::clock;
use crate::pg::identifier::QualifiedName;
use crate::pg::param::Param;
use crate::pg::progress::Progress;
use crate::pg::settings;
use crate::pg::spi::{self, Statement, Writer};
use crate::pg::sql_text::filled;
use crate::store::definition::{self, Store};
use crate::store::lifecycle::corrections_of_going::CorrectionsOfGoing;
use crate::store::lifecycle::entry_keys::EntryKeys;
use crate::store::links::LinksOfGoing;
use crate::store::predicate::Rows;
use crate::store::statements::by_memory::{self, Part};
use crate::store::statements::row_locks::{LockedChange, may_change, may_lock};

mod batch;
mod entries;

use batch::Batch;
use entries::EntryRemoval;

/// The rows of one DELETE: a cancel waits for one at most, and it takes few locks.
const BATCH_ROWS: u64 = 1_000;

/// Removes a batch of contexts; returns how many it found, and how many of them it removed.
const CONTEXTS_ALONE: &str = include_str!("purge/contexts_alone.sql");
/// Removes contexts in the same way, for a caller who may change entries. Entries lose the same texts, too: if a memory
/// has no context left, the contexts on its entries would be shown again. While another session has locked such an
/// entry, the context is left for the next purge; if the same context was stored again, the entries keep it, also if that
/// one is deleted but stays; entries that are about to be removed are left. Such entries belong to the same user, or to one who has no such context: they
/// have changed their user since.
const CONTEXTS: &str = include_str!("purge/contexts.sql");

/// Removes rows that were deleted or expired before the instant, at most `max_rows`; returns how
/// many entries and contexts were removed. Rows that another session has locked are left for the
/// next purge.
pub fn purge(store_name: &StoreName, before: Micros, max_rows: Option<u64>) -> Result<u64> {
    let store = spi::read(|reader| definition::store(reader, store_name))?;
    let deleted = visibility::deleted_before(before);
    let expired = visibility::expired_before(before, clock::transaction_start());
    // The contexts of an adopted table are the store's own; its entries are not.
    let of_entries = if store.is_adopted() { Vec::new() } else { vec![&deleted, &expired] };
    let hands_contexts_on = !store.is_view && may_change(&store.relation("contexts"), "entry_id")?;
    let forgets_texts = !store.is_adopted() && may_lock(&store.relation("entries"))?;
    let deleted_or_expired = deleted.clone().or(expired.clone());
    let stays = deleted_or_expired.clone().is_not_true();
    let links = if store.is_adopted() { LinksOfGoing::none() } else { LinksOfGoing::of(&store)? };
    let contexts = ContextRemoval { store: &store, forgets_texts, stays: &stays };
    let entries = EntryRemoval::new(&store, &links, forgets_texts, hands_contexts_on)?;
    let parts = by_memory::parts_now(&store, || {
        let mut rows = vec![going(Rows::contexts(&store, "r"), store.relation("contexts"), &deleted)];
        rows.extend(of_entries.iter().map(|goes| going(Rows::entries(&store, "r"), store.relation("entries"), goes)));
        rows
    })?;
    let limit = max_rows.unwrap_or(u64::MAX);
    spi::write(|writer| {
        let mut progress = Progress::new("purged", None);
        for part in &parts {
            let corrections = CorrectionsOfGoing { store: &store, part, goes: &deleted_or_expired };
            by_batches(limit, &mut progress, |rows| contexts.remove(writer, part, &deleted, rows))?;
            for goes in &of_entries {
                let mut passed_over = EntryKeys::default();
                by_batches(limit, &mut progress, |rows| {
                    entries.remove(writer, &corrections, goes, rows, &mut passed_over)
                })?;
            }
            if progress.done() >= limit {
                break;
            }
        }
        Ok(progress.finish())
    })
}

/// The rows of a relation that go.
fn going(rows: Rows<'_>, relation: QualifiedName, goes: &Condition) -> by_memory::Rows {
    let mut statement = Statement::default();
    let condition = rows.sql(&mut statement, goes);
    by_memory::Rows { relation, statement, condition }
}

/// Removes rows batch by batch; `remove` gets how many at most.
fn by_batches(limit: u64, progress: &mut Progress, mut remove: impl FnMut(u64) -> Result<Batch>) -> Result<()> {
    loop {
        let rows = BATCH_ROWS.min(limit.saturating_sub(progress.done()));
        if rows == 0 {
            return Ok(());
        }
        let batch = settings::without_sorting(|| remove(rows))?;
        progress.advance(batch.removed.unsigned_abs());
        if batch.found.unsigned_abs() < rows || batch.is_stuck {
            return Ok(());
        }
    }
}

/// The removal of a store's contexts.
struct ContextRemoval<'a> {
    store: &'a Store,
    /// Whether the texts of the contexts are removed from entries too.
    forgets_texts: bool,
    /// The entries that this purge does not remove.
    stays: &'a Condition,
}

impl ContextRemoval<'_> {
    /// Removes at most `rows` contexts.
    fn remove(&self, writer: &mut Writer<'_>, part: &Part, condition: &Condition, rows: u64) -> Result<Batch> {
        let store = self.store;
        let mut statement = Statement::default();
        let rows = statement.bind(Param::Integer(Some(rows as i64)));
        let goes = Rows::contexts(store, "r").sql(&mut statement, condition);
        let entry_stays = match self.forgets_texts {
            true => Rows::entries(store, "e").and(&mut statement, self.stays),
            false => String::new(),
        };
        let is_not_due = Rows::contexts(store, "o").and(&mut statement, &condition.clone().is_not_true());
        let within = part.bind(&mut statement);
        let contexts = store.relation("contexts");
        let [in_r, in_e, in_o] = ["r", "e", "o"].map(|alias| within.and(alias));
        let free = |columns: &str| {
            format!("SELECT {columns} FROM {contexts} r WHERE {goes}{in_r} LIMIT {rows} FOR UPDATE SKIP LOCKED")
        };
        let change = filled(
            if self.forgets_texts { CONTEXTS } else { CONTEXTS_ALONE },
            &[
                ("{those}", &free("r.memory_id, r.context_id")),
                ("{entry_stays}", &entry_stays),
                ("{entries}", &store.relation("entries")),
                ("{contexts}", &contexts),
                ("{goes}", &goes),
                ("{rows}", &rows),
                ("{is_not_due}", &is_not_due),
                ("{in_r}", &in_r),
                ("{in_e}", &in_e),
                ("{in_o}", &in_o),
            ],
        );
        LockedChange::of_free_rows(statement, &free(""), change).only(writer, |row| {
            let (found, removed) = (row.required_integer(1)?, row.required_integer(2)?);
            // The other rows of a batch are in use, and would be found again.
            Ok(Batch { found, removed, is_stuck: removed == 0 })
        })
    }
}
