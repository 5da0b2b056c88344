//! pgvector's `vector` as a return type. Layout (pgvector, src/vector.h): varlena header, int16
//! dimensions, int16 unused, then as many float4.

use pgrx::callconv::{BoxRet, FcInfo};
use pgrx::datum::Datum;
use pgrx::pg_sys;

use crate::pg::datum::varlena;

const HEADER_BYTES: usize = 8;

/// A `vector` to return.
pub struct Vector(pub Vec<f32>);

pgrx::impl_sql_translatable!(Vector, "@extschema:vector@.vector");

/// The bytes of a `vector` with `elements`, as a datum in the current memory context.
pub fn to_datum(elements: &[f32]) -> pg_sys::Datum {
    // At most MAX_DIMENSIONS, 16,000: the elements come from a model or a checked argument.
    let dimensions = elements.len() as i16;
    let size = HEADER_BYTES + size_of_val(elements);
    // SAFETY: `allocate` gives `size` bytes; header and elements fill bytes 4..size exactly.
    unsafe {
        let bytes = varlena::allocate(size);
        bytes.add(4).cast::<i16>().write_unaligned(dimensions);
        bytes.add(6).cast::<i16>().write_unaligned(0);
        std::ptr::copy_nonoverlapping(elements.as_ptr().cast::<u8>(), bytes.add(HEADER_BYTES), size_of_val(elements));
        pg_sys::Datum::from(bytes)
    }
}

/// The elements of a `vector` payload; `None` if its length does not match its dimensions.
pub fn from_bytes(payload: &[u8]) -> Option<Vec<f32>> {
    let (dimensions, rest) = payload.split_first_chunk::<2>()?;
    let dimensions = usize::try_from(i16::from_ne_bytes(*dimensions)).ok()?;
    let elements = rest.get(2..)?;
    (elements.len() == dimensions * size_of::<f32>())
        .then(|| elements.chunks_exact(4).map(|b| f32::from_ne_bytes([b[0], b[1], b[2], b[3]])).collect())
}

// SAFETY: the datum is a vector in pgvector's layout, which is the SQL type named above.
unsafe impl BoxRet for Vector {
    unsafe fn box_into<'fcx>(self, fcinfo: &mut FcInfo<'fcx>) -> Datum<'fcx> {
        // SAFETY: to_datum returns a complete varlena in the function's memory context.
        unsafe { fcinfo.return_raw_datum(to_datum(&self.0)) }
    }
}
