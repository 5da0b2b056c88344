//! Removes for good what was deleted or has expired.

use memory_search_core::Result;
use memory_search_core::timestamp::Micros;

use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};
use crate::store::definition::{self, Store};
use crate::store::progress::Progress;
use crate::store::row_locks::may_lock;
use crate::store::succession::hand_corrections_on;

/// Rows of one DELETE: a cancel waits for one at most, and its locks are few.
const BATCH_ROWS: u64 = 1_000;

/// Removes what was deleted or expired before the instant, at most `max_rows` of it; gives how many
/// entries and contexts went. Rows that another session has locked are left for the next time.
pub fn purge(store_name: &str, before: Micros, max_rows: Option<u64>) -> Result<u64> {
    let store = spi::read(|reader| definition::store(reader, store_name))?;
    // The contexts of an adopted table are the store's own; its entries are not.
    let deleted = "r.deletion_scheduled_time OPERATOR(pg_catalog.<) {before}";
    let mut passes = vec![("contexts", "context_id", deleted)];
    if store.adopted_from.is_none() {
        passes.push(("entries", "entry_id", deleted));
        // What is still to expire stays, however far ahead the instant is.
        let expired = "r.expires_at OPERATOR(pg_catalog.<) LEAST({before}, pg_catalog.now())";
        passes.push(("entries", "entry_id", expired));
    }
    let limit = max_rows.unwrap_or(u64::MAX);
    let hands_on = store.contexts_name_entries && may_lock(&store.relation("contexts"))?;
    let forgets_texts = store.adopted_from.is_none() && may_lock(&store.relation("entries"))?;
    spi::write(|writer| {
        let mut progress = Progress::new("purged", None);
        for (_, _, condition) in passes.iter().filter(|(relation, ..)| *relation == "entries") {
            hand_corrections_on(writer, &store, &|statement| {
                let before = statement.bind(Param::Timestamp(Some(before)));
                condition.replace("{before}", &before)
            })?;
        }
        for (relation, key, condition) in passes {
            loop {
                let batch = BATCH_ROWS.min(limit.saturating_sub(progress.done()));
                if batch == 0 {
                    return Ok(progress.finish());
                }
                let mut statement = Statement::default();
                let before = statement.bind(Param::Timestamp(Some(before)));
                let batch_rows = statement.bind(Param::Integer(Some(batch as i64)));
                let those = format!(
                    "WITH those AS MATERIALIZED (SELECT r.memory_id, r.{key}{text} FROM {relation} r \
                       WHERE {condition} LIMIT {batch_rows} FOR UPDATE SKIP LOCKED)",
                    text = if relation == "contexts" { ", r.user_id, r.context" } else { "" },
                    relation = store.relation(relation),
                    condition = condition.replace("{before}", &before)
                );
                let statement = statement.with(match relation {
                    "entries" if hands_on => handing_contexts_on(&store, &those),
                    "contexts" if forgets_texts => forgetting_texts(&store, &those, &before),
                    _ => format!(
                        "{those}, gone AS (DELETE FROM {relation} r USING those \
                         WHERE r.memory_id OPERATOR(pg_catalog.=) those.memory_id AND r.{key} OPERATOR(pg_catalog.=) those.{key} \
                         RETURNING 1) SELECT (SELECT pg_catalog.count(*) FROM those), (SELECT pg_catalog.count(*) FROM gone)",
                        relation = store.relation(relation)
                    ),
                });
                let (mut found, mut removed) = (0, 0);
                writer.returning(&statement, |row| {
                    (found, removed) = (row.integer(1).unwrap_or(0), row.integer(2).unwrap_or(0));
                    Ok(())
                })?;
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

/// The statement that removes those entries. A context that one of them brought goes with it, by its foreign key,
/// unless another entry says the same: then it is that entry's from now on. Where somebody works on such a
/// context, its entry is left for the next time, as locked rows are.
fn handing_contexts_on(store: &Store, those: &str) -> String {
    let (entries, contexts) = (store.relation("entries"), store.relation("contexts"));
    let is_of = |row: &str, entry: &str| {
        format!(
            "{row}.memory_id OPERATOR(pg_catalog.=) {entry}.memory_id AND {row}.entry_id OPERATOR(pg_catalog.=) {entry}.entry_id"
        )
    };
    format!(
        "{those}, theirs AS MATERIALIZED (SELECT c.memory_id, c.context_id, c.entry_id, \
             (SELECT o.entry_id FROM {entries} o WHERE o.memory_id OPERATOR(pg_catalog.=) c.memory_id \
                AND o.context OPERATOR(pg_catalog.=) c.context AND o.user_id IS NOT DISTINCT FROM c.user_id \
                AND NOT EXISTS (SELECT FROM those t WHERE {other_goes}) \
              ORDER BY o.deletion_scheduled_time IS NOT NULL, o.creation_time, o.entry_id LIMIT 1) AS next_entry_id \
           FROM those t JOIN {contexts} c ON {of_those} FOR UPDATE SKIP LOCKED), \
         free AS MATERIALIZED (SELECT t.memory_id, t.entry_id FROM those t WHERE NOT EXISTS ( \
           SELECT FROM {contexts} c WHERE {of_those} AND NOT EXISTS (SELECT FROM theirs \
             WHERE theirs.memory_id OPERATOR(pg_catalog.=) c.memory_id AND theirs.context_id OPERATOR(pg_catalog.=) c.context_id))), \
         handed_on AS (UPDATE {contexts} c SET entry_id = theirs.next_entry_id FROM theirs JOIN free t ON {of_free} \
           WHERE c.memory_id OPERATOR(pg_catalog.=) theirs.memory_id AND c.context_id OPERATOR(pg_catalog.=) theirs.context_id \
             AND theirs.next_entry_id IS NOT NULL), \
         gone AS (DELETE FROM {entries} r USING free t WHERE {of_row} RETURNING 1) \
         SELECT (SELECT pg_catalog.count(*) FROM those), (SELECT pg_catalog.count(*) FROM gone)",
        other_goes = is_of("o", "t"),
        of_those = is_of("c", "t"),
        of_free = is_of("theirs", "t"),
        of_row = is_of("r", "t")
    )
}

/// The statement that removes those contexts, with their texts where entries carry them: where a memory has no context
/// left, those on its entries would speak again. Where somebody works on such an entry, the context is left for the
/// next time; where the same was put down again, the entries keep it; those that are about to go themselves are left.
fn forgetting_texts(store: &Store, those: &str, before: &str) -> String {
    let (entries, contexts) = (store.relation("entries"), store.relation("contexts"));
    let says_the_same = |row: &str| {
        format!(
            "{row}.memory_id OPERATOR(pg_catalog.=) t.memory_id AND {row}.context OPERATOR(pg_catalog.=) t.context \
             AND {row}.user_id IS NOT DISTINCT FROM t.user_id"
        )
    };
    format!(
        "{those}, last AS MATERIALIZED (SELECT t.memory_id, t.context_id, t.user_id, t.context FROM those t WHERE NOT EXISTS ( \
             SELECT FROM {contexts} o WHERE {put_again} AND o.deletion_scheduled_time IS NULL)), \
         carriers AS MATERIALIZED (SELECT e.memory_id, e.entry_id, t.context_id FROM last t JOIN {entries} e ON {carries} \
           FOR UPDATE SKIP LOCKED), \
         busy AS (SELECT t.memory_id, t.context_id FROM last t JOIN {entries} e ON {carries} WHERE NOT EXISTS ( \
           SELECT FROM carriers c WHERE c.memory_id OPERATOR(pg_catalog.=) e.memory_id \
             AND c.entry_id OPERATOR(pg_catalog.=) e.entry_id)), \
         forgotten AS (UPDATE {entries} e SET context = NULL FROM carriers c \
           WHERE e.memory_id OPERATOR(pg_catalog.=) c.memory_id AND e.entry_id OPERATOR(pg_catalog.=) c.entry_id \
             AND NOT EXISTS (SELECT FROM busy b WHERE b.memory_id OPERATOR(pg_catalog.=) c.memory_id \
               AND b.context_id OPERATOR(pg_catalog.=) c.context_id)), \
         gone AS (DELETE FROM {contexts} r USING those t WHERE r.memory_id OPERATOR(pg_catalog.=) t.memory_id \
           AND r.context_id OPERATOR(pg_catalog.=) t.context_id AND NOT EXISTS (SELECT FROM busy b \
             WHERE b.memory_id OPERATOR(pg_catalog.=) t.memory_id AND b.context_id OPERATOR(pg_catalog.=) t.context_id) \
           RETURNING 1) \
         SELECT (SELECT pg_catalog.count(*) FROM those), (SELECT pg_catalog.count(*) FROM gone)",
        put_again = says_the_same("o"),
        carries = format!(
            "{} AND (e.deletion_scheduled_time OPERATOR(pg_catalog.<) {before}) IS NOT TRUE \
             AND (e.expires_at OPERATOR(pg_catalog.<) LEAST({before}, pg_catalog.now())) IS NOT TRUE",
            says_the_same("e")
        )
    )
}
