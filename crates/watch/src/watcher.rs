//! The work: pass after pass over the stores, each call a small transaction. Several watchers can share it, because the
//! functions skip rows that another session has locked.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use memory_search_client::database::connections::Connections;
use memory_search_client::database::error::DatabaseError;
use memory_search_client::database::reading::Reading;
use memory_search_client::database::scope::{Bounds, Caller};
use memory_search_client::database::transaction;

use crate::age::Age;
use crate::batch::Batch;
use crate::outage::is_outage;
use crate::progress::Progress;
use crate::said::{self, Said};
use crate::statements;
use crate::stores::{self, Store, Stores};
use crate::task::Task;
use memory_search_metrics::collector::reading_of;
use memory_search_metrics::statements::{Countable, MOST_COUNTED, waiting};
use memory_search_metrics::tally::Tally;

/// The time for one store before the next one has its turn.
const TURN: Duration = Duration::from_secs(5);

/// The interval at which rows to purge are looked up.
const PURGE_EVERY: Duration = Duration::from_secs(60);

/// The time for which a connection is used: a new embedder in the settings of role or database takes effect with the
/// next connection.
const CONNECTION_AGE: Duration = Duration::from_secs(60);

/// The number of times that a transaction that conflicted with others is repeated at once.
const RETRIES: u32 = 3;

/// One kind of work in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Job {
    Embed,
    Purge(Age),
}

/// The end of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    Done,
    More,
    Failed,
}

/// The end of a pass over all stores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pass {
    /// More work remains to be done at once.
    pub more: bool,
    /// A call was refused.
    pub failed: bool,
}

/// A watcher.
pub struct Watcher {
    connections: Connections,
    reading: Reading,
    bounds: Bounds,
    role: Option<String>,
    task: Task,
    tally: Arc<Tally>,
    said: Said,
    /// Lines of progress.
    pub progress: Progress,
    batches: BTreeMap<(String, Job), Batch>,
    purged: BTreeMap<String, Instant>,
}

impl Watcher {
    /// A watcher that is ready to work.
    pub fn new(
        connections: Connections,
        role: Option<String>,
        task: Task,
        tally: Arc<Tally>,
        progress_every: Duration,
    ) -> Self {
        let bounds = Bounds {
            user_setting: String::new(),
            max_entries: None,
            timeout_millis: u64::from(task.timeout_seconds) * 1000,
            read_only: false,
            settings: &[],
        };
        Watcher {
            reading: reading_of(connections.clone(), role.clone()),
            progress: Progress::new(Arc::clone(&tally), progress_every),
            said: Said::default(),
            batches: BTreeMap::new(),
            purged: BTreeMap::new(),
            connections,
            bounds,
            role,
            task,
            tally,
        }
    }

    /// Its task.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// Counts that the database could not be reached.
    pub fn outage(&self) {
        self.tally.outage();
    }

    /// The current stores.
    pub async fn find(&self) -> Result<Stores, DatabaseError> {
        let answer = self.in_time(self.reading.of_catalogs(&statements::stores(&self.task.named))).await?;
        Ok(stores::read(&answer, &self.task.named, self.task.purge_after.is_some()))
    }

    /// One pass over the stores. It is an error if the database cannot be reached.
    pub async fn pass(&mut self) -> Result<Pass, DatabaseError> {
        self.connections.renew(CONNECTION_AGE);
        let mut pass = Pass::default();
        let found = match self.find().await {
            Ok(found) => found,
            Err(error) if is_outage(&error) => return Err(error),
            Err(error) => {
                self.said.say("", &said::of(&error, self.task.log_texts));
                return Ok(Pass { more: false, failed: true });
            }
        };
        self.said.is_well("");
        for (store, why) in &found.refused {
            self.tally.count(store, |counts| counts.errors += 1);
            self.said.say(store, why);
            pass.failed = true;
        }
        for store in &found.stores {
            // A count of 0 is recorded, too: computing its growth needs it.
            self.tally.count(&store.name, |_| ());
            let mut turns = [Turn::Done; 2];
            if self.task.embeds {
                turns[0] = self.turn(store, Job::Embed).await?;
            }
            if let Some(age) = self.task.purge_after {
                turns[1] = self.turn(store, Job::Purge(age)).await?;
            }
            pass.more |= turns.contains(&Turn::More);
            pass.failed |= turns.contains(&Turn::Failed);
            if turns == [Turn::Done; 2] {
                self.tally.count(&store.name, |counts| counts.last_success = Some(SystemTime::now()));
            }
        }
        if self.progress.is_due() {
            self.progress.say("");
        }
        Ok(pass)
    }

