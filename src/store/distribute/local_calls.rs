//! Calls about stores that are not distributed, in a database where Citus sends calls of our functions to other nodes: it
//! looks at the id of the memory alone, and the node that it finds may not have the store.

use crate::pg::planned_call::{self, Argument};
use crate::pg::{settings, spi};
use crate::store::definition;

/// Has such calls planned without Citus, where that is loaded.
pub fn keep_here() {
    if settings::current("citus.shard_count").is_some() {
        planned_call::decide(is_of_local_store);
    }
}

/// Whether a call names a store that is here and not distributed. Of one that is not, or has faults, the call itself tells.
fn is_of_local_store(store: Argument) -> bool {
    let named = match store {
        Argument::Missing => None,
        Argument::Value(name) => Some(name),
    };
    let Ok(name) = settings::store_or(named) else { return false };
    spi::read(|reader| Ok(definition::store(reader, &name).is_ok_and(|store| !store.is_distributed))).unwrap_or(false)
}
