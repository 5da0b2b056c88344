//! Figures of stores for Prometheus, in its text format. They are counts, bytes and times: never a memory's id or a
//! text.

pub mod collector;
pub mod door;
pub mod exposition;
pub mod figures;
pub mod statements;
pub mod tally;

use memory_search_client::database::connections::Connections;

use crate::command_line::{DatabaseArguments, MetricsArguments};
use crate::connecting;
use crate::metrics::collector::{Collector, Program};
use crate::metrics::door::Door;

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
