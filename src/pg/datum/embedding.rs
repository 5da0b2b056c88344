//! The type `memory_embedding` of embedding arguments, so that a caller may pass a `vector`, a
//! `halfvec`, an array of numbers or a literal (ADR-0030). Its layout is that of pgvector's
//! `vector`, so a cast from there costs nothing. `embedding_message` has its binary form.

use std::ffi::CStr;

use memory_search_core::vector::embedding_text;
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

/// Input function of `memory_embedding`: a list of numbers in any of the notations of drivers.
#[pg_extern(sql = false)]
fn memory_embedding_in(text: &CStr) -> SqlResult<MemoryEmbedding> {
    embedding_text::parse(&text.to_string_lossy()).map(MemoryEmbedding).map_err(report)
}

/// Output function of `memory_embedding`.
#[pg_extern(sql = false)]
fn memory_embedding_out(embedding: MemoryEmbedding) -> std::ffi::CString {
    let elements: Vec<String> = embedding.0.iter().map(f32::to_string).collect();
    std::ffi::CString::new(format!("[{}]", elements.join(","))).unwrap_or_default()
}
