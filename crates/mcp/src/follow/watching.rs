//! `follow --watch`: embeds waiting rows, and reports when a problem begins and when it ends. It waits for a server
//! that is unreachable.

use std::time::{Duration, Instant};

use memory_search_client::log;
use memory_search_watch::batch::Batch;

use crate::follow::ends::Ends;
use crate::follow::record::{self, Record};
use crate::follow::session::Session;
use crate::follow::{copies, diagnosis, partitions, place, table};

/// The most rows of one transaction. Replication waits for the rows that are being embedded, so fewer are in it if the
/// embedder is slow.
const MOST_ROWS: u32 = 200;
/// The pause between two look-ups of waiting rows, if there are none.
const PAUSE: Duration = Duration::from_secs(1);
/// The time between two examinations of both servers.
const LOOK: Duration = Duration::from_secs(10);

/// The time that the follower may need to reach the source's position.
const PATIENCE: Duration = Duration::from_secs(5);

/// The state that is kept from round to round.
struct Watch {
    /// The rows of the next transaction.
    batch: Batch,
    /// The time of the last examination of both servers.
    looked: Option<Instant>,
    /// The number of errors while applying at that time.
    errors: Option<u64>,
    /// The reason why a row could not be embedded, in the last batch.
    failed: Option<String>,
}

/// Watches until the program is asked to stop.
pub async fn run(ends: &Ends, table_named: Option<&str>) -> Result<(), String> {
    let mut troubles: Option<Vec<String>> = None;
    let mut watch = Watch { batch: Batch::at_most(MOST_ROWS), looked: None, errors: None, failed: None };
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
    /// The current problems, if an examination is due; else embeds waiting rows until the next examination.
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
            let begun = Instant::now();
            let embedded = table::embed_waiting(&follower, &record, self.batch.rows()).await?;
            self.batch.took(begun.elapsed(), embedded.rows);
            if self.failed.is_none() != embedded.failed.is_none() {
                // Its beginning and its end are reported at once.
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
        partitions::note(follower, record, &found.further).await?;
        let hint = |needs: bool| if needs { ". Hint: memory-search follow --again" } else { "" };
        let mut said: Vec<String> =
            found.troubles.iter().map(|trouble| format!("{}{}", trouble.what, hint(trouble.needs_copy))).collect();
        let log = format!("Hint: the follower's log says why, in lines with \"subscription \\\"{}\\\"\"", record.name);
        // A worker that fails at a row is restarted, and usually runs at the time of an examination.
        if self.errors.is_some_and(|before| found.errors > before) {
            said.push(format!("changes could not be applied since the last look. {log}"));
        }
        self.errors = Some(found.errors);
        if let (Ok(source), true, true) = (source, found.is_copied, said.is_empty()) {
            let now = place::of_source(source).await?;
            if place::reach(follower, &record.name, &now, PATIENCE).await?.is_none() {
                said.push(format!(
                    "it has not reached the LSN at which the source was {} s ago. {log}",
                    PATIENCE.as_secs()
                ));
            }
        }
        if let Some(why) = &self.failed {
            said.push(format!("a row cannot be embedded, and is found by its words alone: {why}"));
        }
        Ok(said)
    }
}
