//! What entries hand on before they are removed for good: a correction that is itself corrected leaves those that it
//! corrects to the one that stands, so that an outdated fact does not come back with its going.

use memory_search_core::Result;

use crate::pg::spi::{Statement, Writer};
use crate::store::definition::Store;
use crate::store::row_locks::may_lock;

/// Lets the entries that were corrected by any of those to remove be corrected by the first that stays, however many
/// lie between. `condition` says which go, as SQL over `r`, and binds its parameters in the statement given.
pub fn hand_corrections_on(
    writer: &mut Writer<'_>,
    store: &Store,
    condition: &dyn Fn(&mut Statement) -> String,
) -> Result<()> {
    let entries = store.relation("entries");
    // Whoever may remove entries and not change them removes them all the same.
    if !may_lock(&entries)? {
        return Ok(());
    }
    // Seldom is there any: the look is by the index of what is to go.
    let mut look = Statement::default();
    let goes = condition(&mut look);
    let look =
        look.with(format!("SELECT EXISTS (SELECT FROM {entries} r WHERE {goes} AND r.superseded_by IS NOT NULL)"));
    let mut any = false;
    writer.returning(&look, |row| {
        any = row.boolean(1) == Some(true);
        Ok(())
    })?;
    if !any {
        return Ok(());
    }
    let mut statement = Statement::default();
    let goes = condition(&mut statement);
    // Locked in the order of the key, as everywhere.
    let statement = statement.with(format!(
        "WITH RECURSIVE going AS MATERIALIZED (SELECT r.memory_id, r.entry_id, r.superseded_by FROM {entries} r WHERE {goes}), \
           chain (memory_id, first, next) AS ( \
             SELECT g.memory_id, g.entry_id, g.superseded_by FROM going g WHERE g.superseded_by IS NOT NULL \
             UNION SELECT c.memory_id, c.first, g.superseded_by FROM chain c JOIN going g \
               ON g.memory_id OPERATOR(pg_catalog.=) c.memory_id AND g.entry_id OPERATOR(pg_catalog.=) c.next \
             WHERE g.superseded_by IS NOT NULL), \
           stays AS (SELECT c.memory_id, c.first, c.next FROM chain c WHERE NOT EXISTS (SELECT FROM going g \
             WHERE g.memory_id OPERATOR(pg_catalog.=) c.memory_id AND g.entry_id OPERATOR(pg_catalog.=) c.next)), \
           those AS MATERIALIZED (SELECT e.memory_id, e.entry_id, e.superseded_by FROM {entries} e \
             WHERE e.superseded_by IS NOT NULL AND EXISTS (SELECT FROM stays s \
               WHERE s.memory_id OPERATOR(pg_catalog.=) e.memory_id AND s.first OPERATOR(pg_catalog.=) e.superseded_by) \
             ORDER BY e.memory_id, e.entry_id FOR NO KEY UPDATE) \
         UPDATE {entries} e SET superseded_by = s.next FROM those t JOIN stays s \
           ON s.memory_id OPERATOR(pg_catalog.=) t.memory_id AND s.first OPERATOR(pg_catalog.=) t.superseded_by \
         WHERE e.memory_id OPERATOR(pg_catalog.=) t.memory_id AND e.entry_id OPERATOR(pg_catalog.=) t.entry_id"
    ));
    writer.execute(&statement).map(|_| ())
}
