//! Estimates of the cosine with a query, from codes.

use super::code::{Factors, HEADER_BYTES, code_bytes, level_bytes, middle};
use super::parts::{FIRST_HEADER_BYTES, FirstFactors, REST_HEADER_BYTES, first_bytes, rest_bytes, rest_factors};
use super::planes::{PLANES, QueryBlock, plane_bytes, query_blocks};
use super::simd::{self, Instructions, Rows, Work};
use super::{DEVIATIONS, FINE_DIMENSIONS, FIRST_DEVIATIONS, Mean, Rotation};

/// Greatest coordinate of a query in whole numbers: one byte where levels take half of one, two bytes else.
const COARSE_LIMIT: f32 = 127.0;
const FINE_LIMIT: f32 = 32_767.0;
/// Adding it to a small number and subtracting it rounds to a whole number: next to 1.5 times 2^23 there is no room for
/// fractions.
const TO_WHOLE: f32 = 12_582_912.0;
/// The deviation by rounding in single precision, here and in the exact cosines.
const ROUNDING: f32 = 4e-7;
/// Added to the square of a residual's length where a rounded one might be too small.
const RESIDUAL_ROUNDING: f32 = 1e-6;
/// The number of rows whose products are computed before their estimates.
const ROWS_A_BATCH: usize = 32;

/// The cosine of a query and a row, as estimated by a code.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The expected cosine.
    pub cosine: f32,
    /// Standard deviation of the exact cosine from it.
    pub error: f32,
}

impl Estimate {
    /// The bound that the exact cosine practically never exceeds.
    pub fn upper(self) -> f32 {
        self.cosine + DEVIATIONS * self.error
    }

    /// The bound that the exact cosine is practically never below.
    pub fn lower(self) -> f32 {
        self.cosine - DEVIATIONS * self.error
    }

    /// An upper bound that the exact cosine hardly ever exceeds, of a first estimate ([`FIRST_DEVIATIONS`]).
    pub fn first_upper(self) -> f32 {
        self.cosine + FIRST_DEVIATIONS * self.error
    }
}

/// The estimate by the first part of a code, and the sums that the rest is added to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct First {
    /// By the first part alone. It is wider than the estimate by the whole code, unless there is no rest.
    pub estimate: Estimate,
    /// The code's `a`.
    a: f32,
    /// The product of its highest bits with the query.
    signs: i32,
}

/// A query embedding, rotated.
#[derive(Debug, Clone)]
pub struct Query {
    unit: Vec<f32>,
    instructions: Instructions,
}

impl Query {
    /// The query for an embedding of any length. `None` if it is zero or not finite, or has too many dimensions.
    pub fn new(embedding: &[f32]) -> Option<Query> {
        let unit = Rotation::new(embedding.len())?.unit(embedding)?;
        Some(Query { unit, instructions: Instructions::detect() })
    }

    /// The number of its dimensions.
    pub fn dimensions(&self) -> usize {
        self.unit.len()
    }

    /// Prepares it for codes that are relative to a mean, or to zero. `None` if the mean has other dimensions.
    pub fn against(&self, mean: Option<&Mean>) -> Option<Prepared> {
        let fits = mean.is_none_or(|mean| mean.dimensions() == self.unit.len());
        fits.then(|| self.instructions.run(Against { query: self, mean }))
    }

    #[inline(always)]
    fn prepare(&self, residual: &[f32], along_mean: f64, squared_mean: f64) -> Prepared {
        let dimensions = residual.len();
        let limit = if dimensions <= FINE_DIMENSIONS { FINE_LIMIT } else { COARSE_LIMIT };
        let greatest = simd::greatest(residual);
        let inverse_step = Some(limit / greatest).filter(|inverse| inverse.is_finite()).unwrap_or(1.0);
        let to_whole = |value: &f32| (value * inverse_step).max(-limit).min(limit) + TO_WHOLE - TO_WHOLE;
        let whole: Vec<f32> = residual.iter().map(to_whole).collect();
        // This scale makes the error of rounding perpendicular to the rounded query. So the estimates of rows in its
        // direction, which matter most, do not contain this error.
        let (along, squared) = (simd::dot(residual, &whole), simd::dot(&whole, &whole));
        let squared_length = simd::dot(residual, residual);
        let scale = if squared > 0.0 { along / squared } else { 0.0 };
        // |r - scale w|², of which the scale makes the product of both a part.
        let lost = (squared_length - scale * along).max(0.0);
        let whole: Vec<i16> = whole.iter().map(|&value| value as i16).collect();
        let total: i32 = whole.iter().map(|&value| i32::from(value)).sum();
        let (length, rounding) = (squared_length.sqrt(), lost / dimensions as f64);
        let freedom = (dimensions - 1) as f64;
        let base = (along_mean - squared_mean) as f32;
        Prepared {
            dimensions,
            instructions: self.instructions,
            first_bound: FirstBound::of(base, squared_mean, length, rounding, freedom),
            half_scale: (scale / 2.0) as f32,
            total,
            base,
            squared_mean: squared_mean as f32,
            length: length as f32,
            rounding: rounding as f32,
            freedom: freedom as f32,
            coordinates: if dimensions <= FINE_DIMENSIONS {
                Coordinates::Fine(whole)
            } else {
                Coordinates::Coarse(query_blocks(&whole))
            },
        }
    }
}

