//! Options of an index, `WITH (language = ..., weights = ..., ranking = ...)`: the text search configuration that makes
//! words of its texts, the weights of the words, and the scoring of searches. `language` and `weights` count as they
//! were when the index was built, because its words were made with them: the metapage has them (`built_with.rs`). Only
//! searches read `ranking`, and a change of it counts at once.

use std::ffi::CStr;
use std::sync::OnceLock;

use memory_search_core::request::store_ranking::StoreRanking;
use pgrx::pg_sys;
use pgrx::prelude::*;

use crate::pg::error::or_raise;
use crate::pg::text_search::indexed_texts::{Options, weights_of};

/// Options as the server keeps them: a varlena with the offsets of three C strings in it.
#[repr(C)]
struct Parsed {
    header: i32,
    language: i32,
    weights: i32,
    ranking: i32,
}

/// A function that refuses a value.
type Validator = unsafe extern "C-unwind" fn(*const core::ffi::c_char);

static KIND: OnceLock<pg_sys::relopt_kind::Type> = OnceLock::new();

/// Registers the options. Called once, when the library is loaded.
pub fn register() {
    // SAFETY: called while the library is loaded; the server copies names and descriptions.
    unsafe {
        let kind = pg_sys::add_reloption_kind();
        // Searches that run may read the scoring as it was before; no row depends on it.
        let (whole, light) = (pg_sys::AccessExclusiveLock, pg_sys::ShareUpdateExclusiveLock);
        for (name, description, validator, lock) in [
            (c"language", c"text search configuration by which words are made", None, whole),
            (
                c"weights",
                c"a letter, A to D, for each key column with text",
                Some(check_weights as Validator),
                whole,
            ),
            (
                c"ranking",
                c"scoring of the store's searches: a JSON object with weights, boosts, recency, usedRecency, popularity",
                Some(check_ranking as Validator),
                light,
            ),
        ] {
            let (default, lock) = (std::ptr::null(), lock as pg_sys::LOCKMODE);
            pg_sys::add_string_reloption(kind, name.as_ptr(), description.as_ptr(), default, validator, lock);
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

#[pg_guard]
unsafe extern "C-unwind" fn check_ranking(ranking: *const core::ffi::c_char) {
    if ranking.is_null() {
        return;
    }
    // SAFETY: a C string.
    let ranking = unsafe { CStr::from_ptr(ranking) }.to_string_lossy();
    or_raise(StoreRanking::parse(&ranking));
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
        element(c"ranking", std::mem::offset_of!(Parsed, ranking) as i32),
    ];
    let kind = KIND.get().copied().unwrap_or(pg_sys::relopt_kind::RELOPT_KIND_LOCAL);
    // SAFETY: the kind was registered with these options; the struct begins as a varlena does.
    unsafe {
        let (elements, count) = (elements.as_ptr(), elements.len() as i32);
        pg_sys::build_reloptions(options, validate, kind, size_of::<Parsed>(), elements, count).cast()
    }
}

/// The options that decide the words of an index.
///
/// # Safety
/// The index must be open.
pub unsafe fn of(index: pg_sys::Relation) -> Options {
    // SAFETY: what `amoptions` gave, or null; an offset is 0 where an option is not set.
    unsafe {
        let parsed = (*index).rd_options.cast::<Parsed>();
        let Some(&Parsed { language, weights, .. }) = parsed.as_ref() else { return Options::default() };
        let text = |offset| text_at(parsed, offset).unwrap_or_default();
        Options { language: text(language), weights: text(weights) }
    }
}

/// The scoring of searches among parsed options.
///
/// # Safety
/// A result of `amoptions`, or null.
pub unsafe fn ranking_in(options: *mut pg_sys::bytea) -> Option<String> {
    let parsed = options.cast::<Parsed>();
    // SAFETY: by the caller's promise.
    unsafe { text_at(parsed, parsed.as_ref()?.ranking) }
}

/// The C string at an offset of parsed options; `None` if the option is not set.
///
/// # Safety
/// A result of `amoptions`, and an offset that it has.
unsafe fn text_at(parsed: *const Parsed, offset: i32) -> Option<String> {
    // SAFETY: by the caller's promise.
    let at = |offset| unsafe { CStr::from_ptr(parsed.cast::<core::ffi::c_char>().add(offset)) };
    (offset != 0).then(|| at(offset as usize).to_string_lossy().into_owned())
}
