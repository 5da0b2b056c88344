//! Memory for one text's numbers, of sizes that the model's files give: a failed allocation is an error, never an
//! abort.

use std::ops::{Deref, DerefMut};

use crate::ModelError;

/// A line of the processor's caches, in numbers: a register that is loaded across two takes twice as long.
const LINE: usize = 16;

/// Room for so many numbers.
pub(super) fn empty(numbers: usize) -> Result<Vec<f32>, ModelError> {
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(numbers).map_err(|_| ModelError::OutOfMemory { numbers })?;
    Ok(buffer)
}

/// A buffer of zeros.
pub(super) fn zeros(numbers: usize) -> Result<Vec<f32>, ModelError> {
    let mut buffer = empty(numbers)?;
    buffer.resize(numbers, 0.0);
    Ok(buffer)
}

/// Numbers that begin with a line of the caches.
pub(super) struct Aligned {
    numbers: Vec<f32>,
    start: usize,
}

impl Aligned {
    /// A buffer of zeros.
    pub(super) fn zeros(numbers: usize) -> Result<Self, ModelError> {
        let mut numbers = zeros(numbers + LINE - 1)?;
        // The standard library may fail to give the offset; then the code is only slower.
        let start = numbers.as_ptr().align_offset(LINE * size_of::<f32>());
        let start = if start < LINE { start } else { 0 };
        numbers.truncate(numbers.len() - (LINE - 1) + start);
        Ok(Self { numbers, start })
    }

    /// Keeps the first ones.
    pub(super) fn truncate(&mut self, numbers: usize) {
        self.numbers.truncate(self.start + numbers);
    }
}

impl Deref for Aligned {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.numbers[self.start..]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.numbers[self.start..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_begin_with_a_line() {
        for count in [0, 1, 15, 16, 1_000, 100_000] {
            let mut numbers = Aligned::zeros(count).unwrap();
            assert_eq!((numbers.len(), numbers.as_ptr() as usize % 64), (count, 0));
            assert!(numbers.iter().all(|number| *number == 0.0));
            numbers.truncate(count / 2);
            assert_eq!(numbers.len(), count / 2);
        }
        assert!(Aligned::zeros(usize::MAX / 8).is_err());
    }
}
