//! What codes say about the cosine with a query.

use super::code::{Factors, HEADER_BYTES, code_bytes, level_bytes, middle};
use super::simd::{self, BLOCK, Instructions, QueryBlock, Rows};
use super::{DEVIATIONS, FINE_DIMENSIONS, Mean, Rotation};

/// Greatest coordinate of a query in whole numbers: one byte where levels take half of one, two bytes else.
const COARSE_LIMIT: f32 = 127.0;
const FINE_LIMIT: f32 = 32_767.0;
/// Deviation for what single precision loses, here and where exact cosines are computed.
const ROUNDING: f32 = 4e-7;
/// Added to the square of a residual's length where a rounded one might be too small.
const RESIDUAL_ROUNDING: f32 = 1e-6;
/// Rows whose products are made before their estimates are.
const ROWS_A_BATCH: usize = 32;

/// The cosine of a query and a row, as far as a code says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The expected cosine.
    pub cosine: f32,
    /// Standard deviation of the exact cosine from it.
    pub error: f32,
}

impl Estimate {
    /// What the exact cosine exceeds practically never.
    pub fn upper(self) -> f32 {
        self.cosine + DEVIATIONS * self.error
    }

    /// What the exact cosine falls short of practically never.
    pub fn lower(self) -> f32 {
        self.cosine - DEVIATIONS * self.error
    }
}

/// A query embedding, rotated.
#[derive(Debug, Clone)]
pub struct Query {
    unit: Vec<f32>,
    instructions: Instructions,
}

impl Query {
    /// Of an embedding of any length. `None` if it is zero or not finite, or has too many dimensions.
    pub fn new(embedding: &[f32]) -> Option<Query> {
        let unit = Rotation::new(embedding.len())?.unit(embedding)?;
        Some(Query { unit, instructions: Instructions::detect() })
    }

    /// Makes it ready for codes that are counted from a mean, or from zero. `None` if the mean has other dimensions.
    pub fn against(&self, mean: Option<&Mean>) -> Option<Prepared> {
        match mean {
            None => Some(self.prepare(&self.unit, 0.0, 0.0)),
            Some(mean) if mean.dimensions() == self.unit.len() => {
                let residual: Vec<f32> = self.unit.iter().zip(mean.values()).map(|(q, c)| q - c).collect();
                Some(self.prepare(&residual, simd::dot(&self.unit, mean.values()), mean.squared_norm()))
            }
            Some(_) => None,
        }
    }

    fn prepare(&self, residual: &[f32], along_mean: f64, squared_mean: f64) -> Prepared {
        let dimensions = residual.len();
        let limit = if dimensions <= FINE_DIMENSIONS { FINE_LIMIT } else { COARSE_LIMIT };
        let greatest = simd::greatest(residual);
        let step = if greatest > 0.0 { greatest / limit } else { 1.0 };
        let whole: Vec<i16> = residual.iter().map(|value| (value / step).round().clamp(-limit, limit) as i16).collect();
        // The scale that leaves the error of rounding perpendicular to the rounded query: rows in its direction, which
        // are the ones that matter, are then estimated without it.
        let (mut along, mut squared) = (0.0, 0.0);
        for (&value, &whole) in residual.iter().zip(&whole) {
            along += f64::from(value) * f64::from(whole);
            squared += f64::from(whole) * f64::from(whole);
        }
        let scale = if squared > 0.0 { along / squared } else { 0.0 };
        let lost =
            residual.iter().zip(&whole).map(|(&v, &w)| (f64::from(v) - scale * f64::from(w)).powi(2)).sum::<f64>();
        let total: i32 = whole.iter().map(|&value| i32::from(value)).sum();
        Prepared {
            dimensions,
            instructions: self.instructions,
            half_scale: (scale / 2.0) as f32,
            twice_middles: (2.0 * middle(dimensions)) as i32 * total,
            base: (along_mean - squared_mean) as f32,
            squared_mean: squared_mean as f32,
            squared_length: simd::dot(residual, residual) as f32,
            rounding: (lost / dimensions as f64) as f32,
            freedom: (dimensions - 1) as f32,
            coordinates: if dimensions <= FINE_DIMENSIONS {
                Coordinates::Fine(whole)
            } else {
                Coordinates::Coarse(blocks(&whole))
            },
        }
    }
}

