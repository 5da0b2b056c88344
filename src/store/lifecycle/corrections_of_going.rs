//! Changes of corrections before entries are removed permanently: if a correction is removed that is itself corrected,
//! the entries that it corrects get the remaining correction instead, so that an outdated fact does not come back.

use memory_search_core::filter::condition::Condition;
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::spi::{self, Statement, Writer};
use crate::pg::sql_text::filled;
use crate::store::definition::Store;
use crate::store::lifecycle::entry_keys::EntryKeys;
use crate::store::predicate::Rows;
use crate::store::statements::by_memory::Part;
use crate::store::statements::row_locks::{Lock, counted, may_lock};

const STAYS: &str = include_str!("corrections_of_going/stays.sql");
const LOCK: &str = include_str!("corrections_of_going/lock.sql");
const WITH_GOING: &str = include_str!("corrections_of_going/with_going.sql");
const CHANGE: &str = include_str!("corrections_of_going/change.sql");
const STILL_NEEDED: &str = include_str!("corrections_of_going/still_needed.sql");

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
    /// There rarely is any, so the query uses the indexes of the rows to remove.
    pub fn is_any(&self, writer: &mut Writer<'_>) -> Result<bool> {
        let entries = self.store.relation("entries");
        if !may_lock(&entries)? {
            return Ok(false);
        }
        let mut look = Statement::default();
        let going = Rows::entries(self.store, "r").sql(&mut look, self.goes);
        let in_part = self.part.bind(&mut look).and("r");
        let look = look.with(format!(
            "SELECT EXISTS (SELECT FROM {entries} r WHERE {going} AND r.superseded_by IS NOT NULL{in_part})"
        ));
        writer.only(&look, |row| Ok(row.boolean(1) == Some(true)))
    }

    /// The number of entries to remove that are themselves corrected, by the current rows.
    pub fn corrected(&self, writer: &mut Writer<'_>) -> Result<i64> {
        let mut statement = Statement::default();
        let goes = Rows::entries(self.store, "r").sql(&mut statement, self.goes);
        let in_part = self.part.bind(&mut statement).and("r");
        let entries = self.store.relation("entries");
        let statement = statement.with(format!(
            "SELECT pg_catalog.count(*) FROM {entries} r WHERE {goes} AND r.superseded_by IS NOT NULL{in_part}"
        ));
        writer.only(&statement, |row| row.required_integer(1))
    }

    /// Locks the entries to remove, in the order of their keys.
    pub fn lock_going(&self, writer: &mut Writer<'_>) -> Result<()> {
        let mut statement = Statement::default();
        let goes = Rows::entries(self.store, "r").sql(&mut statement, self.goes);
        let in_part = self.part.bind(&mut statement).and("r");
        let rows = format!(
            "SELECT r.memory_id, r.entry_id FROM {} r WHERE {goes}{in_part} ORDER BY 1, 2",
            self.store.relation("entries")
        );
        writer.execute(&statement.with(counted(&Lock::Update.in_turn(&rows)))).map(|_| ())
    }

    /// Locks the entries to remove, those that any of them corrects, and `others`, in one order. Their keys are selected
    /// first, each kind by its own index: one condition with OR over all entries would read the whole table.
    pub fn lock_with_going(&self, writer: &mut Writer<'_>, others: &EntryKeys) -> Result<()> {
        let mut statement = Statement::default();
        let goes = Rows::entries(self.store, "r").sql(&mut statement, self.goes);
        let within = self.part.bind(&mut statement);
        let others = match others.is_empty() {
            true => String::new(),
            false => format!(" UNION ALL {}", others.query(&mut statement)),
        };
        let rows = filled(
            WITH_GOING,
            &[
                ("{entries}", &self.store.relation("entries")),
                ("{goes}", &goes),
                ("{others}", &others),
                ("{in_r}", &within.and("r")),
                ("{in_c}", &within.and("c")),
                ("{in_e}", &within.and("e")),
            ],
        );
        writer.execute(&statement.with(counted(&Lock::Update.in_turn(&rows)))).map(|_| ())
    }

    /// For the entries that were corrected by any of those to remove, sets the first correction that stays, over any
    /// number of corrections in between. These entries are locked. An entry that was added since, and that another
    /// session uses, is not waited for, because this would break the order. It would be reinstated without a warning,
    /// so nothing is removed then (55000).
    pub fn hand_on(&self, writer: &mut Writer<'_>) -> Result<()> {
        self.change(writer, None)?;
        let left = |stays: &str, rows: &str, _: &[(&str, &str)]| counted(&format!("{stays} {rows}"));
        match writer.only(&self.statement(None, left), |row| row.required_integer(1))? {
            0 => Ok(()),
            left => Err(left_behind(left)),
        }
    }

    /// Like [`Self::hand_on`], for those of the entries to remove that are `going` now, and without waiting: locks the
    /// corrected entries that are free, and sets their correction. Returned are the corrections that have to stay, because
    /// other sessions use entries that they correct.
    pub fn hand_on_free(&self, writer: &mut Writer<'_>, going: &EntryKeys) -> Result<EntryKeys> {
        // The change has a snapshot of its own, in which no version of a row makes it wait: see LockedChange.
        let locked = |stays: &str, rows: &str, _: &[(&str, &str)]| {
            counted(&format!("{stays} {}", Lock::NoKeyUpdate.without_waiting(rows)))
        };
        writer.execute(&self.statement(Some(going), locked))?;
        self.change(writer, Some(going))?;
        let left = |stays: &str, rows: &str, _: &[(&str, &str)]| {
            format!(
                "{stays} SELECT pg_catalog.array_agg(k.memory_id::pg_catalog.text), \
                   pg_catalog.array_agg(k.superseded_by::pg_catalog.text) \
                   FROM (SELECT DISTINCT e.memory_id, e.superseded_by FROM ({rows}) e) k"
            )
        };
        writer
            .only(&self.statement(Some(going), left), |row| Ok(EntryKeys { memories: row.texts(1), ids: row.texts(2) }))
    }

    /// Those of `locked` entries that still correct an entry although a correction of theirs stays: another session has
    /// corrected them since [`Self::hand_on_free`]. The transaction's own snapshot may be older than that.
    pub fn still_needed(&self, locked: &EntryKeys) -> Result<EntryKeys> {
        let mut statement = Statement::default();
        let those = locked.query(&mut statement);
        let goes = Rows::entries(self.store, "r").sql(&mut statement, self.goes);
        let within = self.part.bind(&mut statement);
        let marks: [(&str, &str); 5] = [
            ("{those}", &those),
            ("{entries}", &self.store.relation("entries")),
            ("{goes}", &goes),
            ("{in_r}", &within.and("r")),
            ("{in_e}", &within.and("e")),
        ];
        let statement = statement.with(filled(STILL_NEEDED, &marks));
        spi::read_newest(|reader| {
            reader.only(&statement, |row| Ok(EntryKeys { memories: row.texts(1), ids: row.texts(2) }))
        })
    }

    /// Sets the first correction that stays in the entries that no other session has locked.
    fn change(&self, writer: &mut Writer<'_>, going: Option<&EntryKeys>) -> Result<()> {
        let change = |stays: &str, rows: &str, marks: &[(&str, &str)]| {
            let locked = Lock::NoKeyUpdate.without_waiting(rows);
            filled(CHANGE, &[marks, &[("{stays}", stays), ("{locked}", &locked)]].concat())
        };
        writer.execute(&self.statement(going, change)).map(|_| ())
    }

    /// A statement from the query of the entries that stay and the query of those that any of them corrects; only
    /// `going`, if they are given, are removed.
    fn statement(
        &self,
        going: Option<&EntryKeys>,
        text: impl FnOnce(&str, &str, &[(&str, &str)]) -> String,
    ) -> Statement {
        let entries = self.store.relation("entries");
        let mut statement = Statement::default();
        let goes = match going {
            Some(keys) => {
                format!("(r.memory_id, r.entry_id) OPERATOR(pg_catalog.=) ANY ({})", keys.query(&mut statement))
            }
            None => Rows::entries(self.store, "r").sql(&mut statement, self.goes),
        };
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
