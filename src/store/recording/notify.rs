//! Switches notifications of a store on and off: the transaction that changes entries sends the changes to a channel
//! when it commits.

use memory_search_core::bounds_and_defaults::MAX_NAME_BYTES;
use memory_search_core::error::shown;
use memory_search_core::request::names::StoreName;
use memory_search_core::{Error, Result};

use super::found::Recording;
use super::functions::{self, notify_changes, notify_triggers};
use super::triggers::{drop_function, give_to_owner, tables_with_triggers};
use crate::pg::spi;
use crate::store::definition;

/// Starts or stops sending the changes of entries to a channel.
pub fn notify(store_name: &StoreName, channel: &str, enabled: bool) -> Result<()> {
    check_channel(channel)?;
    let (store, recording, tables) = spi::read(|reader| {
        let store = definition::store(reader, store_name).map_err(|refusal| {
            let hint = "The first argument is a store. A channel alone is written memory_notify(channel => ...).";
            definition::without_making(store_name, hint, refusal)
        })?;
        let tables = tables_with_triggers(reader, &store, "memory_notify")?;
        let recording = Recording::of(reader, &store)?;
        Ok((store, recording, tables))
    })?;
    spi::write(|writer| {
        if enabled {
            let channel = format!("'{}'", channel.replace('\'', "''"));
            let create = functions::create(recording.notify.is_some());
            writer.define(&notify_changes(&store.schema, create))?;
            writer.define(&notify_triggers(&store.schema, &tables, &channel, create))?;
            return give_to_owner(writer, &store, &format!("FUNCTION {}.notify_changes()", store.schema));
        }
        match &recording.notify {
            Some(function) => drop_function(writer, function),
            None => Ok(()),
        }
    })
}

/// Refuses a channel that the server does not accept (22023).
fn check_channel(channel: &str) -> Result<()> {
    if !channel.is_empty() && channel.len() <= MAX_NAME_BYTES {
        return Ok(());
    }
    let message =
        format!("channel must have 1 to {MAX_NAME_BYTES} bytes, not {}: \"{}\"", channel.len(), shown(channel));
    Err(Error::invalid(message).hint("Give a name that LISTEN accepts."))
}
