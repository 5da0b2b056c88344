//! A matrix of the model's file times vectors of tokens.

use pulp::Arch;

use super::curves::Gelu;
use super::method::By;
use super::panels::{LANES, Panels, PanelsMut};
use super::products::{Products, Rows, Start};
use super::tiled::{BLOCK, Matrix, Taken};
use super::weights::{Linear, numbers};
use crate::ModelError;

/// Products of two numbers that are computed between two pauses, about: 4 ms with AVX-512, 20 ms without vector
/// instructions. A layer of BERT's largest takes 6,000 million for 512 tokens.
const MOST_PRODUCTS: usize = 1 << 28;

/// The destination of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Into {
    /// It replaces the previous numbers.
    Place,
    /// Its GELU replaces them.
    Gelu,
    /// It is added to the previous numbers.
    Sum,
}

impl Into {
    fn start(self, bias: &[f32]) -> Start<'_> {
        match self {
            Into::Place | Into::Gelu => Start::Bias(bias),
            Into::Sum => Start::BiasAndOut(bias),
        }
    }
}

/// Gets some rows of a panel when they are complete, and are still in the first cache.
fn finish(arch: Arch, into: Into) -> impl FnMut(&mut [f32]) {
    move |numbers| {
        if into == Into::Gelu {
            arch.dispatch(Gelu { numbers });
        }
    }
}

/// Gets the number of products of two numbers that were computed, and calls `pause` after each [`MOST_PRODUCTS`].
fn at_times(pause: &mut dyn FnMut()) -> impl FnMut(usize) {
    let mut since = 0;
    move |products| {
        since += products;
        if since >= MOST_PRODUCTS {
            since = 0;
            pause();
        }
    }
}

/// The file's matrices, and what multiplies them.
pub(super) struct Multiplier<'a> {
    pub(super) arch: Arch,
    pub(super) file: &'a [u8],
    pub(super) by: &'a mut By,
}

impl Multiplier<'_> {
    /// Must be called with vectors of `depth` numbers before they are multiplied.
    pub(super) fn take(&mut self, vectors: &[f32], depth: usize) {
        match self.by {
            By::Floats => (),
            By::Integers(integers) => integers.take(vectors, depth),
            By::Tiles(tiled) => tiled.take(Taken::Vectors, vectors, depth),
        }
    }

    /// The product with its bias, in all rows of `out`. `pause` is called after each [`MOST_PRODUCTS`].
    pub(super) fn linear(
        &mut self,
        linear: &Linear,
        vectors: &[f32],
        out: &mut [f32],
        into: Into,
        pause: &mut dyn FnMut(),
    ) -> Result<(), ModelError> {
        let (matrix, bias) = (numbers(self.file, &linear.matrix)?, numbers(self.file, &linear.bias)?);
        let rows = bias.len();
        let depth = matrix.len() / rows;
        let start = into.start(&bias);
        match self.by {
            By::Floats => self.by_floats(&matrix, depth, start, vectors, out, pause),
            By::Integers(integers) => {
                integers.multiply(&matrix, depth, start, out, &mut at_times(pause));
                pause();
            }
            By::Tiles(tiled) => {
                let matrix = Matrix { tensor: &linear.matrix, numbers: &matrix, depth };
                let finish = &mut finish(self.arch, into);
                tiled.multiply(matrix, 0..rows, Taken::Vectors, Some(start), out, finish, &mut at_times(pause));
                pause();
                return Ok(());
            }
        }
        if into == Into::Gelu {
            self.arch.dispatch(Gelu { numbers: out });
        }
        Ok(())
    }

    /// The product of a wide layer with its GELU, and that of the layer behind it, added to the vectors. `room` has the
    /// numbers between both.
    pub(super) fn wide(
        &mut self,
        (inner, outer): (&Linear, &Linear),
        vectors: &mut [f32],
        room: &mut [f32],
        pause: &mut dyn FnMut(),
    ) -> Result<(), ModelError> {
        let (inner_bias, outer_bias) = (numbers(self.file, &inner.bias)?, numbers(self.file, &outer.bias)?);
        let (inner_width, width) = (inner_bias.len(), outer_bias.len());
        let panels = vectors.len() / (width * LANES);
        self.take(vectors, width);
        let By::Tiles(tiled) = &mut *self.by else {
            let room = &mut room[..panels * inner_width * LANES];
            self.linear(inner, vectors, room, Into::Gelu, pause)?;
            self.take(room, inner_width);
            return self.linear(outer, room, vectors, Into::Sum, pause);
        };
        let (inner_numbers, outer_numbers) = (numbers(self.file, &inner.matrix)?, numbers(self.file, &outer.matrix)?);
        let into_room = Matrix { tensor: &inner.matrix, numbers: &inner_numbers, depth: width };
        let out_of_room = Matrix { tensor: &outer.matrix, numbers: &outer_numbers, depth: inner_width };
        let mut pause_at_times = at_times(pause);
        // A block of the wide layer's numbers is multiplied before the next one is computed: all of them, for several
        // texts, are more than the level 2 cache has room for.
        for (block, first) in (0..inner_width).step_by(BLOCK).enumerate() {
            let rows = first..inner_width.min(first + BLOCK);
            let room = &mut room[..panels * rows.len() * LANES];
            let start = Some(Start::Bias(&inner_bias[rows.clone()]));
            let gelu = &mut finish(self.arch, Into::Gelu);
            tiled.multiply(into_room, rows.clone(), Taken::Vectors, start, room, gelu, &mut pause_at_times);
            tiled.take(Taken::Block(block), room, rows.len());
            let start = (block == 0).then_some(Start::BiasAndOut(&outer_bias));
            let nothing = &mut |_: &mut [f32]| ();
            tiled.multiply(out_of_room, 0..width, Taken::Block(block), start, vectors, nothing, &mut pause_at_times);
        }
        drop(pause_at_times);
        pause();
        Ok(())
    }

    fn by_floats(
        &self,
        matrix: &[f32],
        depth: usize,
        start: Start<'_>,
        vectors: &[f32],
        out: &mut [f32],
        pause: &mut dyn FnMut(),
    ) {
        let rows = matrix.len() / depth;
        let panels = (MOST_PRODUCTS / (matrix.len() * LANES)).max(1);
        for (vectors, out) in vectors.chunks(panels * depth * LANES).zip(out.chunks_mut(panels * rows * LANES)) {
            self.arch.dispatch(Products {
                left: Rows { factors: matrix, stride: depth, count: rows, depth },
                right: Panels { numbers: vectors, width: depth, first: 0 },
                start,
                out: PanelsMut { numbers: out, width: rows, first: 0 },
            });
            pause();
        }
    }
}
