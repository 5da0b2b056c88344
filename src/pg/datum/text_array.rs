//! text[] as a list: an array of several dimensions is recognised, where pgrx would read all its elements as one list.

use memory_search_core::Error;
use pgrx::callconv::{Arg, ArgAbi};
use pgrx::nullable::Nullable;
use pgrx::{FromDatum, pg_sys};

use super::array::data_of;
use super::varlena::with_bytes;

/// The elements and dimensions of an argument.
pub struct TextArray {
    dimensions: i32,
    texts: Vec<Option<String>>,
}

pgrx::impl_sql_translatable!(TextArray, "TEXT[]");

impl TextArray {
    /// The texts of a list; more dimensions, and nulls, are refused (22023).
    pub fn list(self, name: &str) -> memory_search_core::Result<Vec<String>> {
        if self.dimensions > 1 {
            return Err(Error::invalid(format!(
                "{name} must be a list, not an array of {} dimensions",
                self.dimensions
            ))
            .hint("Give one list: ARRAY['one', 'two']."));
        }
        without_nulls(name, self.texts)
    }

    /// The list in the server's notation of jsonb; `None` for more dimensions.
    pub fn json(&self) -> Option<String> {
        if self.dimensions > 1 {
            return None;
        }
        let element = |text: &Option<String>| match text {
            // The server and this crate escape the same characters in the same way.
            Some(text) => serde_json::Value::from(text.as_str()).to_string(),
            None => "null".to_owned(),
        };
        Some(format!("[{}]", self.texts.iter().map(element).collect::<Vec<_>>().join(", ")))
    }
}

/// The texts of a list; a null is refused (22023).
pub fn without_nulls(name: &str, texts: Vec<Option<String>>) -> memory_search_core::Result<Vec<String>> {
    match texts.iter().position(Option::is_none) {
        Some(place) => Err(Error::invalid(format!("{name}[{}] must be a text, not null", place + 1))
            .hint(format!("Leave it out: pg_catalog.array_remove({name}, NULL)."))),
        None => Ok(texts.into_iter().flatten().collect()),
    }
}

impl FromDatum for TextArray {
    unsafe fn from_polymorphic_datum(datum: pg_sys::Datum, is_null: bool, oid: pg_sys::Oid) -> Option<Self> {
        if is_null {
            return None;
        }
        // SAFETY: the argument is a text[] by its SQL type, so that it has an array's header, and pgrx reads its elements.
        unsafe {
            let array = pg_sys::pg_detoast_datum(datum.cast_mut_ptr()).cast::<pg_sys::ArrayType>();
            let texts = Vec::from_polymorphic_datum(pg_sys::Datum::from(array), false, oid)?;
            Some(TextArray { dimensions: (*array).ndim, texts })
        }
    }
}

// SAFETY: from_polymorphic_datum reads exactly the SQL type that impl_sql_translatable! names.
unsafe impl<'fcx> ArgAbi<'fcx> for TextArray {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: pgrx calls this for an argument of this type that is not null.
        unsafe { arg.unbox_arg_using_from_datum() }.unwrap_or_else(|| TextArray { dimensions: 0, texts: Vec::new() })
    }

    unsafe fn unbox_nullable_arg(arg: Arg<'_, 'fcx>) -> Nullable<Self> {
        // SAFETY: as above, for an argument that may be null.
        unsafe { arg.unbox_arg_using_from_datum().into() }
    }
}

/// The texts of an array, of all dimensions, that are not null.
///
/// # Safety
/// As of [`data_of`].
pub unsafe fn elements(array: pg_sys::Datum) -> Vec<String> {
    // SAFETY: by the caller's promise.
    let elements = unsafe { data_of(array) };
    let read = |element| unsafe { with_bytes(element, |bytes| String::from_utf8_lossy(bytes).into_owned()) };
    elements.into_iter().map(read).collect()
}
