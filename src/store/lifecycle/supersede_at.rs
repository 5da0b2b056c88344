//! At an instant, one fact takes over from another: the old one holds until then, the new one from then on. Neither is
//! a correction of the other: a search finds each in its own interval.

use memory_search_core::filter::validity;
use memory_search_core::filter::visibility;
use memory_search_core::request::names::{EntryId, MemoryId, StoreName};
use memory_search_core::timestamp::{self, Micros};
use memory_search_core::{Error, Result};

use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition;
use crate::store::predicate::{Rows, at_present};

const INTERVALS: &str = include_str!("supersede_at/intervals.sql");
const CLOSE: &str = include_str!("supersede_at/close.sql");
const OPEN: &str = include_str!("supersede_at/open.sql");

/// Ends the interval of `old` at an instant, unless it ended before, and begins that of `new` there; returns 1, or 0 if
/// there is no such `old`.
pub fn supersede_at(
    store_name: &StoreName,
    memory_id: &MemoryId,
    old: &EntryId,
    new: &EntryId,
    at: Micros,
) -> Result<u64> {
    let store = spi::read(|reader| definition::store(reader, store_name))?;
    store.require_own_entries("memory_supersede")?;
    if at == Micros::MAX || at == Micros::MIN {
        return Err(Error::invalid(format!("at must be a time, not {}", timestamp::format(at))).hint(
            "Give the time from which the new entry holds, or leave it out for an entry that was always wrong.",
        ));
    }
    if old == new {
        return Err(Error::invalid(format!("entry {old} cannot supersede itself"))
            .hint("First add the entry that holds from then on, by memory_add, and give its id as new_entry_id."));
    }
    let entries = store.relation("entries");
    let statement = |template: &str| {
        let mut statement = Statement::default();
        let marks = [
            ("{entries}", entries.to_string()),
            ("{memory}", statement.bind(Param::text(memory_id))),
            ("{old}", statement.bind(Param::text(old))),
            ("{new}", statement.bind(Param::text(new))),
            ("{at}", statement.bind(Param::Timestamp(Some(at)))),
            ("{not_deleted}", Rows::entries(&store, "e").and(&mut statement, &visibility::not_deleted(at_present()))),
        ];
        let marks: Vec<(&str, &str)> = marks.iter().map(|(mark, text)| (*mark, text.as_str())).collect();
        statement.with(filled(template, &marks))
    };
    spi::write(|writer| {
        let mut intervals = Vec::new();
        writer.returning(&statement(INTERVALS), |row| {
            intervals.push((row.required_text(1)?, row.timestamp(2), row.timestamp(3)));
            Ok(())
        })?;
        let of = |id: &EntryId| intervals.iter().find(|(found, ..)| id.eq_ignore_ascii_case(found));
        let Some((_, begins, _)) = of(old) else { return Ok(0) };
        let Some((_, _, ends)) = of(new) else {
            return Err(Error::invalid(format!(
                "new_entry_id {new} is no entry of memory \"{memory_id}\" that you see"
            ))
            .hint("First add the entry that holds from then on, by memory_add."));
        };
        validity::interval(("valid_from of the old entry", *begins), ("at", Some(at)))?;
        validity::interval(("at", Some(at)), ("valid_until of the new entry", *ends))?;
        writer.execute(&statement(OPEN))?;
        writer.execute(&statement(CLOSE))
    })
}
