//! A table of another server, followed by logical replication and searched here: for managed services, into which no
//! extension can be installed. The source gets a publication and a slot, and nothing else.

mod adoption;
mod again;
mod carrying;
mod columns;
mod copies;
mod diagnosis;
mod ends;
mod establishing;
mod follower_checks;
mod identity;
mod mapping;
mod partitions;
mod place;
mod publication;
mod record;
mod replica_identity;
mod session;
mod source_checks;
mod source_url;
mod status;
mod subscription;
mod table;
mod unfollowing;
mod watching;

use std::io::Write;
use std::time::{Duration, Instant};

use memory_search_client::stopping::asked_to_stop;

use crate::command_line::{FollowArguments, UnfollowArguments};
use crate::follow::ends::Ends;

/// `memory-search follow`, with each of its options.
pub fn run(arguments: FollowArguments) -> Result<(), String> {
    let awaited = arguments.wait.as_deref().map(place::read).transpose()?;
    let ends = Ends::of(&arguments.database, arguments.source.as_deref(), arguments.password.as_deref())?;
    until_stopped(
        async {
            if arguments.status {
                return show_status(&ends, arguments.table.as_deref()).await;
            }
            if let Some(place) = &awaited {
                return wait(&ends, &arguments, place).await;
            }
            let follower = ends.follower().await?;
            if arguments.again {
                let known = record::one(&follower, arguments.table.as_deref()).await?;
                copies::refuse_a_copy(&follower, &known).await?;
                let url = ends.url(&follower, &known.name).await?;
                let source = ends.open_source(&url).await?;
                again::run(&arguments, &follower, &source, &url).await?;
            } else if let Some(known) = watched(&arguments, &follower).await? {
                copies::refuse_a_copy(&follower, &known).await?;
            } else {
                let url =
                    ends.given.as_ref().ok_or("which source? Hint: memory-search follow SOURCE_URL --table NAME")?;
                let source = ends.open_source(url).await?;
                establishing::first(&arguments, &follower, &source, url).await?;
            }
            drop(follower);
            if arguments.watch { watching::run(&ends, arguments.table.as_deref()).await } else { Ok(()) }
        },
        arguments.watch,
    )
}

/// `memory-search unfollow`.
pub fn unfollow(arguments: UnfollowArguments) -> Result<(), String> {
    let ends = Ends::of(&arguments.database, arguments.source.as_deref(), arguments.password.as_deref())?;
    until_stopped(
        async {
            let follower = ends.follower().await?;
            let record = unfollowing::meant(&arguments, &follower).await?;
            let source = match copies::difference(&follower, &record).await? {
                // The subscription may be another one with the same name.
                Some(_) if arguments.source_is_gone => Err("the source is another follower's".to_owned()),
                Some(why) => return Err(why),
                None => ends.source(&follower, &record.name).await,
            };
            unfollowing::run(&arguments, &follower, record, source.as_ref()).await
        },
        false,
    )
}

/// The table that `--watch` finds; `None` if it must be followed first.
async fn watched(arguments: &FollowArguments, follower: &session::Session) -> Result<Option<record::Record>, String> {
    if !arguments.watch || !record::is_any(follower, arguments.table.as_deref()).await? {
        return Ok(None);
    }
    record::one(follower, arguments.table.as_deref()).await.map(Some)
}

async fn show_status(ends: &Ends, table: Option<&str>) -> Result<(), String> {
    let follower = ends.follower().await?;
    let records = match table {
        Some(_) => vec![record::one(&follower, table).await?],
        None => record::all(&follower).await?,
    };
    if records.is_empty() {
        return Err("no table is followed in this database. Hint: memory-search follow SOURCE_URL --table NAME".into());
    }
    let mut wrong = Vec::new();
    for record in records {
        let source = ends.source(&follower, &record.name).await;
        let (lines, is_wrong) = status::of(&record, &follower, source.as_ref()).await?;
        // The reader may have gone.
        let _ = writeln!(std::io::stdout().lock(), "{}", lines.join("\n"));
        if is_wrong {
            wrong.push(record.shown());
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(format!("something is wrong with {}", wrong.join(", "))) }
}

async fn wait(ends: &Ends, arguments: &FollowArguments, place: &str) -> Result<(), String> {
    let follower = ends.follower().await?;
    let record = record::one(&follower, arguments.table.as_deref()).await?;
    copies::refuse_a_copy(&follower, &record).await?;
    let patience = Duration::from_secs(u64::from(arguments.database.timeout_seconds));
    let until = Instant::now() + patience;
    let rest = || until.saturating_duration_since(Instant::now());
    if place::reach(&follower, &record.name, place, patience).await?.is_none() {
        return Err(format!(
            "{} had not reached {place} within {} seconds. Hint: memory-search follow --status says why",
            record.shown(),
            patience.as_secs()
        ));
    }
    // The rows exist, but a search finds them in the store.
    loop {
        let record = record::one(&follower, arguments.table.as_deref()).await?;
        if record.before.is_none() && adoption::is_adopted(&follower, &record).await? {
            return Ok(());
        }
        if rest().is_zero() {
            return Err(format!(
                "{} is at {place}, but store {} does not show this copy, which was not finished. Hint: memory-search \
                 follow --again goes on",
                record.shown(),
                record.store
            ));
        }
        tokio::time::sleep(rest().min(Duration::from_millis(100))).await;
    }
}

/// Runs it until it ends, or the program is asked to stop.
fn until_stopped(work: impl Future<Output = Result<(), String>>, is_endless: bool) -> Result<(), String> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| error.to_string())?;
    runtime.block_on(async {
        tokio::select! {
            outcome = work => outcome,
            () = asked_to_stop() => if is_endless {
                Ok(())
            } else {
                Err("stopped before the end. The servers go on with what was begun. Hint: memory-search follow \
                     --again goes \
                     on, too; memory-search unfollow removes it".into())
            },
        }
    })
}