/// The coordinates in the order in which codes hold levels.
fn blocks(whole: &[i16]) -> Vec<QueryBlock> {
    whole
        .chunks(BLOCK)
        .map(|values| {
            let mut block = [0; BLOCK];
            let (low, high) = values.split_at(values.len().div_ceil(2));
            let halves = block.split_at_mut(BLOCK / 2);
            halves.0.iter_mut().zip(low).for_each(|(place, &value)| *place = value as i8);
            halves.1.iter_mut().zip(high).for_each(|(place, &value)| *place = value as i8);
            block
        })
        .collect()
}

/// A query for the codes of one group, its coordinates rounded to whole numbers.
#[derive(Debug, Clone)]
pub struct Prepared {
    dimensions: usize,
    instructions: Instructions,
    coordinates: Coordinates,
    /// Half of what a whole number stands for.
    half_scale: f32,
    /// Twice the product of the query with a vector of the middle between levels.
    twice_middles: i32,
    /// <q, c> - |c|^2
    base: f32,
    /// |c|^2
    squared_mean: f32,
    /// |q - c|^2
    squared_length: f32,
    /// Mean square of what rounding took from a coordinate.
    rounding: f32,
    /// One less than the number of dimensions.
    freedom: f32,
}

#[derive(Debug, Clone)]
enum Coordinates {
    Coarse(Vec<QueryBlock>),
    Fine(Vec<i16>),
}

impl Prepared {
    /// Bytes of the codes that it can be compared with.
    pub fn code_bytes(&self) -> usize {
        code_bytes(self.dimensions)
    }

    /// What a code says. `None` for bytes that are no code, or one of other dimensions.
    pub fn estimate(&self, code: &[u8]) -> Option<Estimate> {
        let mut estimate = None;
        if code.len() == self.code_bytes() {
            self.scan(code, code.len(), |_, found| estimate = found);
        }
        estimate
    }

    /// Calls `each` with the number and the estimate of each of many codes, which begin every `stride` bytes; `None` as
    /// in [`Prepared::estimate`]. What follows the last whole code is ignored.
    pub fn scan(&self, codes: &[u8], stride: usize, mut each: impl FnMut(usize, Option<Estimate>)) {
        let bytes = self.code_bytes();
        if stride < bytes {
            return;
        }
        let count = (codes.len() + stride - bytes) / stride;
        for first in (0..count).step_by(ROWS_A_BATCH) {
            let rows = (count - first).min(ROWS_A_BATCH);
            let estimates = self.batch(&codes[first * stride..], stride, rows);
            for (row, estimate) in estimates.into_iter().take(rows).enumerate() {
                each(first + row, estimate);
            }
        }
    }

    /// The estimates of the first `rows` codes, at most [`ROWS_A_BATCH`].
    fn batch(&self, codes: &[u8], stride: usize, rows: usize) -> [Option<Estimate>; ROWS_A_BATCH] {
        let mut products = [0; ROWS_A_BATCH];
        let levels = Rows { codes, stride, first: HEADER_BYTES, bytes: level_bytes(self.dimensions) };
        match &self.coordinates {
            Coordinates::Coarse(query) => self.instructions.half_byte_products(levels, query, &mut products[..rows]),
            Coordinates::Fine(query) => {
                self.instructions.run(|| levels.each(&mut products[..rows], |levels| byte_product(levels, query)));
            }
        }
        let mut factors = [Factors { dimensions: 0, a: 0.0, f: 0.0, e: 0.0 }; ROWS_A_BATCH];
        for (row, factors) in factors[..rows].iter_mut().enumerate() {
            if let Some((header, _)) = codes[row * stride..].split_first_chunk() {
                *factors = Factors::read(header);
            }
        }
        self.instructions.run(|| {
            std::array::from_fn(|row| {
                let fits = usize::from(factors[row].dimensions) == self.dimensions;
                let estimate = self.combine(factors[row], products[row]);
                fits.then_some(estimate)
            })
        })
    }