/// A query that is made ready for a mean as long as it, or for zero: a search does so for hundreds.
struct Against<'a> {
    query: &'a Query,
    mean: Option<&'a Mean>,
}

impl Work for Against<'_> {
    type Result = Prepared;

    #[inline(always)]
    fn run(self) -> Prepared {
        let Against { query, mean } = self;
        let Some(mean) = mean else { return query.prepare(&query.unit, 0.0, 0.0) };
        let residual: Vec<f32> = query.unit.iter().zip(mean.values()).map(|(q, c)| q - c).collect();
        query.prepare(&residual, simd::dot(&query.unit, mean.values()), mean.squared_norm())
    }
}

/// A query for the codes of one group, its coordinates rounded to whole numbers.
#[derive(Debug, Clone)]
pub struct Prepared {
    dimensions: usize,
    instructions: Instructions,
    coordinates: Coordinates,
    /// Half of the value of a whole number.
    half_scale: f32,
    /// The sum of the whole numbers: their product with a vector of ones.
    total: i32,
    /// <q, c> - |c|^2
    base: f32,
    /// |c|^2
    squared_mean: f32,
    /// |q - c|
    length: f32,
    /// Mean square of the rounding errors of coordinates.
    rounding: f32,
    /// One less than the number of dimensions.
    freedom: f32,
    first_bound: FirstBound,
}

/// An upper bound of first estimates that is linear in the factors of a first part:
/// `constant + a + inner + e of_error`.
#[derive(Debug, Clone, Copy)]
struct FirstBound {
    constant: f32,
    of_error: f32,
}

impl FirstBound {
    /// A deviation is the root of `e^2 perpendicular + (squared_residual + e^2 freedom) rounding`, where
    /// `perpendicular` is at most the square of the query's length, and a residual at most `1 + |c|` long: the roots of
    /// all three added up are more.
    fn of(base: f32, squared_mean: f64, length: f64, rounding: f64, freedom: f64) -> FirstBound {
        let deviations = f64::from(FIRST_DEVIATIONS);
        let of_residual = (1.0 + squared_mean.sqrt()).hypot(f64::from(RESIDUAL_ROUNDING).sqrt());
        let least = of_residual * rounding.sqrt() + f64::from(ROUNDING);
        // The rounding error of single precision in sums of numbers below 4.
        let lost = 16.0 * f64::from(f32::EPSILON);
        FirstBound {
            constant: (f64::from(base) + deviations * least + lost) as f32,
            of_error: (deviations * (length + (freedom * rounding).sqrt()) * (1.0 + lost)) as f32,
        }
    }
}

#[derive(Debug, Clone)]
enum Coordinates {
    Coarse(Vec<QueryBlock>),
    Fine(Vec<i16>),
}

impl Prepared {
    /// The product of the query and the mean of the group: the average nearness of the group's rows.
    pub fn along_mean(&self) -> f32 {
        self.base + self.squared_mean
    }

    /// Bytes of the codes that it can be compared with.
    pub fn code_bytes(&self) -> usize {
        code_bytes(self.dimensions)
    }

    /// The estimate from a code. `None` for bytes that are no code, or a code of other dimensions.
    pub fn estimate(&self, code: &[u8]) -> Option<Estimate> {
        let mut estimate = None;
        if code.len() == self.code_bytes() {
            self.scan(code, code.len(), |_, found| estimate = found);
        }
        estimate
    }

    /// Calls `each` with the number and the estimate of each of many codes, which begin every `stride` bytes; `None` as
    /// in [`Prepared::estimate`]. Bytes after the last whole code are ignored.
    pub fn scan(&self, codes: &[u8], stride: usize, mut each: impl FnMut(usize, Option<Estimate>)) {
        let bytes = self.code_bytes();
        if stride < bytes {
            return;
        }
        let count = (codes.len() + stride - bytes) / stride;
        let mut batch = Batch::default();
        for first in (0..count).step_by(ROWS_A_BATCH) {
            let rows = (count - first).min(ROWS_A_BATCH);
            self.fill(&mut batch, &codes[first * stride..], stride, rows);
            for row in 0..rows {
                let estimate = Estimate { cosine: batch.cosines[row], error: batch.errors[row] };
                each(first + row, (usize::from(batch.dimensions[row]) == self.dimensions).then_some(estimate));
            }
        }
    }

