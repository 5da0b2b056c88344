//! A session with the source or the follower. Statements about replication run outside of transactions, so they cannot
//! use the pool for calls. Values are texts, and each statement casts them.

use std::future::poll_fn;
use std::time::Duration;

use memory_search_client::database::connections::{notice_silence, patience};
use memory_search_client::log;
use tokio_postgres::types::Type;
use tokio_postgres::{AsyncMessage, Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

/// A row, each value as a text.
pub type Row = Vec<Option<String>>;

/// The setting for a transaction that locks tables while they are searched.
pub const LOCK_TIMEOUT: &str = "SET LOCAL lock_timeout = '2s'";
/// The end of its error if others had the table.
pub const LOCK_NOT_AVAILABLE: &str = "(SQLSTATE 55P03)";
/// The number of attempts.
pub const LOCK_ATTEMPTS: u32 = 10;
/// The pause between two attempts, so that waiting sessions come first.
pub const LOCK_PAUSE: Duration = Duration::from_secs(1);

/// One session.
pub struct Session {
    client: Client,
    /// "the source" or "the follower", for messages.
    what: &'static str,
}

impl Session {
    /// Connects; from then on, no name is resolved by a search path.
    pub async fn open(config: &Config, tls: MakeRustlsConnect, what: &'static str) -> Result<Self, String> {
        let mut config = config.clone();
        config.application_name("memory-search follow");
        notice_silence(&mut config);
        let cannot = |why: &str| format!("{what} cannot be reached: {why}");
        let connecting = tokio::time::timeout(patience(&config), config.connect(tls));
        let (client, mut connection) =
            connecting.await.map_err(|_| cannot("it did not answer"))?.map_err(|error| cannot(&said(&error)))?;
        tokio::spawn(async move {
            while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
                if let AsyncMessage::Notice(notice) = message {
                    log::line(&format!("{what}: {}", notice.message()));
                }
            }
        });
        let session = Session { client, what };
        session.run("SET search_path = ''; SET statement_timeout = 0; SET client_min_messages = notice").await?;
        Ok(session)
    }

    /// All rows; `values` are $1, $2, ... of type text.
    pub async fn rows(&self, sql: &str, values: &[&str]) -> Result<Vec<Row>, String> {
        let typed: Vec<_> =
            values.iter().map(|value| (value as &(dyn tokio_postgres::types::ToSql + Sync), Type::TEXT)).collect();
        let rows = self.client.query_typed(sql, &typed).await.map_err(|error| self.failed(&error))?;
        rows.iter()
            .map(|row| (0..row.len()).map(|at| row.try_get(at).map_err(|error| self.failed(&error))).collect())
            .collect()
    }

    /// The first row, if there is one.
    pub async fn row(&self, sql: &str, values: &[&str]) -> Result<Option<Row>, String> {
        Ok(self.rows(sql, values).await?.into_iter().next())
    }

    /// The first value of the first row.
    pub async fn value(&self, sql: &str, values: &[&str]) -> Result<Option<String>, String> {
        Ok(self.row(sql, values).await?.and_then(|mut row| row.swap_remove(0)))
    }

    /// Whether the statement's only value is true.
    pub async fn is(&self, sql: &str, values: &[&str]) -> Result<bool, String> {
        Ok(self.value(&format!("SELECT ({sql})::text"), values).await?.as_deref() == Some("true"))
    }

    /// Runs statements without values.
    pub async fn run(&self, sql: &str) -> Result<(), String> {
        self.client.batch_execute(sql).await.map_err(|error| self.failed(&error))
    }

    /// Runs statements as one transaction: all of them, or none.
    pub async fn transact(&self, statements: &[String]) -> Result<(), String> {
        self.run("BEGIN").await?;
        let outcome = self.run(&statements.join(";\n")).await;
        let end = self.run(if outcome.is_ok() { "COMMIT" } else { "ROLLBACK" }).await;
        outcome.and(end)
    }

    /// Runs statements on tables that are searched meanwhile: it does not wait for a lock so long that later sessions
    /// wait too, but tries again.
    pub async fn transact_patiently(&self, statements: &[String]) -> Result<(), String> {
        let bounded: Vec<String> = [LOCK_TIMEOUT.to_owned()].into_iter().chain(statements.iter().cloned()).collect();
        for attempt in 1.. {
            match self.transact(&bounded).await {
                Err(why) if why.contains(LOCK_NOT_AVAILABLE) && attempt < LOCK_ATTEMPTS => {
                    log::line(&format!("{} has the table locked by others; trying again", self.what));
                    tokio::time::sleep(LOCK_PAUSE).await;
                }
                outcome => return outcome,
            }
        }
        Ok(())
    }

    fn failed(&self, error: &tokio_postgres::Error) -> String {
        format!("{}: {}", self.what, said(error))
    }
}

/// The error as a text. Neither the server nor the driver repeats a password.
fn said(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(refusal) => {
            let mut text = refusal.message().to_owned();
            if let Some(detail) = refusal.detail() {
                text.push_str(&format!(". {}", detail.trim_end_matches('.')));
            }
            if let Some(hint) = refusal.hint() {
                text.push_str(&format!(". Hint: {}", hint.trim_end_matches('.')));
            }
            format!("{text} (SQLSTATE {})", refusal.code().code())
        }
        None => match std::error::Error::source(error) {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        },
    }
}

/// `text` as an SQL literal.
pub fn literal(text: &str) -> String {
    if text.contains('\\') {
        format!(" E'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
}
