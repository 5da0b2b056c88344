//! Checks whether history and notifications still do what they were switched on for.

use memory_search_core::Result;

use crate::pg::spi::Reader;
use crate::store::definition::Store;
use crate::store::doctor::check::{Check, Patient};
use crate::store::recording::found::{self, Function, Recording, Table};
use crate::store::recording::functions::{HISTORY_TRIGGERS, NOTIFY_TRIGGERS};
use crate::store::recording::history;
use crate::store::schema::relations::one_of;

/// One check for each of them, for a store of any kind.
pub fn examine(reader: &Reader<'_>, patient: &Patient) -> Result<Vec<Check>> {
    let recording = Recording::of(reader, &patient.store)?;
    Ok(vec![of_history(reader, patient, &recording)?, of_notifications(patient, &recording)])
}

fn of_history(reader: &Reader<'_>, patient: &Patient, recording: &Recording) -> Result<Check> {
    const NAME: &str = "history";
    let store = &patient.store;
    let relation = store.relation("history");
    let anew = format!("SELECT memory_keep_history({});", patient.argument());
    let Some(table) = recording.table else {
        return Ok(match recording.history {
            None => Check::ok(NAME, "off"),
            Some(_) => Check::error(NAME, format!("{relation} is missing: nothing can be written to the store"), anew),
        });
    };
    let unguarded = unguarded(NAME, store, table);
    let Some(function) = &recording.history else {
        let off = Check::ok(NAME, "off; changes that were recorded earlier are kept");
        return Ok(unguarded.unwrap_or(off));
    };
    if let Some(detail) = broken(function, HISTORY_TRIGGERS * function.tables) {
        return Ok(Check::warning(NAME, detail, anew));
    }
    if let Some(check) = unguarded {
        return Ok(check);
    }
    let grants = found::missing_grants(reader, store, table)?;
    if !grants.is_empty() {
        let fix: Vec<String> = grants.iter().map(|grant| format!("{grant};")).collect();
        let detail = "roles may use entries, but not their history: their writes fail";
        return Ok(Check::error(NAME, detail, one_of(&fix)));
    }
    if table.lets_owner_by {
        let detail = "policies bind the owner of entries, but not in their history";
        return Ok(Check::warning(NAME, detail, format!("ALTER TABLE {relation} FORCE ROW LEVEL SECURITY;")));
    }
    Ok(match function.has_former_name {
        true => Check::ok(NAME, format!("on; the store was renamed: {anew} makes it faster again")),
        false => Check::ok(NAME, "on"),
    })
}

/// For a history that shows rows which the policies of entries hide, or lets roles delete them.
fn unguarded(name: &'static str, store: &Store, table: Table) -> Option<Check> {
    let relation = store.relation("history");
    if !table.is_guarded {
        let detail =
            format!("the policies of {relation} are not in force: it shows rows that the policies of entries hide");
        return Some(Check::error(name, detail, format!("ALTER TABLE {relation} ENABLE ROW LEVEL SECURITY;")));
    }
    table.lets_all_delete.then(|| {
        let detail = format!("a role that may delete from {relation} can delete rows that it does not see");
        Check::error(name, detail, format!("{};", history::limit_deletions(store)))
    })
}

fn of_notifications(patient: &Patient, recording: &Recording) -> Check {
    const NAME: &str = "notifications";
    let Some(function) = &recording.notify else { return Check::ok(NAME, "off") };
    let Some(channel) = &function.channel else {
        return Check::warning(NAME, "its triggers name no channel, or several", None);
    };
    let anew = format!("SELECT memory_notify({}, channel => '{}');", patient.argument(), channel.replace('\'', "''"));
    match broken(function, NOTIFY_TRIGGERS * function.tables) {
        Some(detail) => Check::warning(NAME, detail, anew),
        None => Check::ok(NAME, format!("on, channel {channel}")),
    }
}

/// The problem with a function or its triggers.
fn broken(function: &Function, triggers: usize) -> Option<String> {
    match (function.is_unchanged, function.enabled) {
        (false, _) => Some(format!("{} differs from the function that this version makes", function.signature)),
        (true, enabled) if enabled < triggers => {
            Some(format!("{enabled} of {triggers} triggers are there and enabled: some changes are missed"))
        }
        _ => None,
    }
}
