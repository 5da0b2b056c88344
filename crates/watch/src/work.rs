//! The course of the work: finds the stores, and works on them until everything is done or for ever.

use std::time::Duration;

use memory_search_client::log;

use crate::outage::{is_of_configuration, is_outage};
use crate::patience::wait_for_database;
use crate::said;
use crate::stores::Stores;
use crate::watcher::Watcher;

/// Works on the stores, with a pause of `every` when nothing is left to do; with `once`, until everything is done. It is
/// an error if it cannot begin, or if something could not be done once.
pub async fn work(watcher: &mut Watcher, once: bool, every: Duration) -> Result<(), String> {
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