    /// Estimates the first `rows` codes, at most [`ROWS_A_BATCH`].
    fn fill(&self, batch: &mut Batch, codes: &[u8], stride: usize, rows: usize) {
        let products = &mut batch.products[..rows];
        match &self.coordinates {
            Coordinates::Coarse(query) => {
                let bytes = plane_bytes(self.dimensions);
                products.fill(0);
                for plane in 0..PLANES {
                    let part = Rows { codes, stride, first: HEADER_BYTES + plane * bytes, bytes };
                    self.instructions.plane_products(part, query, &mut batch.of_plane[..rows]);
                    products.iter_mut().zip(&batch.of_plane).for_each(|(sum, product)| *sum = 2 * *sum + product);
                }
            }
            Coordinates::Fine(query) => {
                let levels = Rows { codes, stride, first: HEADER_BYTES, bytes: level_bytes(self.dimensions) };
                self.instructions.run(ByteProducts(levels, query, products));
            }
        }
        for (row, code) in codes.chunks(stride).take(rows).enumerate() {
            if let Some((header, _)) = code.split_first_chunk() {
                let Factors { dimensions, a, f, e } = Factors::read(header);
                (batch.dimensions[row], batch.a[row], batch.f[row], batch.e[row]) = (dimensions, a, f, e);
            }
        }
        self.instructions.run(Combine(self, batch, self.twice_middles()));
    }

    /// Twice the product of the query with a vector of the middle between levels.
    fn twice_middles(&self) -> i32 {
        (2.0 * middle(self.dimensions)) as i32 * self.total
    }

    /// Bytes of the first parts of codes that it can be compared with.
    pub fn first_bytes(&self) -> usize {
        first_bytes(self.dimensions)
    }

    /// Bytes of the rests of codes that it can be compared with; 0 where a first part is a whole code.
    pub fn rest_bytes(&self) -> usize {
        rest_bytes(self.dimensions)
    }

    /// Looks at many first parts, which begin every `stride` bytes. Calls `each` with the number and the estimate of
    /// each whose [upper bound](Estimate::first_upper) is not less than `least`, and returns whether there are others.
    /// Calls `step` before each batch with its number and the number of batches. Bytes after the last whole part are
    /// ignored. Codes of few dimensions have no parts.
    pub fn scan_first(
        &self,
        parts: &[u8],
        stride: usize,
        least: f32,
        mut each: impl FnMut(usize, First),
        mut step: impl FnMut(usize, usize),
    ) -> bool {
        let mut leaves_out = false;
        let Coordinates::Coarse(query) = &self.coordinates else { return false };
        let bytes = self.first_bytes();
        if stride < bytes {
            return false;
        }
        let count = (parts.len() + stride - bytes) / stride;
        let mut batch = Batch::default();
        for first in (0..count).step_by(ROWS_A_BATCH) {
            step(first / ROWS_A_BATCH, count.div_ceil(ROWS_A_BATCH));
            let rows = (count - first).min(ROWS_A_BATCH);
            let parts = &parts[first * stride..];
            let signs = Rows { codes: parts, stride, first: FIRST_HEADER_BYTES, bytes: plane_bytes(self.dimensions) };
            self.instructions.plane_products(signs, query, &mut batch.products[..rows]);
            for (row, part) in parts.chunks(stride).take(rows).enumerate() {
                if let Some((header, _)) = part.split_first_chunk() {
                    batch.headers[row] = u64::from_le_bytes(*header);
                }
            }
            let Batch { headers, products, .. } = &batch;
            let mut reaching = self.instructions.run(MayReach { prepared: self, headers, products, least });
            reaching &= u32::MAX >> (ROWS_A_BATCH - rows);
            leaves_out |= reaching.count_ones() as usize != rows;
            while reaching != 0 {
                let row = reaching.trailing_zeros() as usize;
                reaching &= reaching - 1;
                let FirstFactors { e, g, a } = FirstFactors::of(headers[row]);
                // A sign is twice its bit, less one.
                let (cosine, error) = self.combine(a, 2.0 * g, e, products[row], self.total);
                let estimate = Estimate { cosine, error };
                match estimate.first_upper() < least {
                    true => leaves_out = true,
                    false => each(first + row, First { estimate, a, signs: products[row] }),
                }
            }
        }
        leaves_out
    }

