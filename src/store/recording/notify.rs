//! Switches notifications of a store on and off: what happens to entries is sent to a channel by the transaction that
//! writes, when it commits.

use memory_search_core::error::shown;
use memory_search_core::limits::{MAX_IDENTIFIER_BYTES, MAX_NAME_BYTES, MOST_NOTIFIED_ENTRIES};
use memory_search_core::request::names::StoreName;
use memory_search_core::{Error, Result};

use super::found::Recording;
use super::{changes, drop_function, give_to_owner, require_triggers};
use crate::pg::spi;
use crate::pg::sql_text::filled;
use crate::store::definition;

const FUNCTION: &str = include_str!("notify_changes.sql");

/// How many triggers call it.
pub const TRIGGERS: usize = 4;

/// The least length at which the server refuses a payload.
const MAX_PAYLOAD_BYTES: usize = 8_000;

/// JSON writes a character in six bytes at most. Beside ids there are fixed words, a count, and a name.
const _: () = assert!(6 * (MAX_IDENTIFIER_BYTES + MAX_NAME_BYTES) + 256 < MAX_PAYLOAD_BYTES);

/// The body of the trigger function, as the catalog has it.
pub fn body() -> String {
    statements("", "").split("$function$").nth(1).unwrap_or_default().to_owned()
}

fn statements(schema: &str, channel: &str) -> String {
    // Only plain SQL writes a longer id.
    let memory = format!(
        "CASE WHEN pg_catalog.octet_length(c.memory_id) OPERATOR(pg_catalog.<=) {MAX_IDENTIFIER_BYTES} \
                 THEN c.memory_id END"
    );
    let payload = |store: &str, fields: &str| {
        format!("pg_catalog.json_build_object('store', {store}, {fields})::pg_catalog.text")
    };
    let of_entry = format!("'memory', {memory}, 'id', c.entry_id, 'operation', c.operation");
    let of_memory = format!("'memory', {memory}, 'operation', c.operation, 'count', c.entries");
    filled(
        FUNCTION,
        &[
            ("{schema}", schema),
            ("{channel}", channel),
            ("{most}", &MOST_NOTIFIED_ENTRIES.to_string()),
            ("{changes}", &changes()),
            ("{payload_of_entry}", &payload("TG_TABLE_SCHEMA", &of_entry)),
            ("{payload_in_execute}", &payload("$2", &of_entry)),
            ("{payload_of_memory}", &payload("$2", &of_memory)),
            ("{payload_of_store}", &payload("$2", "'operation', c.operation, 'count', pg_catalog.sum(c.entries)")),
        ],
    )
}

/// From now on sends what happens to entries to a channel, or no more.
pub fn notify(store_name: &StoreName, channel: &str, enabled: bool) -> Result<()> {
    check_channel(channel)?;
    let (store, recording) = spi::read(|reader| {
        let store = definition::store(reader, store_name)?;
        require_triggers(reader, &store, "memory_notify")?;
        let recording = Recording::of(reader, &store)?;
        Ok((store, recording))
    })?;
    spi::write(|writer| {
        if enabled {
            let channel = format!("'{}'", channel.replace('\'', "''"));
            writer.define(&statements(&store.schema, &channel))?;
            return give_to_owner(writer, &store, &format!("FUNCTION {}.notify_changes()", store.schema));
        }
        match &recording.notify {
            Some(function) => drop_function(writer, &store, function),
            None => Ok(()),
        }
    })
}

/// What the server takes as a channel (22023).
fn check_channel(channel: &str) -> Result<()> {
    if !channel.is_empty() && channel.len() <= MAX_NAME_BYTES {
        return Ok(());
    }
    let message =
        format!("channel must have 1 to {MAX_NAME_BYTES} bytes, not {}: \"{}\"", channel.len(), shown(channel));
    Err(Error::invalid(message).hint("It is a name as LISTEN takes one."))
}
