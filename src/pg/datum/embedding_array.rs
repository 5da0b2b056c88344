//! The cast of an array of numbers to `memory_embedding`. pgvector's own cast refuses NaN and infinity without saying
//! where they are.

use std::ffi::CStr;

use memory_search_core::vector::embedding;
use memory_search_core::{Error, ErrorKind};
use pgrx::callconv::{Arg, ArgAbi};
use pgrx::nullable::Nullable;
use pgrx::{FromDatum, pg_extern, pg_sys};

use crate::pg::datum::embedding::MemoryEmbedding;
use crate::pg::error::{SqlResult, report};

/// An array of any type, in its memory layout.
struct Numbers(pg_sys::Datum);

pgrx::impl_sql_translatable!(Numbers, "anyarray");

impl FromDatum for Numbers {
    unsafe fn from_polymorphic_datum(datum: pg_sys::Datum, is_null: bool, _: pg_sys::Oid) -> Option<Self> {
        (!is_null).then_some(Numbers(datum))
    }
}

// SAFETY: the datum of any array is one of the SQL type that impl_sql_translatable! names.
unsafe impl<'fcx> ArgAbi<'fcx> for Numbers {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: pgrx calls this for an argument of this type that is not null.
        unsafe { arg.unbox_arg_using_from_datum() }.unwrap_or(Numbers(pg_sys::Datum::from(0usize)))
    }

    unsafe fn unbox_nullable_arg(arg: Arg<'_, 'fcx>) -> Nullable<Self> {
        // SAFETY: as above, for an argument that may be null.
        unsafe { arg.unbox_arg_using_from_datum().into() }
    }
}

/// The cast of an array of `real`, `double precision`, `numeric` or `integer`. It is strict: no array is null.
#[pg_extern(sql = false)]
fn memory_embedding_of_array(numbers: Numbers) -> SqlResult<MemoryEmbedding> {
    elements(&numbers)
        .and_then(|elements| embedding::check(&elements).map(|()| MemoryEmbedding(elements)))
        .map_err(report)
}

fn elements(numbers: &Numbers) -> memory_search_core::Result<Vec<f32>> {
    // SAFETY: an array by its SQL type, so its header names its element type; deconstruct_array gives `count` datums of
    // that type and as many null flags, all in the call's memory context.
    unsafe {
        let array = pg_sys::pg_detoast_datum(numbers.0.cast_mut_ptr()).cast::<pg_sys::ArrayType>();
        if (*array).ndim > 1 {
            let dimensions = (*array).ndim;
            return Err(Error::invalid(format!(
                "embedding must be a list of numbers, not an array of {dimensions} dimensions"
            ))
            .hint("Pass one row of it: an array of one dimension."));
        }
        let element = (*array).elemtype;
        let (mut length, mut by_value, mut alignment) = (0i16, false, 0 as core::ffi::c_char);
        pg_sys::get_typlenbyvalalign(element, &mut length, &mut by_value, &mut alignment);
        let (mut values, mut nulls, mut count) = (std::ptr::null_mut(), std::ptr::null_mut(), 0i32);
        pg_sys::deconstruct_array(
            array,
            element,
            i32::from(length),
            by_value,
            alignment,
            &mut values,
            &mut nulls,
            &mut count,
        );
        let count = usize::try_from(count).unwrap_or(0);
        embedding::check_length(count)?;
        (0..count)
            .map(|place| match *nulls.add(place) {
                true => Err(embedding::null_element(place)),
                false => number(element, *values.add(place)),
            })
            .collect()
    }
}

/// A number beyond the range of real becomes infinite, and the check reports it.
///
/// # Safety
/// The datum is of the type.
unsafe fn number(element: pg_sys::Oid, datum: pg_sys::Datum) -> memory_search_core::Result<f32> {
    // SAFETY: by the caller's promise; of a numeric its output function makes a C string.
    unsafe {
        let read = match element {
            pg_sys::FLOAT4OID => f32::from_datum(datum, false),
            pg_sys::FLOAT8OID => f64::from_datum(datum, false).map(|number| number as f32),
            pg_sys::INT4OID => i32::from_datum(datum, false).map(|number| number as f32),
            pg_sys::NUMERICOID => {
                let text = pg_sys::OidOutputFunctionCall(pg_sys::Oid::from(pg_sys::F_NUMERIC_OUT), datum);
                let number = CStr::from_ptr(text).to_str().ok().and_then(|text| text.parse().ok());
                pg_sys::pfree(text.cast());
                number
            }
            _ => None,
        };
        read.ok_or_else(|| {
            Error::new(ErrorKind::WrongType, "an embedding is a list of numbers")
                .hint("Give numbers: ARRAY[0.1, 0.2], or the text '[0.1,0.2]'.")
        })
    }
}
