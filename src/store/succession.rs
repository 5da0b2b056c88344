//! What entries hand on before they are removed for good: a correction that is itself corrected leaves those that it
//! corrects to the one that stands, so that an outdated fact does not come back with its going.

use memory_search_core::Result;
use memory_search_core::filter::condition::Condition;

use crate::pg::spi::{Statement, Writer};
use crate::pg::sql_text::filled;
use crate::store::by_memory::Part;
use crate::store::definition::Store;
use crate::store::predicate::Rows;
use crate::store::row_locks::{LockedChange, may_lock};

const STAYS: &str = include_str!("succession/stays.sql");
const LOCK: &str = include_str!("succession/lock.sql");
const CHANGE: &str = include_str!("succession/change.sql");

/// Lets the entries that were corrected by any of those to remove be corrected by the first that stays, however many
/// lie between. `goes` says which of a part are removed.
pub fn hand_corrections_on(writer: &mut Writer<'_>, store: &Store, part: &Part, goes: &Condition) -> Result<()> {
    let entries = store.relation("entries");
    // Whoever may remove entries and not change them removes them all the same.
    if !may_lock(&entries)? {
        return Ok(());
    }
    let rows = Rows::entries(store, "r");
    // Seldom is there any: the look is by the index of what is to go.
    let mut look = Statement::default();
    let going = rows.sql(&mut look, goes);
    let in_part = part.bind(&mut look).and("r");
    let look = look.with(format!(
        "SELECT EXISTS (SELECT FROM {entries} r WHERE {going} AND r.superseded_by IS NOT NULL{in_part})"
    ));
    let mut any = false;
    writer.returning(&look, |row| {
        any = row.boolean(1) == Some(true);
        Ok(())
    })?;
    if !any {
        return Ok(());
    }
    let mut statement = Statement::default();
    let going = rows.sql(&mut statement, goes);
    let within = part.bind(&mut statement);
    let (in_r, in_e) = (within.and("r"), within.and("e"));
    let marks: [(&str, &str); 4] = [("{entries}", &entries), ("{goes}", &going), ("{in_r}", &in_r), ("{in_e}", &in_e)];
    let stays = filled(STAYS, &marks);
    // In the order of the key, as everywhere.
    let locked = filled(LOCK, &marks);
    let change = filled(CHANGE, &[&marks[..], &[("{stays}", &stays), ("{locked}", &locked)]].concat());
    LockedChange::new(statement, &format!("{stays} {locked}"), change).execute(writer).map(|_| ())
}
