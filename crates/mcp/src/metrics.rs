//! The figures of crates/metrics beside a command, if its arguments request them.

use memory_search_client::database::connections::Connections;
use memory_search_metrics::collector::{Collector, Program};
use memory_search_metrics::door::Door;

use crate::command_line::{DatabaseArguments, MetricsArguments};
use crate::connecting;

/// The prepared listener of figures, and its connections; `None` if no figures are requested. It has its own
/// connections, so that figures are available while all others are in use.
pub async fn prepare(
    arguments: &MetricsArguments,
    database: &DatabaseArguments,
    stores: Vec<String>,
    role: Option<String>,
    program: Option<Program>,
) -> Result<Option<(Door, Connections)>, String> {
    let Some(address) = arguments.metrics else { return Ok(None) };
    let bearer = arguments.bearer()?;
    let connections = connecting::configure(database, "memory-search metrics")?;
    let collector = Collector::new(connections.clone(), stores, role, program);
    let door = Door::open(address, bearer, collector).await?;
    Ok(Some((door, connections)))
}
