//! Aliases that were exported go back, in the flat form that `memory_alias` keeps.

use std::collections::{BTreeSet, HashMap};

use memory_search_core::entities::flat_aliases::FlatAliases;
use memory_search_core::error::shown;
use memory_search_core::request::entry_rows::ExportedAlias;
use memory_search_core::request::links::Name;
use memory_search_core::request::names::{MemoryId, StoreName};
use memory_search_core::text::entity_key::entity_key;
use memory_search_core::{Error, ErrorKind, Result};

use super::aliases::{BATCH, Table, with_table};
use crate::pg::interrupt;
use crate::pg::param::Param;
use crate::pg::reworded;
use crate::pg::spi::{self, Statement, Writer};
use crate::pg::sql_text::filled;

const INSERT: &str = include_str!("import_aliases.sql");

/// Adds aliases to a memory; gives how many. Aliases of the memory that stand for a new alias move to its entity. An
/// alias that exists already is refused (23505), and so is a circle (22023).
pub fn aliases(store_name: &StoreName, memory_id: &MemoryId, lines: &[ExportedAlias]) -> Result<u64> {
    if lines.is_empty() {
        return Ok(0);
    }
    with_table(store_name, memory_id, |table| {
        spi::write(|writer| {
            let mut aliases = table.locked(writer, memory_id)?;
            let moved = resolve(&mut aliases, memory_id, lines)?;
            table.update(writer, &moved, &aliases)?;
            let mut count = 0;
            for lines in lines.chunks(BATCH) {
                interrupt::check();
                count += insert(writer, table, memory_id, lines, &aliases)?;
            }
            Ok(count)
        })
    })
}

/// Adds the lines to the aliases; gives the existing ones that move.
fn resolve(aliases: &mut FlatAliases, memory_id: &MemoryId, lines: &[ExportedAlias]) -> Result<Vec<String>> {
    let (mut new, mut moved) = (HashMap::new(), BTreeSet::new());
    for line in lines {
        interrupt::check();
        if let Some(entity) = aliases.entity(&line.alias) {
            return Err(taken(memory_id, line, entity, new.get(line.alias.as_str()).copied()));
        }
        // Plain SQL may have stored a text that is no name: it stands for nothing, and is kept.
        match (entity_key(&line.alias), entity_key(&line.entity)) {
            (Some(alias), Some(entity)) => {
                let alias = Name { written: line.alias.clone(), folded: alias.into_owned() };
                let entity = Name { written: line.entity.clone(), folded: entity.into_owned() };
                let change = aliases.set(&line.alias, &alias, &entity).map_err(|refusal| refused(line, refusal))?;
                moved.extend(change.moved.into_iter().filter(|name| !new.contains_key(name.as_str())));
            }
            _ => aliases.put(&line.alias, &line.entity),
        }
        new.insert(line.alias.as_str(), line.line.as_str());
    }
    Ok(moved.into_iter().collect())
}

/// The refusal of a name that is an alias already, in the memory or by another line.
fn taken(memory_id: &MemoryId, line: &ExportedAlias, existing: &str, other_line: Option<&str>) -> Error {
    let (alias, entity, existing) = (shown(&line.alias), shown(&line.entity), shown(existing));
    let wanted = format!("{} makes \"{alias}\" an alias of \"{entity}\"", line.line);
    let (by, hint) = match other_line {
        Some(other) => (format!("{other} makes it one of \"{existing}\""), "Leave one of the two lines out."),
        None => (
            format!("in memory \"{}\" it is one of \"{existing}\" already", shown(memory_id)),
            "Leave the line out, or remove the existing alias first: memory_unalias(memory_id, alias).",
        ),
    };
    Error::new(ErrorKind::DuplicateRow, format!("{wanted}, but {by}")).hint(hint)
}

/// The refusal of a circle, with the line that closes it, or of an alias for the same name.
fn refused(line: &ExportedAlias, refusal: Error) -> Error {
    if entity_key(&line.alias) == entity_key(&line.entity) {
        let message = format!("{}: {}", line.line, refusal.message);
        let hint = "Leave the line out: names are compared without case and accents.";
        return Error { message, ..refusal }.hint(hint);
    }
    let hint = "Leave the line out, or one of those that it makes a circle with. \
                memory_aliases(memory_id) shows the aliases of the memory, memory_unalias removes one.";
    let (alias, entity) = (shown(&line.alias), shown(&line.entity));
    let message = format!("{} makes \"{alias}\" an alias of \"{entity}\": {}", line.line, refusal.message);
    Error { message, ..refusal }.hint(hint)
}

fn insert(
    writer: &mut Writer<'_>,
    table: &Table<'_>,
    memory_id: &MemoryId,
    lines: &[ExportedAlias],
    aliases: &FlatAliases,
) -> Result<u64> {
    let mut statement = Statement::default();
    let memory = statement.bind(Param::text(table.memory_id.as_str()));
    let names = statement.bind(Param::Texts(lines.iter().map(|line| line.alias.clone()).collect()));
    let entity = |line: &ExportedAlias| aliases.entity(&line.alias).map(str::to_owned);
    let entities = statement.bind(Param::NullableTexts(lines.iter().map(entity).collect()));
    let created = statement.bind(Param::NullableTimestamps(lines.iter().map(|line| line.creation_time).collect()));
    let statement = statement.with(filled(
        INSERT,
        &[
            ("{aliases}", &table.relation),
            ("{memory}", &memory),
            ("{names}", &names),
            ("{entities}", &entities),
            ("{created}", &created),
        ],
    ));
    // Policies may hide an alias from the caller, and plain SQL adds one without the lock.
    let words = |_: &str, _: &str| {
        let message = format!("an alias of the lines exists already in memory \"{}\"", shown(memory_id));
        Some(
            Error::new(ErrorKind::DuplicateRow, message)
                .hint("Leave its line out, or remove the existing alias first: memory_unalias(memory_id, alias)."),
        )
    };
    reworded::on_duplicate(words, || writer.execute(&statement))
}
