//! Distances between vectors by pgvector's function, called directly: the same bits as from its operator, without a
//! statement around it.

use pgrx::pg_sys;

use crate::pg::datum::array;
use crate::pg::function;
use crate::pg::unwinding;

/// One of pgvector's types, with the functions behind its operator and its cast from `real[]`: OIDs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VectorFunctions {
    /// The type.
    pub vector: u32,
    /// The distance of two vectors, as float8.
    pub distance: u32,
    /// The cast from real[], with an integer (the type's modifier) and a boolean (whether the cast is explicit).
    pub cast: u32,
    /// The number of elements of a vector.
    pub dimensions: u32,
}

impl VectorFunctions {
    /// Whether the current user may call them.
    pub fn may_be_called(self) -> bool {
        [self.distance, self.cast, self.dimensions].into_iter().all(function::may_call)
    }
}

/// Distances to one vector.
pub struct VectorDistance {
    vector_type: pg_sys::Oid,
    array_type: pg_sys::Oid,
    function: pg_sys::FmgrInfo,
    vector: pg_sys::Datum,
    dimensions: i16,
    /// The context for the allocations of a call; reset after each.
    context: pg_sys::MemoryContext,
}

impl Drop for VectorDistance {
    fn drop(&mut self) {
        // SAFETY: made by `to`, deleted only here; after an ERROR the context above it goes with the statement.
        unwinding::release(|| unsafe { pg_sys::MemoryContextDelete(self.context) });
    }
}

impl VectorDistance {
    /// Distances to a vector, in the current memory context, which must outlive this. The current user must be allowed
    /// to call the functions.
    pub fn to(functions: VectorFunctions, elements: &[f32]) -> VectorDistance {
        let [distance, cast] = [functions.distance, functions.cast].map(pg_sys::Oid::from);
        // SAFETY: reads catalog caches inside a transaction; the functions take these arguments by their signatures,
        // and what they refuse leaves as an ERROR. The vector is in the current memory context, as is the new one.
        unsafe {
            let array = array::of_fixed(pg_sys::FLOAT4OID, elements.iter().map(|value| value.to_ne_bytes()));
            let vector = pg_sys::OidFunctionCall3Coll(cast, pg_sys::InvalidOid, array, (-1i32).into(), true.into());
            let mut function = pg_sys::FmgrInfo::default();
            pg_sys::fmgr_info(distance, &mut function);
            VectorDistance {
                vector_type: pg_sys::Oid::from(functions.vector),
                array_type: pg_sys::get_array_type(pg_sys::Oid::from(functions.vector)),
                function,
                vector,
                dimensions: dimensions(vector.cast_mut_ptr()),
                context: pg_sys::AllocSetContextCreateInternal(
                    pg_sys::CurrentMemoryContext,
                    c"memory_search distances".as_ptr(),
                    0,
                    8 << 10,
                    8 << 20,
                ),
            }
        }
    }

    /// The type of the compared vectors.
    pub(crate) fn vector_type(&self) -> pg_sys::Oid {
        self.vector_type
    }

    /// The type of arrays of such vectors.
    pub(crate) fn array_type(&self) -> pg_sys::Oid {
        self.array_type
    }

    /// The distance of a stored vector; `None` if it has another number of dimensions.
    ///
    /// # Safety
    /// The datum must be of [`VectorDistance::vector_type`].
    pub(crate) unsafe fn of(&mut self, stored: pg_sys::Datum) -> Option<f64> {
        // SAFETY: by the caller's promise the datum is a vector: a varlena, fetched and decompressed into the context
        // that is reset, or read where it lies. The function takes two of them, and gives a float8.
        unsafe {
            let before = pg_sys::MemoryContextSwitchTo(self.context);
            let distance = self.compute(stored);
            pg_sys::MemoryContextSwitchTo(before);
            pg_sys::MemoryContextReset(self.context);
            distance
        }
    }

    /// The least distance of the vectors of a stored array; `None` if none has the number of dimensions and a direction.
    ///
    /// # Safety
    /// The datum must be of [`VectorDistance::array_type`].
    pub(crate) unsafe fn of_any(&mut self, stored: pg_sys::Datum) -> Option<f64> {
        // SAFETY: by the caller's promise the elements are vectors, whose alignment is that of integers; they and the array
        // are in the context that is reset.
        unsafe {
            let before = pg_sys::MemoryContextSwitchTo(self.context);
            let distances = array::data_of(stored).into_iter().filter_map(|one| self.compute(one));
            let least = distances.filter(|distance| !distance.is_nan()).min_by(f64::total_cmp);
            pg_sys::MemoryContextSwitchTo(before);
            pg_sys::MemoryContextReset(self.context);
            least
        }
    }

    /// The distance of a vector, in the current context.
    ///
    /// # Safety
    /// As of [`VectorDistance::of`].
    unsafe fn compute(&mut self, stored: pg_sys::Datum) -> Option<f64> {
        // SAFETY: by the caller's promise.
        unsafe {
            let plain = pg_sys::pg_detoast_datum(stored.cast_mut_ptr());
            (dimensions(plain) == self.dimensions).then(|| {
                let distance =
                    pg_sys::FunctionCall2Coll(&mut self.function, pg_sys::InvalidOid, plain.into(), self.vector);
                f64::from_bits(distance.value() as u64)
            })
        }
    }
}

/// The number of elements of a vector (pgvector, src/vector.h, src/halfvec.h): int16, after the header.
///
/// # Safety
/// It must be a vector of one of pgvector's types, with a header of four bytes.
unsafe fn dimensions(vector: *const pg_sys::varlena) -> i16 {
    // SAFETY: by the caller's promise.
    unsafe { vector.cast::<u8>().add(size_of::<i32>()).cast::<i16>().read_unaligned() }
}
