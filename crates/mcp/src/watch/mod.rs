//! The work that a scheduler would otherwise start: embeds waiting rows and purges rows that are due, as one process
//! outside of the database.

mod batch;
mod outage;
mod patience;
mod progress;
mod said;
mod statements;
mod stores;
mod task;
mod watcher;

use std::sync::Arc;
use std::time::Duration;

use memory_search_client::log;
use memory_search_client::stopping::{asked_to_stop, expect_signals};

use crate::command_line::WatchArguments;
use crate::connecting;
use crate::metrics;
use crate::metrics::tally::Tally;
use crate::watch::outage::{is_of_configuration, is_outage};
use crate::watch::patience::wait_for_database;
use crate::watch::stores::Stores;
use crate::watch::task::Task;
use crate::watch::watcher::Watcher;

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

async fn work(watcher: &mut Watcher, once: bool, every: Duration) -> Result<(), String> {
    let found = begin(watcher, once).await?;
    say_what(watcher, &found);
    loop {
        match watcher.pass().await {
            Ok(pass) if pass.more => {}
            Ok(pass) if once => {
                watcher.progress.sum("done");
                return if pass.failed { Err("not everything could be done".to_owned()) } else { Ok(()) };
            }
            Ok(_) => tokio::time::sleep(every).await,
            Err(error) if once => return Err(said::of(&error, watcher.task().log_texts)),
            Err(error) => wait_for_database(watcher, error).await,
        }
    }
}

/// The stores at the start. An error in the command line, or in the role's privileges, ends the program here.
async fn begin(watcher: &Watcher, once: bool) -> Result<Stores, String> {
    loop {
        match watcher.find().await {
            Ok(found) => {
                if let Some((_, why)) = found.refused.first() {
                    return Err(why.clone());
                }
                if found.stores.is_empty() {
                    return Err(format!(
                        "no store belongs to the role \"{}\". Hint: name stores of others by --store ({} are open to \
                         it): their owners' triggers and policies run as this role",
                        found.role, found.others
                    ));
                }
                return Ok(found);
            }
            Err(error) if is_outage(&error) && !is_of_configuration(&error) && !once => {
                wait_for_database(watcher, error).await;
            }
            Err(error) => return Err(said::of(&error, watcher.task().log_texts)),
        }
    }
}

fn say_what(watcher: &Watcher, found: &Stores) {
    let task = watcher.task();
    let stores: Vec<&str> = found.stores.iter().map(|store| store.name.as_str()).collect();
    let purges = match task.purge_after {
        Some(age) => format!("purges what was deleted or expired {} s ago", age.seconds),
        None => "purges nothing without --purge-after".to_owned(),
    };
    let embeds = if task.embeds { "embeds what waits, " } else { "" };
    log::line(&format!("watching {}: {embeds}{purges}", stores.join(", ")));
    if task.named.is_empty() && found.others > 0 {
        log::line(&format!(
            "{} stores of other owners are skipped; name by --store those to work on, too",
            found.others
        ));
    }
    for store in found.stores.iter().filter(|store| store.bound) {
        log::line(&format!(
            "in {} a policy binds the role \"{}\": it works only on rows that the policy lets it change. The \
             owner of the store, or a role with BYPASSRLS, works on all",
            store.name, found.role
        ));
    }
}
