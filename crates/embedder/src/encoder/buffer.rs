//! Memory for one text's numbers, of sizes that the model's files give: refused by an error, never by an abort.

use crate::ModelError;

/// Room for so many numbers.
pub(super) fn empty(numbers: usize) -> Result<Vec<f32>, ModelError> {
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(numbers).map_err(|_| ModelError::OutOfMemory { numbers })?;
    Ok(buffer)
}

/// So many zeros.
pub(super) fn zeros(numbers: usize) -> Result<Vec<f32>, ModelError> {
    let mut buffer = empty(numbers)?;
    buffer.resize(numbers, 0.0);
    Ok(buffer)
}
