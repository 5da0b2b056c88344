//! Waits for a database that cannot be reached, with a message when it becomes unreachable and when it is back.

use std::time::{Duration, Instant};

use memory_search_client::database::error::DatabaseError;
use memory_search_client::log;

use crate::outage::is_outage;
use crate::said;
use crate::watcher::Watcher;

/// The longest time between two attempts to reach the database.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The interval at which a lasting outage is reported again.
const SAY_AGAIN: Duration = Duration::from_secs(60);

/// Waits until the database can be reached again.
pub async fn wait_for_database(watcher: &Watcher, error: DatabaseError) {
    watcher.outage();
    let (began, mut wait, mut error) = (Instant::now(), Duration::from_secs(1), error);
    let (mut said, mut at) = (String::new(), began);
    loop {
        let text = said::of(&error, watcher.task().log_texts);
        if text != said || at.elapsed() >= SAY_AGAIN {
            log::line(&format!("{text}; trying again"));
            (said, at) = (text, Instant::now());
        }
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(LONGEST_WAIT);
        match watcher.find().await {
            Err(again) if is_outage(&again) => error = again,
            _ => {
                log::line(&format!("the database is there again, after {} s", began.elapsed().as_secs()));
                return;
            }
        }
    }
}
