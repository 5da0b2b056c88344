//! `follow --watch`: embeds rows that wait, and says when something goes wrong and when it is well again. A server that
//! is away is waited for.

use std::time::{Duration, Instant};

use crate::follow::ends::Ends;
use crate::follow::record::{self, Record};
use crate::follow::session::Session;
use crate::follow::{copies, diagnosis, place, table};
use crate::log;

/// Rows in one transaction.
const BATCH: u32 = 200;
/// Between two looks at what waits, when nothing does.
const PAUSE: Duration = Duration::from_secs(1);
/// Between two looks at both servers.
const LOOK: Duration = Duration::from_secs(10);

/// How long the follower may need to come to where the source was.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is kept from round to round.
#[derive(Default)]
struct Watch {
    /// When both servers were looked at.
    looked: Option<Instant>,
    /// Errors of applying at that time.
    errors: Option<u64>,
    /// Why a row could not be embedded, at the last batch.
    failed: Option<String>,
}

/// Watches until the program is asked to stop.
pub async fn run(ends: &Ends, table_named: Option<&str>) -> Result<(), String> {
    let mut troubles: Option<Vec<String>> = None;
    let mut watch = Watch::default();
    loop {
        let said = match watch.round(ends, table_named).await {
            Ok(Some(said)) => said,
            Ok(None) => continue,
            Err(why) => vec![why],
        };
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

impl Watch {
    /// The troubles there are, where a look is due; else embeds what waits until the next look is due.
    async fn round(&mut self, ends: &Ends, table_named: Option<&str>) -> Result<Option<Vec<String>>, String> {
        let follower = ends.follower().await?;
        let record = record::one(&follower, table_named).await?;
        copies::refuse_a_copy(&follower, &record).await?;
        if self.looked.is_none_or(|at| at.elapsed() > LOOK) {
            let source = ends.source(&follower, &record.name).await;
            let said = self.look(&record, &follower, source.as_ref()).await?;
            self.looked = Some(Instant::now());
            return Ok(Some(said));
        }
        let since = Instant::now();
        while since.elapsed() < LOOK {
            let embedded = table::embed_waiting(&follower, &record, BATCH).await?;
            if self.failed.is_none() != embedded.failed.is_none() {
                // It is said at once, and so is that it is over.
                self.failed = embedded.failed;
                self.looked = None;
                return Ok(None);
            }
            self.failed = embedded.failed;
            if embedded.rows == 0 {
                tokio::time::sleep(PAUSE).await;
            }
        }
        Ok(None)
    }

    async fn look(
        &mut self,
        record: &Record,
        follower: &Session,
        source: Result<&Session, &String>,
    ) -> Result<Vec<String>, String> {
        let found = diagnosis::of(record, follower, source).await?;
        let hint = |needs: bool| if needs { ". Hint: memory-search follow --again" } else { "" };
        let mut said: Vec<String> =
            found.troubles.iter().map(|trouble| format!("{}{}", trouble.what, hint(trouble.needs_copy))).collect();
        let log = format!("Hint: the follower's log says why, in lines with \"subscription \\\"{}\\\"\"", record.name);
        // A worker that fails at a row is started again, and mostly runs when somebody looks.
        if self.errors.is_some_and(|before| found.errors > before) {
            said.push(format!("changes could not be applied since the last look. {log}"));
        }
        self.errors = Some(found.errors);
        if let (Ok(source), true, true) = (source, found.is_copied, said.is_empty()) {
            let now = place::of_source(source).await?;
            if place::reach(follower, &record.name, &now, PATIENCE).await?.is_none() {
                said.push(format!("it does not come to where the source was {} s ago. {log}", PATIENCE.as_secs()));
            }
        }
        if let Some(why) = &self.failed {
            said.push(format!("a row cannot be embedded, and is found by its words alone: {why}"));
        }
        Ok(said)
    }
}