    /// The estimate by both parts of a code, which is the same as by the whole code. `None` for a rest of another
    /// length.
    pub fn estimate_rest(&self, first: &First, rest: &[u8]) -> Option<Estimate> {
        if rest.len() != self.rest_bytes() {
            return None;
        }
        let Coordinates::Coarse(query) = &self.coordinates else { return None };
        let planes = &rest[REST_HEADER_BYTES..];
        let of_rest = self.instructions.levels_product(planes, plane_bytes(self.dimensions), query);
        let product = (first.signs << (PLANES - 1)) + of_rest;
        let (f, e) = rest_factors(rest.first_chunk()?);
        let (cosine, error) = self.combine(first.a, f, e, product, self.twice_middles());
        Some(Estimate { cosine, error })
    }

    /// Cosine and error from the factors of a code and the product of its levels with the query; `twice_middles` is
    /// twice the product of a vector of the middle between levels with the query.
    #[inline(always)]
    fn combine(&self, a: f32, f: f32, e: f32, product: i32, twice_middles: i32) -> (f32, f32) {
        let inner = f * (self.half_scale * (2 * product - twice_middles) as f32);
        let squared_residual = (1.0 - 2.0 * a + self.squared_mean).max(0.0) + RESIDUAL_ROUNDING;
        // Only the part of q - c perpendicular to the residual is multiplied with the code's error. The part along it
        // is at least `along`.
        let along = (inner.abs() - DEVIATIONS * e * self.length).max(0.0);
        let perpendicular = (self.length * self.length - along * along / squared_residual).max(0.0);
        let rounding = (squared_residual + e * e * self.freedom) * self.rounding;
        let error = (e * e * perpendicular + rounding).sqrt() + ROUNDING;
        (self.base + a + inner, error)
    }
}

/// Rows that are estimated together. The same value of all rows is stored consecutively, so that one instruction serves
/// several rows.
#[derive(Default)]
struct Batch {
    dimensions: [u16; ROWS_A_BATCH],
    a: [f32; ROWS_A_BATCH],
    f: [f32; ROWS_A_BATCH],
    e: [f32; ROWS_A_BATCH],
    products: [i32; ROWS_A_BATCH],
    of_plane: [i32; ROWS_A_BATCH],
    /// The headers of first parts, as stored.
    headers: [u64; ROWS_A_BATCH],
    cosines: [f32; ROWS_A_BATCH],
    errors: [f32; ROWS_A_BATCH],
}

struct Combine<'a>(&'a Prepared, &'a mut Batch, i32);

impl Work for Combine<'_> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let Combine(prepared, batch, twice_middles) = self;
        for row in 0..ROWS_A_BATCH {
            (batch.cosines[row], batch.errors[row]) =
                prepared.combine(batch.a[row], batch.f[row], batch.e[row], batch.products[row], twice_middles);
        }
    }
}

/// Finds the first rows of a batch that may reach a least by a bound that is never below the [upper
/// bound](Estimate::first_upper) of the first estimate, and takes no root: a bit for each. (For a damaged code it may
/// be below, because that code says nothing.)
struct MayReach<'a> {
    prepared: &'a Prepared,
    headers: &'a [u64; ROWS_A_BATCH],
    products: &'a [i32; ROWS_A_BATCH],
    least: f32,
}

impl Work for MayReach<'_> {
    type Result = u32;

    #[inline(always)]
    fn run(self) -> u32 {
        let MayReach { prepared, headers, products, least } = self;
        let FirstBound { constant, of_error } = prepared.first_bound;
        let mut uppers = [0.0; ROWS_A_BATCH];
        for row in 0..ROWS_A_BATCH {
            let FirstFactors { e, g, a } = FirstFactors::of(headers[row]);
            let inner = 2.0 * g * (prepared.half_scale * (2 * products[row] - prepared.total) as f32);
            uppers[row] = constant + a + inner + e * of_error;
        }
        // A bound that is not a number may reach anything.
        let may_reach = |upper: f32| u32::from(upper >= least) | u32::from(upper.is_nan());
        (0..).zip(uppers).fold(0, |reaching, (row, upper)| reaching | may_reach(upper) << row)
    }
}

const _: () = assert!(ROWS_A_BATCH == u32::BITS as usize);

/// The products of levels of a byte with a query.
struct ByteProducts<'a>(Rows<'a>, &'a [i16], &'a mut [i32]);

impl Work for ByteProducts<'_> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let ByteProducts(rows, query, products) = self;
        rows.each(products, |levels| {
            levels.iter().zip(query).map(|(&level, &value)| i32::from(level) * i32::from(value)).sum()
        });
    }
}

#[cfg(test)]
mod first_tests;
#[cfg(test)]
mod tests;
