//! Cancellation reaches the backend: if the caller loses interest in a running statement, the statement must not go on.

use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::Object;
use tokio::sync::{OwnedRwLockReadGuard, RwLock};
use tokio_postgres_rustls::MakeRustlsConnect;

/// The time that the server has to take a cancellation.
const TO_CANCEL: Duration = Duration::from_secs(10);

/// The running work. The program ends when there is none, or shortly after.
#[derive(Debug, Clone, Default)]
pub struct UnderWay(Arc<RwLock<()>>);

impl UnderWay {
    /// Registers further work, until the returned guard is dropped.
    pub async fn begin(&self) -> OwnedRwLockReadGuard<()> {
        Arc::clone(&self.0).read_owned().await
    }

    /// Waits until no work is running.
    pub async fn end(&self) {
        let _ = self.0.write().await;
    }
}

/// A connection while a transaction runs on it. Dropped before [`Running::finished`], it asks the server to cancel, and
/// the connection is not used again: a late request would cancel the next statement on it.
pub struct Running {
    connection: Option<Object>,
    tls: MakeRustlsConnect,
    under_way: Option<OwnedRwLockReadGuard<()>>,
}

impl Running {
    /// Guards `connection`.
    pub fn new(connection: Object, tls: MakeRustlsConnect, under_way: OwnedRwLockReadGuard<()>) -> Self {
        Running { connection: Some(connection), tls, under_way: Some(under_way) }
    }

    /// The connection, until [`Running::finished`] takes it.
    pub fn connection(&self) -> Option<&Object> {
        self.connection.as_ref()
    }

    /// The transaction has ended, and the connection can be used for the next one.
    pub fn finished(mut self) {
        self.connection = None;
    }

    /// The connection cannot be used any more, and nothing runs on it.
    pub fn broken(mut self) {
        if let Some(connection) = self.connection.take() {
            drop(Object::take(connection));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        let client = Object::take(connection);
        let (tls, under_way) = (self.tls.clone(), self.under_way.take());
        tokio::spawn(async move {
            // If the server cannot be reached, there is nothing to cancel.
            let _ = tokio::time::timeout(TO_CANCEL, client.cancel_token().cancel_query(tls)).await;
            drop((client, under_way));
        });
    }
}
