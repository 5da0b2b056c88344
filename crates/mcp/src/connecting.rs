//! The connections of a command: to the database that its arguments name, or to this program's own server.

use std::sync::Arc;

use memory_search_client::database::connections::{ConnectionParameters, Connections};
use memory_search_client::database::own_server::OwnServer;

use crate::command_line::DatabaseArguments;
use crate::embedded::Lease;

/// Reads the arguments; makes no connection yet. If they name no database, starts this program's own server. The server
/// of the database shows `program` as the name of the application.
pub fn configure(arguments: &DatabaseArguments, program: &str) -> Result<Connections, String> {
    let parameters = |database, password| ConnectionParameters {
        database,
        password,
        tls_roots: arguments.tls_roots.as_deref(),
        most_connections: arguments.connections,
        program,
    };
    match arguments.named() {
        Some(database) => Connections::configure(parameters(database, arguments.password.as_deref()), None),
        None => {
            let lease = Lease::take(&arguments.embedded)?;
            let url = lease.url()?;
            let lease: Arc<dyn OwnServer> = Arc::new(lease);
            Connections::configure(parameters(&url, None), Some(lease))
        }
    }
}
