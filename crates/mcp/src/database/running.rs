//! Cancellation reaches the backend: who loses interest in a statement that runs must not leave it running.

use std::sync::Arc;

use deadpool_postgres::Object;
use tokio::sync::{OwnedRwLockReadGuard, RwLock};
use tokio_postgres_rustls::MakeRustlsConnect;

/// What is under way. The program ends when nothing is, or shortly after.
#[derive(Debug, Clone, Default)]
pub struct UnderWay(Arc<RwLock<()>>);

impl UnderWay {
    /// Something more is under way, until what this returns is gone.
    pub async fn begin(&self) -> OwnedRwLockReadGuard<()> {
        Arc::clone(&self.0).read_owned().await
    }

    /// Waits until nothing is under way any more.
    pub async fn end(&self) {
        let _ = self.0.write().await;
    }
}

/// A connection while a transaction runs on it. Dropped before [`Running::finished`], it asks the server to cancel, and
/// the connection is not used again: a late request would hit whatever runs on it next.
pub struct Running {
    connection: Option<Object>,
    tls: MakeRustlsConnect,
    under_way: Option<OwnedRwLockReadGuard<()>>,
}

impl Running {
    /// Watches over `connection`.
    pub fn new(connection: Object, tls: MakeRustlsConnect, under_way: OwnedRwLockReadGuard<()>) -> Self {
        Running { connection: Some(connection), tls, under_way: Some(under_way) }
    }

    /// The connection; it is there until [`Running::finished`] takes it.
    pub fn connection(&self) -> Option<&Object> {
        self.connection.as_ref()
    }

    /// The transaction has ended, and the connection can serve the next one.
    pub fn finished(mut self) {
        self.connection = None;
    }

    /// The connection is of no use any more, and nothing runs on it.
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
            // Where the server cannot be reached there is nothing to cancel.
            let _ = client.cancel_token().cancel_query(tls).await;
            drop((client, under_way));
        });
    }
}