    /// Works on one store for a while.
    async fn turn(&mut self, store: &Store, job: Job) -> Result<Turn, DatabaseError> {
        if job != Job::Embed && self.purged.get(&store.name).is_some_and(|then| then.elapsed() < PURGE_EVERY) {
            return Ok(Turn::Done);
        }
        let about = match job {
            Job::Embed => format!("embedding in {}", store.name),
            Job::Purge(_) => format!("purging in {}", store.name),
        };
        let key = (store.name.clone(), job);
        let mut batch = self.batches.get(&key).copied().unwrap_or_else(|| Batch::at_most(self.task.most_rows));
        let (began, mut retries) = (Instant::now(), 0);
        let turn = loop {
            let statement = match job {
                Job::Embed => statements::embed(&store.name, batch.rows()),
                Job::Purge(age) => statements::purge(&store.name, age, batch.rows()),
            };
            let started = Instant::now();
            let caller = Caller { store: None, user: None, role: self.role.clone() };
            let call = transaction::run(&self.connections, &caller, &self.bounds, &statement);
            match self.in_time(call).await {
                Ok(rows) => {
                    let rows = rows.and_then(|rows| rows.parse::<u64>().ok()).unwrap_or_default();
                    self.said.is_well(&about);
                    // Embedding may wait for a service that then fails. Purging nothing only looks for rows.
                    if rows > 0 || job == Job::Embed {
                        batch.took(started.elapsed(), rows);
                    }
                    if rows == 0 {
                        break Turn::Done;
                    }
                    self.tally.count(&store.name, |counts| match job {
                        Job::Embed => counts.embedded += rows,
                        Job::Purge(_) => counts.purged += rows,
                    });
                    self.say_progress(store).await;
                    if began.elapsed() > TURN {
                        break Turn::More;
                    }
                }
                Err(error) if is_outage(&error) => return Err(error),
                Err(error) => {
                    let text = format!("{about}: {}", said::of(&error, self.task.log_texts));
                    let retry = match error.code() {
                        "57014" => batch.shrink(),
                        "40001" | "40P01" | "55P03" => retries < RETRIES,
                        // The application brings the embeddings of this store, and nobody named the store to be
                        // embedded here.
                        "22000" if job == Job::Embed && self.task.named.is_empty() => {
                            let why = said::of(&error, self.task.log_texts);
                            self.said.say_once(&about, &format!("{about} is skipped: {why}"));
                            break Turn::Done;
                        }
                        _ => false,
                    };
                    let text = match error.code() {
                        "22000" if job == Job::Embed => format!("{text} -- or give --no-embed to purge only"),
                        _ => text,
                    };
                    if retry {
                        retries += 1;
                        continue;
                    }
                    self.tally.count(&store.name, |counts| counts.errors += 1);
                    self.said.say(&about, &text);
                    break Turn::Failed;
                }
            }
        };
        if turn == Turn::Done && job != Job::Embed {
            self.purged.insert(store.name.clone(), Instant::now());
        }
        self.batches.insert(key, batch);
        Ok(turn)
    }

    async fn say_progress(&mut self, store: &Store) {
        if !self.progress.is_due() {
            return;
        }
        // Rows that a policy hides cannot be counted, and entries of an adopted table do not wait for this program.
        let left = if store.bound || !self.task.embeds {
            String::new()
        } else {
            let countable = Countable { store: store.name.clone(), entries: !store.adopted, contexts: true };
            match self.in_time(self.reading.of_catalogs(&waiting(&[&countable]))).await {
                Ok(found) => match found[&store.name]["waiting"].as_u64().unwrap_or_default() {
                    rows if rows >= u64::from(MOST_COUNTED) => format!("; {rows} or more wait in {}", store.name),
                    rows => format!("; {rows} wait in {}", store.name),
                },
                Err(_) => String::new(),
            }
        };
        self.progress.say(&left);
    }

    /// The server ends statements that take too long; but it cannot if the connection to it is lost.
    async fn in_time<T>(&self, call: impl Future<Output = Result<T, DatabaseError>>) -> Result<T, DatabaseError> {
        let seconds = u64::from(self.task.timeout_seconds) + 15;
        match tokio::time::timeout(Duration::from_secs(seconds), call).await {
            Ok(outcome) => outcome,
            Err(_) => Err(DatabaseError::Unreachable(format!("it did not answer for {seconds} seconds"))),
        }
    }
}
