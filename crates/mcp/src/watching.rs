//! `memory-search watch`: the watcher of crates/watch, for the database and the stores that the command line names.
//! Figures can be served beside it.

use std::sync::Arc;
use std::time::Duration;

use memory_search_client::stopping::{asked_to_stop, expect_signals};
use memory_search_metrics::tally::Tally;
use memory_search_watch::task::Task;
use memory_search_watch::watcher::Watcher;
use memory_search_watch::work::work;

use crate::command_line::WatchArguments;
use crate::connecting;
use crate::metrics;

/// Works until a signal comes or, with `--once`, until everything is done.
pub fn run(arguments: WatchArguments) -> Result<(), String> {
    let named = arguments.names()?;
    expect_signals();
    let connections = connecting::configure(&arguments.database, "memory-search watch")?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let tally = Arc::new(Tally::default());
        let role = arguments.role.clone();
        let program = Some(Arc::clone(&tally));
        let metrics =
            metrics::prepare(&arguments.metrics, &arguments.database, named.clone(), role.clone(), program).await?;
        let (door, of_metrics) = metrics.unzip();
        let task = Task {
            named,
            embeds: !arguments.no_embed,
            purge_after: arguments.purge_after,
            most_rows: arguments.max_rows,
            timeout_seconds: arguments.database.timeout_seconds,
            log_texts: arguments.log_texts,
        };
        let progress = Duration::from_secs(arguments.progress.into());
        let mut watcher = Watcher::new(connections.clone(), role, task, tally, progress);
        let answering = async {
            match door {
                Some(door) => door.serve().await,
                None => std::future::pending().await,
            }
        };
        let every = Duration::from_secs(arguments.every.into());
        let outcome = tokio::select! {
            outcome = work(&mut watcher, arguments.once, every) => Some(outcome),
            () = answering => None,
            () = asked_to_stop() => None,
        };
        let outcome = match outcome {
            Some(outcome) => outcome,
            None => {
                watcher.progress.sum("stopped");
                if arguments.once { Err("a signal came before everything was done".to_owned()) } else { Ok(()) }
            }
        };
        connections.end().await;
        if let Some(connections) = of_metrics {
            connections.end().await;
        }
        outcome
    })
}
