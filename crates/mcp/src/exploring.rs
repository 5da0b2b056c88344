//! `memory-search explore` and `memory-search search`: the pages of crates/explore and its search in a terminal, for the
//! database and the caller that the command line names. Figures can be served beside the pages.

use memory_search_client::database::connections::Connections;
use memory_search_client::database::reading::Reading;
use memory_search_client::database::scope::{Bounds, Caller};
use memory_search_client::stopping::{asked_to_stop, expect_signals};
use memory_search_explore::{door, terminal};

use crate::command_line::{CallerArguments, DatabaseArguments, ExploreArguments, SearchArguments};
use crate::connecting;
use crate::metrics;

/// Serves pages until a signal comes.
pub fn run(arguments: ExploreArguments) -> Result<(), String> {
    expect_signals();
    let reading = |connections| reading(connections, &arguments.database, &arguments.caller);
    run_with(&arguments.database, "memory-search explore", reading, |reading| async {
        let CallerArguments { store, role, .. } = &arguments.caller;
        let stores = store.iter().cloned().collect();
        let metrics = metrics::prepare(&arguments.metrics, &arguments.database, stores, role.clone(), None).await?;
        let Some((door, connections)) = metrics else { return door::serve(reading, arguments.listen).await };
        let served = tokio::select! {
            served = door::serve(reading, arguments.listen) => served,
            () = door.serve() => Ok(()),
        };
        connections.end().await;
        served
    })
}

/// Prints a search.
pub fn search_in_terminal(arguments: SearchArguments) -> Result<(), String> {
    expect_signals();
    let reading = |connections| reading(connections, &arguments.database, &arguments.caller);
    run_with(&arguments.database, "memory-search search", reading, |reading| async {
        tokio::select! {
            outcome = terminal::search(reading, &arguments.search) => outcome,
            () = asked_to_stop() => Err("stopped before the answer came".to_owned()),
        }
    })
}

fn reading(
    connections: Connections,
    database: &DatabaseArguments,
    caller: &CallerArguments,
) -> Result<Reading, String> {
    for (option, value) in [("--store", &caller.store), ("--user", &caller.user), ("--role", &caller.role)] {
        if value.as_deref() == Some("") {
            return Err(format!("{option} must not be empty"));
        }
    }
    let bounds = Bounds {
        user_setting: caller.setting.clone(),
        max_entries: None,
        timeout_millis: u64::from(database.timeout_seconds) * 1000,
        read_only: true,
        settings: &[],
    };
    let caller = Caller { store: caller.store.clone(), user: caller.user.clone(), role: caller.role.clone() };
    Ok(Reading::new(connections, bounds, caller))
}

fn run_with<Work: Future<Output = Result<(), String>>>(
    database: &DatabaseArguments,
    program: &str,
    reading: impl Fn(Connections) -> Result<Reading, String>,
    work: impl FnOnce(Reading) -> Work,
) -> Result<(), String> {
    let connections = connecting::configure(database, program)?;
    let reading = reading(connections.clone())?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let outcome = work(reading).await;
        connections.end().await;
        outcome
    })
}
