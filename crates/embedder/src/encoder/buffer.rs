//! Memory for one text's numbers, of sizes that the model's files give: a failed allocation is an error, never an
//! abort.

use std::ops::{Deref, DerefMut};

use crate::ModelError;

/// A line of the processor's caches, in bytes: a register that is loaded across two takes twice as long.
const LINE: usize = 64;

/// Room for so many numbers.
pub(super) fn empty<T>(numbers: usize) -> Result<Vec<T>, ModelError> {
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(numbers).map_err(|_| ModelError::OutOfMemory { numbers })?;
    Ok(buffer)
}

/// A buffer of zeros.
pub(super) fn zeros<T: Clone + Default>(numbers: usize) -> Result<Vec<T>, ModelError> {
    filled(numbers, T::default())
}

/// A buffer of equal numbers.
pub(super) fn filled<T: Clone>(numbers: usize, number: T) -> Result<Vec<T>, ModelError> {
    let mut buffer = empty(numbers)?;
    buffer.resize(numbers, number);
    Ok(buffer)
}

/// Numbers that begin with a line of the caches.
pub(super) struct Aligned<T = f32> {
    numbers: Vec<T>,
    start: usize,
}

impl<T: Clone + Default> Aligned<T> {
    /// A buffer of zeros.
    pub(super) fn zeros(numbers: usize) -> Result<Self, ModelError> {
        let line = LINE / size_of::<T>();
        let mut numbers: Vec<T> = zeros(numbers + line - 1)?;
        // The standard library may fail to give the offset; then the code is only slower.
        let start = numbers.as_ptr().align_offset(LINE);
        let start = if start < line { start } else { 0 };
        numbers.truncate(numbers.len() - (line - 1) + start);
        Ok(Self { numbers, start })
    }

    /// Keeps the first ones.
    pub(super) fn truncate(&mut self, numbers: usize) {
        self.numbers.truncate(self.start + numbers);
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.numbers[self.start..]
    }
}

impl<T> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.numbers[self.start..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_begin_with_a_line() {
        for count in [0, 1, 15, 16, 1_000, 100_000] {
            let mut numbers = Aligned::<f32>::zeros(count).unwrap();
            assert_eq!((numbers.len(), numbers.as_ptr() as usize % 64), (count, 0));
            assert!(numbers.iter().all(|number| *number == 0.0));
            numbers.truncate(count / 2);
            assert_eq!(numbers.len(), count / 2);
        }
        assert!(Aligned::<f32>::zeros(usize::MAX / 8).is_err());
    }
}
