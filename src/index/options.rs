//! Options of an index, `WITH (language = ..., weights = ...)`: the text search configuration that makes words of its
//! texts, and the weights of the words. An index keeps the options with which it was built, because its words were made
//! with them.

use std::ffi::CStr;
use std::sync::OnceLock;

use pgrx::pg_sys;
use pgrx::prelude::*;

use crate::pg::error::or_raise;
use crate::pg::text_search::indexed_texts::{Options, weights_of};

/// Options as the server keeps them: a varlena with the offsets of two C strings in it.
#[repr(C)]
struct Parsed {
    header: i32,
    language: i32,
    weights: i32,
}

static KIND: OnceLock<pg_sys::relopt_kind::Type> = OnceLock::new();

/// Registers the options. Called once, when the library is loaded.
pub fn register() {
    // SAFETY: called while the library is loaded; the server copies names and descriptions.
    unsafe {
        let kind = pg_sys::add_reloption_kind();
        let lock = pg_sys::AccessExclusiveLock as pg_sys::LOCKMODE;
        for (name, description, validator) in [
            (c"language", c"text search configuration by which words are made", None),
            (
                c"weights",
                c"a letter, A to D, for each key column with text",
                Some(check_weights as unsafe extern "C-unwind" fn(*const core::ffi::c_char)),
            ),
        ] {
            pg_sys::add_string_reloption(kind, name.as_ptr(), description.as_ptr(), std::ptr::null(), validator, lock);
        }
        let _ = KIND.set(kind);
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn check_weights(weights: *const core::ffi::c_char) {
    if weights.is_null() {
        return;
    }
    // SAFETY: a C string.
    let weights = unsafe { CStr::from_ptr(weights) }.to_string_lossy();
    or_raise(weights_of(&weights));
}

/// Parses options for CREATE INDEX and for the relation's cache.
#[pg_guard]
pub unsafe extern "C-unwind" fn amoptions(options: pg_sys::Datum, validate: bool) -> *mut pg_sys::bytea {
    let element = |name: &CStr, offset| pg_sys::relopt_parse_elt {
        optname: name.as_ptr(),
        opttype: pg_sys::relopt_type::RELOPT_TYPE_STRING,
        offset,
        #[cfg(feature = "pg18")]
        isset_offset: 0,
    };
    let elements = [
        element(c"language", std::mem::offset_of!(Parsed, language) as i32),
        element(c"weights", std::mem::offset_of!(Parsed, weights) as i32),
    ];
    let kind = KIND.get().copied().unwrap_or(pg_sys::relopt_kind::RELOPT_KIND_LOCAL);
    // SAFETY: the kind was registered with these options; the struct begins as a varlena does.
    unsafe { pg_sys::build_reloptions(options, validate, kind, size_of::<Parsed>(), elements.as_ptr(), 2).cast() }
}

/// The options of an index.
///
/// # Safety
/// The index must be open.
pub unsafe fn of(index: pg_sys::Relation) -> Options {
    // SAFETY: what `amoptions` gave, or null; an offset is 0 where an option is not set.
    unsafe {
        let parsed = (*index).rd_options.cast::<Parsed>();
        let Some(Parsed { language, weights, .. }) = parsed.as_ref() else { return Options::default() };
        let text = |offset: i32| match offset {
            0 => String::new(),
            _ => CStr::from_ptr(parsed.cast::<core::ffi::c_char>().add(offset as usize)).to_string_lossy().into_owned(),
        };
        Options { language: text(*language), weights: text(*weights) }
    }
}
