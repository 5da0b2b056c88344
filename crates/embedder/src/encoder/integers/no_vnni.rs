//! Processors of other kinds than x86, which have no VNNI.

use super::blocks::Pair;
use super::instructions::Instructions;
use crate::encoder::panels::LANES;

/// No processor of this kind has the instructions.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Vnni {}

impl Vnni {
    pub(crate) fn try_new() -> Option<Self> {
        None
    }
}

impl Instructions for Vnni {
    type Lanes = Self;
    type Sums = Self;

    fn run<R>(self, _: impl FnOnce() -> R) -> R {
        match self {}
    }

    fn zeros(self) -> Self {
        match self {}
    }

    fn all(self, _: [i16; 2]) -> Self {
        match self {}
    }

    fn load(self, _: &[Pair; LANES]) -> Self {
        match self {}
    }

    fn add_products(self, _: Self, _: Self, _: Self) -> Self {
        match self {}
    }

    fn greater(self, _: Self, _: &[f32; LANES]) -> Self {
        match self {}
    }

    fn magnitudes(self, _: Self) -> [u32; LANES] {
        match self {}
    }

    fn round(self, _: &[f32; LANES], _: &[f32; LANES], _: &[f32; LANES]) -> [Pair; LANES] {
        match self {}
    }

    fn bytes(self, _: &[Pair; LANES], _: &[Pair; LANES]) -> [[u32; LANES]; 2] {
        match self {}
    }

    fn add_scaled(self, _: Self, _: f32, _: &[f32; LANES], _: &mut [f32; LANES]) {
        match self {}
    }
}
