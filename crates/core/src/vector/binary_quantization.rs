//! Binary quantization: an estimate of how near a vector is to the query's, from the signs of its elements
//! alone: one bit a dimension, which a scan can read where the vector itself would be a page away.
//!
//! Only the stored side is quantized, the query keeps its numbers ("asymmetric" distance:
//! Gordo et al., "Asymmetric Distances for Binary Embeddings", 2011). It chooses whose distance is
//! worth computing; it never ranks.

/// Dimensions in a half byte, and the sums that its bits can give.
const DIMENSIONS: usize = 4;
const SUMS: usize = 1 << DIMENSIONS;

/// A query's vector, prepared to meet many quantized vectors.
#[derive(Debug, Clone)]
pub struct QuantizedQuery {
    dimensions: usize,
    // For each half byte of a row's bits, the query's part of the sum by what it holds.
    sums: Vec<[f32; SUMS]>,
}

impl QuantizedQuery {
    /// For a query of so many finite elements.
    pub fn new(query: &[f32]) -> Self {
        let mut sums: Vec<[f32; SUMS]> = query
            .chunks(DIMENSIONS)
            .map(|elements| {
                std::array::from_fn(|bits| {
                    // The first dimension is the highest bit, as in PostgreSQL's bit strings.
                    let is_positive = |dimension: usize| bits >> (DIMENSIONS - 1 - dimension) & 1 == 1;
                    elements.iter().enumerate().map(|(dimension, &x)| if is_positive(dimension) { x } else { -x }).sum()
                })
            })
            .collect();
        // Whole bytes: the bits behind the last dimension say nothing.
        sums.resize(sums.len().next_multiple_of(2), [0.0; SUMS]);
        QuantizedQuery { dimensions: query.len(), sums }
    }

    /// The query's dimensions, which a row's bits must have to be compared.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The sum of the query's elements under a row's bits (one a a dimension, highest first): the
    /// greater, the nearer. Bytes that are missing count nothing.
    #[inline]
    pub fn estimate(&self, bits: &[u8]) -> f32 {
        // Two sums at a time: additions wait for each other, look-ups do not.
        let (mut high, mut low) = (0.0, 0.0);
        for (sums, &byte) in self.sums.chunks_exact(2).zip(bits) {
            high += sums[0][usize::from(byte >> 4)];
            low += sums[1][usize::from(byte & 0xf)];
        }
        high + low
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn quantized(vector: &[f32]) -> Vec<u8> {
        vector
            .chunks(8)
            .map(|eight| eight.iter().enumerate().fold(0, |byte, (bit, &x)| byte | u8::from(x > 0.0) << (7 - bit)))
            .collect()
    }

    proptest! {
        #[test]
        fn an_estimate_is_the_sum_of_the_querys_elements_under_the_rows_signs(
            pairs in proptest::collection::vec((-1.0f32..1.0, -1.0f32..1.0), 1..70),
        ) {
            let (query, row): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            let naive: f32 = query.iter().zip(&row).map(|(q, r)| if *r > 0.0 { *q } else { -q }).sum();
            let estimate = QuantizedQuery::new(&query).estimate(&quantized(&row));
            prop_assert!((estimate - naive).abs() < 1e-4, "{estimate} {naive}");
        }

        #[test]
        fn no_row_is_estimated_nearer_than_the_query_itself(
            pairs in proptest::collection::vec((-1.0f32..1.0, -1.0f32..1.0), 1..70),
        ) {
            let (query, row): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            let prepared = QuantizedQuery::new(&query);
            prop_assert!(prepared.estimate(&quantized(&row)) <= prepared.estimate(&quantized(&query)) + 1e-4);
        }
    }

    #[test]
    fn bits_behind_the_last_dimension_and_missing_bytes_count_nothing() {
        let query = QuantizedQuery::new(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(query.dimensions(), 5);
        assert_eq!(query.estimate(&[0b1111_1000]), 15.0);
        assert_eq!(query.estimate(&[0b1111_1111]), 15.0);
        assert_eq!(query.estimate(&[]), 0.0);
    }
}
