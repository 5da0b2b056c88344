//! Numbers of the matrix file: little-endian bytes, at any alignment, to `f32`.

use half::f16;
use half::slice::HalfFloatSliceExt;
use safetensors::Dtype;

/// Halves converted at a time: enough for the eight-wide F16C instruction to
/// pay, small enough to stay on the stack.
const HALVES: usize = 64;

/// The element types a matrix or a weight may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    F16,
    F32,
    F64,
    /// model2vec's `quantize_to="int8"`. The common scale factor is not stored;
    /// it drops out when the result is scaled to length 1.
    I8,
}

impl Element {
    pub(crate) const NAMES: &'static str = "F16, F32, F64 or I8";

    pub(crate) fn from_dtype(dtype: Dtype) -> Option<Self> {
        match dtype {
            Dtype::F16 => Some(Self::F16),
            Dtype::F32 => Some(Self::F32),
            Dtype::F64 => Some(Self::F64),
            Dtype::I8 => Some(Self::I8),
            _ => None,
        }
    }

    /// Size of one number in bytes.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::I8 => 1,
            Self::F16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// Adds `weight` × each number in `bytes` to the same element of `sum`.
    ///
    /// `bytes` holds `sum.len()` numbers; surplus on either side is ignored.
    pub(crate) fn add_scaled(self, bytes: &[u8], weight: f32, sum: &mut [f32]) {
        match self {
            Self::F16 => add_halves(bytes, weight, sum),
            Self::F32 => add(sum, chunks(bytes).map(f32::from_le_bytes), weight),
            Self::F64 => add(sum, chunks(bytes).map(|b| f64::from_le_bytes(b) as f32), weight),
            Self::I8 => add(sum, chunks(bytes).map(|b| f32::from(i8::from_le_bytes(b))), weight),
        }
    }

    /// The number in `bytes`, which holds exactly one.
    pub(crate) fn one(self, bytes: &[u8]) -> f32 {
        let mut number = [0.0];
        self.add_scaled(bytes, 1.0, &mut number);
        number[0]
    }
}

/// Arrays of `N` bytes; the short rest, if any, is left out.
fn chunks<const N: usize>(bytes: &[u8]) -> impl Iterator<Item = [u8; N]> {
    bytes.as_chunks().0.iter().copied()
}

fn add(sum: &mut [f32], numbers: impl Iterator<Item = f32>, weight: f32) {
    for (total, number) in sum.iter_mut().zip(numbers) {
        *total += weight * number;
    }
}

fn add_halves(bytes: &[u8], weight: f32, sum: &mut [f32]) {
    let mut halves = [f16::ZERO; HALVES];
    let mut singles = [0.0_f32; HALVES];
    for (sum, bytes) in sum.chunks_mut(HALVES).zip(bytes.chunks(2 * HALVES)) {
        let mut count = 0;
        for (half, pair) in halves.iter_mut().zip(chunks(bytes)) {
            *half = f16::from_le_bytes(pair);
            count += 1;
        }
        halves[..count].convert_to_f32_slice(&mut singles[..count]);
        add(sum, singles[..count].iter().copied(), weight);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_type_is_added_from_any_alignment() {
        let numbers: Vec<f32> = (0..200).map(|n| (n % 120) as f32 - 60.0).collect();
        let encode = |element: Element| -> Vec<u8> {
            let encoded = numbers.iter().flat_map(|&n| match element {
                Element::F16 => f16::from_f32(n).to_le_bytes().to_vec(),
                Element::F32 => n.to_le_bytes().to_vec(),
                Element::F64 => f64::from(n).to_le_bytes().to_vec(),
                Element::I8 => (n as i8).to_le_bytes().to_vec(),
            });
            std::iter::once(0).chain(encoded).collect()
        };
        for element in [Element::F16, Element::F32, Element::F64, Element::I8] {
            let mut sum = vec![1.0; numbers.len()];
            element.add_scaled(&encode(element)[1..], 2.0, &mut sum);
            for (sum, number) in sum.iter().zip(&numbers) {
                assert_eq!(*sum, 1.0 + 2.0 * number, "{element:?}");
            }
        }
    }
}
