//! Pages for people: what memories hold, what a search finds in them and why, and why an entry is missing.

mod asked;
mod door;
mod markup;
mod pages;
mod reading;
mod search_form;
mod statements;

use crate::command_line::ExploreArguments;
use crate::database::connections::Connections;
use crate::database::scope::{Bounds, Caller};
use crate::explore::reading::Reading;

/// Serves until a signal comes.
pub fn run(arguments: ExploreArguments) -> Result<(), String> {
    let connections = Connections::configure(&arguments.database, "memory-search explore")?;
    let bounds = Bounds {
        user_setting: arguments.caller.setting.clone(),
        max_entries: None,
        timeout_millis: u64::from(arguments.database.timeout_seconds) * 1000,
        read_only: true,
    };
    let caller = Caller { store: arguments.caller.store, user: arguments.caller.user, role: arguments.caller.role };
    for (option, value) in [("--store", &caller.store), ("--user", &caller.user), ("--role", &caller.role)] {
        if value.as_deref() == Some("") {
            return Err(format!("{option}: an empty text names nothing"));
        }
    }
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let outcome = door::serve(Reading::new(connections.clone(), bounds, caller), arguments.listen).await;
        connections.end().await;
        outcome
    })
}
