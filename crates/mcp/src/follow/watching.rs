//! `follow --watch`: embeds rows that wait, and says when something goes wrong and when it is well again. A server that
//! is away is waited for.

use std::time::{Duration, Instant};

use crate::follow::ends::Ends;
use crate::follow::{diagnosis, identity, record, table};
use crate::log;

/// Rows in one transaction.
const BATCH: u32 = 200;
/// Between two looks at what waits, when nothing does.
const PAUSE: Duration = Duration::from_secs(1);
/// Between two looks at both servers.
const LOOK: Duration = Duration::from_secs(10);

/// Watches until the program is asked to stop.
pub async fn run(ends: &Ends, table_named: Option<&str>) -> Result<(), String> {
    let mut troubles: Option<Vec<String>> = None;
    let mut looked: Option<Instant> = None;
    loop {
        let is_due = looked.is_none_or(|at| at.elapsed() > LOOK);
        let said = match round(ends, table_named, is_due).await {
            Ok(Some(said)) => said,
            Ok(None) => continue,
            Err(why) => vec![why],
        };
        looked = Some(Instant::now());
        if troubles.as_ref() != Some(&said) {
            if said.is_empty() {
                log::line("all is well");
            }
            for trouble in &said {
                log::line(&format!("WRONG: {trouble}"));
            }
            troubles = Some(said);
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Embeds what waits until there is nothing or the next look is due; then the troubles there are.
async fn round(ends: &Ends, table_named: Option<&str>, is_due: bool) -> Result<Option<Vec<String>>, String> {
    let follower = ends.follower().await?;
    let record = record::one(&follower, table_named).await?;
    identity::refuse_a_copy(&follower, &record).await?;
    if is_due {
        let source = ends.source(&follower, &record.name).await;
        let found = diagnosis::of(&record, &follower, source.as_ref()).await?;
        let hint = |needs: bool| if needs { ". Hint: memory-search follow --again" } else { "" };
        let said = found.troubles.iter().map(|trouble| format!("{}{}", trouble.what, hint(trouble.needs_copy)));
        return Ok(Some(said.collect()));
    }
    let since = Instant::now();
    while since.elapsed() < LOOK {
        let (_, embedded) = table::embed_waiting(&follower, &record, BATCH).await?;
        if embedded == 0 {
            tokio::time::sleep(PAUSE).await;
        }
    }
    Ok(None)
}
