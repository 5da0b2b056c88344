//! The size of a tree of filters, which is counted while it is read: a tree that is too large is not built.

use crate::bounds_and_defaults;
use crate::error::{Error, ErrorKind, Result};

/// The number of conditions that were read so far.
#[derive(Debug, Default)]
pub struct ConditionCount(usize);

impl ConditionCount {
    /// Counts more conditions, and refuses those beyond the limit.
    pub fn add(&mut self, conditions: usize) -> Result<()> {
        self.0 += conditions;
        if self.0 <= bounds_and_defaults::MAX_FILTER_CONDITIONS {
            return Ok(());
        }
        let message = format!("filters has more than {} conditions", bounds_and_defaults::MAX_FILTER_CONDITIONS);
        Err(Error::new(ErrorKind::LimitExceeded, message).hint("Ask for one of several values by {\"$in\": [...]}."))
    }
}
