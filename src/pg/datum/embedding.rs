//! The type `memory_embedding`: what an embedding argument is, so that a caller may pass a
//! `vector`, a `halfvec`, a `real[]` or a literal (ADR-0004). It is laid out as pgvector's
//! `vector`, so a cast from there costs nothing.

use std::ffi::CStr;

use memory_search_core::vector::embedding;
use memory_search_core::{Error, ErrorKind};
use pgrx::callconv::{Arg, ArgAbi, BoxRet, FcInfo};
use pgrx::datum::Datum;
use pgrx::nullable::Nullable;
use pgrx::{FromDatum, pg_extern, pg_sys};

use crate::pg::datum::{varlena, vector};
use crate::pg::error::{SqlResult, report};

/// An embedding argument.
pub struct MemoryEmbedding(pub Vec<f32>);

pgrx::impl_sql_translatable!(MemoryEmbedding, "@extschema@.memory_embedding");

impl FromDatum for MemoryEmbedding {
    unsafe fn from_polymorphic_datum(datum: pg_sys::Datum, is_null: bool, _: pg_sys::Oid) -> Option<Self> {
        if is_null {
            return None;
        }
        // SAFETY: the argument is a memory_embedding by its SQL type, a varlena.
        unsafe { varlena::with_bytes(datum, vector::from_bytes) }.map(MemoryEmbedding)
    }
}

// SAFETY: from_polymorphic_datum reads exactly the SQL type that impl_sql_translatable! names.
unsafe impl<'fcx> ArgAbi<'fcx> for MemoryEmbedding {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: pgrx calls this for an argument of this type that is not null.
        unsafe { arg.unbox_arg_using_from_datum() }.unwrap_or_else(|| MemoryEmbedding(Vec::new()))
    }

    unsafe fn unbox_nullable_arg(arg: Arg<'_, 'fcx>) -> Nullable<Self> {
        // SAFETY: as above, for an argument that may be null.
        unsafe { arg.unbox_arg_using_from_datum().into() }
    }
}

// SAFETY: the datum is a memory_embedding: the layout of a vector.
unsafe impl BoxRet for MemoryEmbedding {
    unsafe fn box_into<'fcx>(self, fcinfo: &mut FcInfo<'fcx>) -> Datum<'fcx> {
        // SAFETY: to_datum returns a complete varlena in the function's memory context.
        unsafe { fcinfo.return_raw_datum(vector::to_datum(&self.0)) }
    }
}

/// Input function of `memory_embedding`: `[1,2,3]`, or an array literal `{1,2,3}`.
#[pg_extern(sql = false)]
fn memory_embedding_in(text: &CStr) -> SqlResult<MemoryEmbedding> {
    let text = text.to_string_lossy();
    let list = text.trim().replace('{', "[").replace('}', "]");
    // A number that no real holds is an infinite one, which the check names.
    let in_double =
        |_| serde_json::from_str::<Vec<f64>>(&list).map(|list| list.into_iter().map(|x| x as f32).collect());
    let elements: Vec<f32> = serde_json::from_str(&list).or_else(in_double).map_err(|_| {
        report(
            Error::new(
                ErrorKind::InvalidText,
                format!("\"{}\" is not an embedding", memory_search_core::error::shown(&text)),
            )
            .hint("Write a list of numbers, [0.1,0.2,0.3], or pass a vector, a halfvec or a real[]."),
        )
    })?;
    embedding::check(&elements).map_err(report)?;
    Ok(MemoryEmbedding(elements))
}

/// Output function of `memory_embedding`.
#[pg_extern(sql = false)]
fn memory_embedding_out(embedding: MemoryEmbedding) -> std::ffi::CString {
    let elements: Vec<String> = embedding.0.iter().map(f32::to_string).collect();
    std::ffi::CString::new(format!("[{}]", elements.join(","))).unwrap_or_default()
}
