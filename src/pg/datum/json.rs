//! jsonb as text, in both directions. pgrx's own `JsonB` panics on valid jsonb that serde_json cannot hold (numbers
//! beyond double precision, deep nesting) before any code of this extension runs.

use memory_search_core::{Error, ErrorKind, Result, json_text};
use pgrx::callconv::{Arg, ArgAbi, BoxRet, FcInfo};
use pgrx::datum::Datum;
use pgrx::nullable::Nullable;
use pgrx::{FromDatum, IntoDatum, direct_function_call_as_datum, pg_sys};

use crate::pg::error::fail;
use crate::pg::memory_reserve;

/// A jsonb value as its text; an argument that is a JSON string with an object in it counts as that object.
pub struct JsonbText(pub String);

pgrx::impl_sql_translatable!(JsonbText, "jsonb");

/// Calls `read` with the text of a jsonb, without a copy of it.
///
/// # Safety
/// The datum must be a jsonb that lives as long as the call.
pub unsafe fn with_jsonb_text<T>(datum: pg_sys::Datum, read: impl FnOnce(&str) -> T) -> Option<T> {
    // SAFETY: by the caller's promise; jsonb_out gives a palloc'd C string, which is freed here.
    unsafe {
        let text: &core::ffi::CStr = pgrx::direct_function_call(pg_sys::jsonb_out, &[Some(datum)])?;
        let result = read(&text.to_string_lossy());
        pg_sys::pfree(text.as_ptr().cast_mut().cast());
        Some(result)
    }
}

/// A copy of a text of any size.
fn copied(text: &str) -> Result<String> {
    let mut copy = String::new();
    copy.try_reserve_exact(text.len()).map_err(|_| memory_reserve::out_of_memory())?;
    copy.push_str(text);
    Ok(copy)
}

impl FromDatum for JsonbText {
    unsafe fn from_polymorphic_datum(datum: pg_sys::Datum, is_null: bool, _: pg_sys::Oid) -> Option<Self> {
        if is_null {
            return None;
        }
        // SAFETY: the argument is a jsonb by its SQL type.
        let text = unsafe { with_jsonb_text(datum, copied) }?;
        Some(JsonbText(json_text::unquoted(text.unwrap_or_else(|refusal| fail(refusal)))))
    }
}

// SAFETY: from_polymorphic_datum reads exactly the SQL type that impl_sql_translatable! names.
unsafe impl<'fcx> ArgAbi<'fcx> for JsonbText {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: pgrx calls this for an argument of this type that is not null.
        unsafe { arg.unbox_arg_using_from_datum() }.unwrap_or_else(|| JsonbText(String::new()))
    }

    unsafe fn unbox_nullable_arg(arg: Arg<'_, 'fcx>) -> Nullable<Self> {
        // SAFETY: as above, for an argument that may be null.
        unsafe { arg.unbox_arg_using_from_datum().into() }
    }
}

impl IntoDatum for JsonbText {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        // jsonb strings hold no NUL, and serde_json escapes control characters, so the text has none. A NUL would be a
        // bug here, and cutting the answer at it would be another one.
        let mut text = self.0.into_bytes();
        if text.try_reserve_exact(1).is_err() {
            fail(memory_reserve::out_of_memory());
        }
        let text = match std::ffi::CString::new(text) {
            Ok(text) => text,
            Err(_) => fail(Error::new(ErrorKind::Internal, "a JSON text with a NUL cannot become jsonb")),
        };
        // SAFETY: jsonb_in reads a C string and returns a jsonb datum in the current context.
        unsafe { direct_function_call_as_datum(pg_sys::jsonb_in, &[Some(text.as_ptr().into())]) }
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::JSONBOID
    }
}

// SAFETY: the datum returned is what jsonb_in made.
unsafe impl BoxRet for JsonbText {
    unsafe fn box_into<'fcx>(self, fcinfo: &mut FcInfo<'fcx>) -> Datum<'fcx> {
        match self.into_datum() {
            // SAFETY: the datum was just made in the function's memory context.
            Some(datum) => unsafe { fcinfo.return_raw_datum(datum) },
            None => fcinfo.return_null(),
        }
    }
}