    #[inline(always)]
    fn combine(&self, factors: Factors, product: i32) -> Estimate {
        let Factors { a, f, e, .. } = factors;
        let inner = f * (self.half_scale * (2 * product - self.twice_middles) as f32);
        let squared_residual = (1.0 - 2.0 * a + self.squared_mean).max(0.0) + RESIDUAL_ROUNDING;
        let squared_error = e * e;
        // Only what of q - c is perpendicular to the residual meets the code's error. The part along it is at least this.
        let along = (inner.abs() - DEVIATIONS * (squared_error * self.squared_length).sqrt()).max(0.0);
        let perpendicular = (self.squared_length - along * along / squared_residual).max(0.0);
        let rounding = (squared_residual + squared_error * self.freedom) * self.rounding;
        let error = (squared_error * perpendicular + rounding).sqrt() + ROUNDING;
        Estimate { cosine: self.base + a + inner, error }
    }
}

/// The product of levels of a byte with a query.
#[inline(always)]
fn byte_product(levels: &[u8], query: &[i16]) -> i32 {
    levels.iter().zip(query).map(|(&level, &value)| i32::from(level) * i32::from(value)).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::encode;
    use super::*;

    fn cosine(a: &[f32], b: &[f32]) -> f64 {
        simd::dot(a, b) / (simd::dot(a, a) * simd::dot(b, b)).sqrt()
    }

    fn vectors(dimensions: std::ops::Range<usize>, count: usize) -> impl Strategy<Value = Vec<Vec<f32>>> {
        dimensions.prop_flat_map(move |dimensions| {
            let vector =
                prop::collection::vec(-1f32..1.0, dimensions).prop_filter("no zero", |v| v.iter().any(|&x| x != 0.0));
            // Some lie near the first one, and some are it.
            (prop::collection::vec((vector, prop::sample::select(vec![0.0f32, 0.1, 1.0])), count)).prop_map(
                |mut all| {
                    let first = all[0].0.clone();
                    for (vector, own) in &mut all[1..] {
                        vector
                            .iter_mut()
                            .zip(&first)
                            .for_each(|(value, first)| *value = *own * *value + (1.0 - *own) * first);
                    }
                    all.into_iter().map(|(vector, _)| vector).collect()
                },
            )
        })
    }

    fn mean_of(vectors: &[Vec<f32>]) -> Option<Mean> {
        let rotation = Rotation::new(vectors[0].len())?;
        Mean::of(vectors.iter().filter_map(|vector| rotation.unit(vector)))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn the_exact_cosine_lies_within_the_bounds(vectors in vectors(1..200, 5)) {
            let (query, rows) = vectors.split_first().unwrap();
            let rotation = Rotation::new(query.len()).unwrap();
            let mean = mean_of(rows);
            for (row, mean) in rows.iter().flat_map(|row| [(row, None), (row, mean.as_ref())]) {
                let Some(code) = encode(&rotation, row, mean) else { continue };
                let prepared = Query::new(query).unwrap().against(mean).unwrap();
                let estimate = prepared.estimate(&code).unwrap();
                let exact = cosine(query, row) as f32;
                prop_assert!(estimate.lower() <= exact && exact <= estimate.upper(), "{} of {:?}", exact, estimate);
                let most = if query.len() <= FINE_DIMENSIONS { 0.01 } else { 0.06 };
                prop_assert!(estimate.error < most, "{:?} of {} dimensions", estimate, query.len());
            }
        }

        #[test]
        fn all_instructions_give_the_same_estimates(vectors in vectors(1..700, 3)) {
            let (query, rows) = vectors.split_first().unwrap();
            let (rotation, mean) = (Rotation::new(query.len()).unwrap(), mean_of(rows));
            let widest = Query::new(query).unwrap();
            let plain = Query { instructions: Instructions::Plain, ..widest.clone() };
            let (widest, plain) = (widest.against(mean.as_ref()).unwrap(), plain.against(mean.as_ref()).unwrap());
            for code in rows.iter().filter_map(|row| encode(&rotation, row, mean.as_ref())) {
                prop_assert_eq!(widest.estimate(&code), plain.estimate(&code));
            }
        }

        #[test]
        fn codes_at_a_distance_are_estimated_as_alone(vectors in vectors(1..300, 75), count in 1usize..75, gap in 0usize..9) {
            let (query, rows) = vectors.split_first().unwrap();
            let rotation = Rotation::new(query.len()).unwrap();
            let prepared = Query::new(query).unwrap().against(None).unwrap();
            let rows: Vec<Vec<u8>> = rows.iter().take(count).filter_map(|row| encode(&rotation, row, None)).collect();
            let stride = prepared.code_bytes() + gap;
            let mut codes: Vec<u8> = rows.iter().flat_map(|code| [&code[..], &vec![7; gap]].concat()).collect();
            codes.truncate(codes.len() - gap);
            let mut estimates = Vec::new();
            prepared.scan(&codes, stride, |row, estimate| {
                assert_eq!(row, estimates.len());
                estimates.push(estimate);
            });
            prop_assert_eq!(estimates, rows.iter().map(|code| prepared.estimate(code)).collect::<Vec<_>>());
        }

        #[test]
        fn any_bytes_are_estimated_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), stride in 0usize..60) {
            let prepared = Query::new(&[1.0; 40]).unwrap().against(None).unwrap();
            prepared.scan(&bytes, stride, |_, _| ());
            prop_assert_eq!(prepared.estimate(&bytes), None);
        }
    }

    #[test]
    fn a_row_like_the_query_is_estimated_more_exactly() {
        let query: Vec<f32> = (0..256).map(|at| (at as f32 * 1.7).sin()).collect();
        let other: Vec<f32> = (0..256).map(|at| (at as f32 * 0.9).cos()).collect();
        let rotation = Rotation::new(256).unwrap();
        let prepared = Query::new(&query).unwrap().against(None).unwrap();
        let [same, other] =
            [query, other].map(|row| prepared.estimate(&encode(&rotation, &row, None).unwrap()).unwrap());
        assert!(same.error < other.error / 2.0, "{same:?} {other:?}");
        assert!((same.cosine - 1.0).abs() < 0.002);
    }

    #[test]
    fn other_dimensions_are_refused() {
        let code = encode(&Rotation::new(41).unwrap(), &[1.0; 41], None).unwrap();
        let query = Query::new(&[1.0; 42]).unwrap();
        assert_eq!(query.against(None).unwrap().estimate(&code), None);
        assert!(query.against(mean_of(&[vec![1.0; 41]]).as_ref()).is_none());
        assert!(Query::new(&[]).is_none() && Query::new(&[0.0; 8]).is_none());
    }

    #[test]
    fn a_query_that_equals_the_mean_is_its_cosine_with_all() {
        let mut row = vec![0.0; 64];
        row[3] = 1.0;
        let mut unit = row.clone();
        Rotation::new(64).unwrap().rotate(&mut unit);
        let mean = Mean::of([unit]).unwrap();
        let code = encode(&Rotation::new(64).unwrap(), &row, Some(&mean)).unwrap();
        let estimate = Query::new(&row).unwrap().against(Some(&mean)).unwrap().estimate(&code).unwrap();
        assert!((estimate.cosine - 1.0).abs() < 1e-6 && estimate.error < 1e-5, "{estimate:?}");
    }
}
