//! Changes of corrections before entries are removed permanently: if a correction is removed that is itself corrected,
//! the entries that it corrects get the remaining correction instead, so that an outdated fact does not come back.

use memory_search_core::filter::condition::Condition;
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::spi::{Statement, Writer};
use crate::pg::sql_text::filled;
use crate::store::definition::Store;
use crate::store::predicate::Rows;
use crate::store::statements::by_memory::Part;
use crate::store::statements::row_locks::{Lock, counted, may_lock};

const STAYS: &str = include_str!("corrections_of_going/stays.sql");
const LOCK: &str = include_str!("corrections_of_going/lock.sql");
const WITH_GOING: &str = include_str!("corrections_of_going/with_going.sql");
const CHANGE: &str = include_str!("corrections_of_going/change.sql");

/// Entries of a part of a store that will be removed.
pub struct CorrectionsOfGoing<'a> {
    pub store: &'a Store,
    pub part: &'a Part,
    /// The condition for them.
    pub goes: &'a Condition,
}

impl CorrectionsOfGoing<'_> {
    /// Whether any correction must be passed on, by the current rows. A role that may remove entries but not change
    /// them still removes them.
    ///
    /// There rarely is any, so the query uses the indexes of the rows to remove. `goes_by` has conditions that an index
    /// answers, one each; together they select the rows to remove.
    pub fn is_any(&self, writer: &mut Writer<'_>, goes_by: &[&Condition]) -> Result<bool> {
        let entries = self.store.relation("entries");
        if !may_lock(&entries)? {
            return Ok(false);
        }
        for goes in goes_by {
            let mut look = Statement::default();
            let going = Rows::entries(self.store, "r").sql(&mut look, goes);
            let in_part = self.part.bind(&mut look).and("r");
            let look = look.with(format!(
                "SELECT EXISTS (SELECT FROM {entries} r WHERE {going} AND r.superseded_by IS NOT NULL{in_part})"
            ));
            if writer.only(&look, |row| Ok(row.boolean(1) == Some(true)))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Locks the entries to remove, and those that any of them corrects, in one order.
    pub fn lock_with_going(&self, writer: &mut Writer<'_>) -> Result<()> {
        let mut statement = Statement::default();
        let goes = Rows::entries(self.store, "r").sql(&mut statement, self.goes);
        let goes_e = Rows::entries(self.store, "e").sql(&mut statement, self.goes);
        let within = self.part.bind(&mut statement);
        let rows = filled(
            WITH_GOING,
            &[
                ("{entries}", &self.store.relation("entries")),
                ("{goes}", &goes),
                ("{goes_e}", &goes_e),
                ("{in_r}", &within.and("r")),
                ("{in_e}", &within.and("e")),
            ],
        );
        writer.execute(&statement.with(counted(&Lock::Update.in_turn(&rows)))).map(|_| ())
    }

    /// Locks, in the order of the key, the entries that any of them corrects.
    pub fn lock(&self, writer: &mut Writer<'_>) -> Result<()> {
        let locked = |stays: &str, rows: &str, _: &[(&str, &str)]| {
            counted(&Lock::NoKeyUpdate.in_turn(&format!("{stays} {rows}")))
        };
        writer.execute(&self.statement(locked)).map(|_| ())
    }

    /// For the entries that were corrected by any of those to remove, sets the first correction that stays, over any
    /// number of corrections in between. These entries are locked. An entry that was added since, and that another
    /// session uses, is not waited for, because this would break the order. It would be reinstated without a warning,
    /// so nothing is removed then (55000).
    pub fn hand_on(&self, writer: &mut Writer<'_>) -> Result<()> {
        let change = |stays: &str, rows: &str, marks: &[(&str, &str)]| {
            let locked = Lock::NoKeyUpdate.without_waiting(rows);
            filled(CHANGE, &[marks, &[("{stays}", stays), ("{locked}", &locked)]].concat())
        };
        writer.execute(&self.statement(change))?;
        let left = |stays: &str, rows: &str, _: &[(&str, &str)]| counted(&format!("{stays} {rows}"));
        match writer.only(&self.statement(left), |row| row.required_integer(1))? {
            0 => Ok(()),
            left => Err(left_behind(left)),
        }
    }

    /// A statement from the query of the entries that stay and the query of those that any of them corrects.
    fn statement(&self, text: impl FnOnce(&str, &str, &[(&str, &str)]) -> String) -> Statement {
        let entries = self.store.relation("entries");
        let mut statement = Statement::default();
        let goes = Rows::entries(self.store, "r").sql(&mut statement, self.goes);
        let within = self.part.bind(&mut statement);
        let (in_r, in_e) = (within.and("r"), within.and("e"));
        let marks = [("{entries}", &*entries), ("{goes}", &*goes), ("{in_r}", &*in_r), ("{in_e}", &*in_e)];
        let text = text(&filled(STAYS, &marks), &filled(LOCK, &marks), &marks);
        statement.with(text)
    }
}

fn left_behind(entries: i64) -> Error {
    let said = if entries == 1 { "1 entry" } else { &format!("{entries} entries") };
    let message = format!("another session has locked {said} whose correction is to be removed");
    Error::new(ErrorKind::WrongState, message)
        .detail(
            "Without that correction, searches would find the entry again, although the correction was itself \
             corrected.",
        )
        .hint("Nothing was removed. Call the function again once that session has ended its transaction.")
}
