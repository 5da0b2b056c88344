//! Codes of embeddings, by which a search finds the rows that may be the nearest before it reads any vector.
//!
//! RaBitQ with several bits a dimension (Gao and Long, SIGMOD 2024 and 2025), for cosine. The code of a unit vector `x`
//! holds the residual `o = R(x) - c`, where `R` is a fixed [`Rotation`] and `c` the [`Mean`] of a group, or zero. Each
//! coordinate becomes one of 16 levels (256 up to [`FINE_DIMENSIONS`] dimensions), evenly spaced around zero:
//! `o ~ f * y`, `y = level - 7.5` (`127.5`), with `f = |o|^2 / <o, y>`, which makes the rest, `o - f * y`,
//! perpendicular to `o`.
//! For a unit query with `q` its rotation,
//!
//! ```text
//! cosine = <q, c> - |c|^2 + a + f * <y, q - c> + <q - c, o - f * y>        a = <c, R(x)>
//! ```
//!
//! where the code gives all terms except the last one. After a random rotation the last term has mean zero and standard
//! deviation `e * |p|`, `e = |o - f * y| / sqrt(dimensions - 1)`, where `p` is the part of `q - c` perpendicular to
//! `o`, and is nearly normally distributed. So each code gives a cosine with its standard deviation ([`Estimate`]), and
//! [`Nearest`] names the rows whose exact cosine must be computed so that none of the nearest is missed.
//!
//! A code, little-endian, of 12 bytes and four bits a dimension (a byte up to [`FINE_DIMENSIONS`]):
//!
//! ```text
//! 0               2         4        8        12
//! | dimensions u16 | e f16   | a f32  | f f32  | levels ...
//! ```
//!
//! Levels of four bits are stored in planes of one bit each. The highest bits are the signs of `y`, and a first
//! estimate needs nothing else: in segments they are stored apart from the rest of the codes (`parts.rs`).
//!
//! A code whose `a` is not a number means that the cosine may be any number: its vector has a length that the server
//! cannot compute with ([`is_unusual`]).
//!
//! Arithmetic is the same on all machines: the codes of a vector are the same bytes with all instructions.

mod clusters;
mod code;
mod half_precision;
mod length;
mod mean;
mod nearest;
mod parts;
mod planes;
mod query;
mod rotation;
#[allow(unsafe_code)]
mod simd;

pub use clusters::clusters;
pub use code::{code_bytes, code_of_unusual, decode, dimensions_of, encode, encode_rotated};
pub use length::is_unusual;
pub use mean::Mean;
pub use nearest::Nearest;
pub use parts::{first_bytes, join, put_first, put_rest, rest_bytes};
pub use query::{Estimate, First, Prepared, Query};
pub use rotation::Rotation;

/// Most dimensions of an embedding (as pgvector's `vector`).
pub const MAX_DIMENSIONS: usize = 16_000;

/// Up to so many dimensions a level takes a byte, because errors average out less over few dimensions.
pub const FINE_DIMENSIONS: usize = 32;

/// The number of standard deviations within which a cosine is assumed to be of its estimate.
pub const DEVIATIONS: f32 = 5.0;

/// The number for a first estimate, by signs alone, whose deviation is some seven times as wide. One in 160 rows that
/// are as near as the last of the nearest is missed, and hardly any nearer row.
pub const FIRST_DEVIATIONS: f32 = 2.5;
