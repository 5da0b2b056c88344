//! An array of ids of any type of a store's ids, as texts: uuid[], bigint[], text[].

use core::ffi::CStr;

use pgrx::callconv::{Arg, ArgAbi};
use pgrx::nullable::Nullable;
use pgrx::{FromDatum, pg_sys};

use super::text_array::without_nulls;

/// The elements as their types' output functions write them.
pub struct IdArray(Vec<Option<String>>);

impl IdArray {
    /// The ids that are not null: a null names no entry.
    pub fn present(self) -> Vec<String> {
        self.0.into_iter().flatten().collect()
    }

    /// All ids; a null is refused (22023).
    pub fn list(self, name: &str) -> memory_search_core::Result<Vec<String>> {
        without_nulls(name, self.0)
    }
}

// For this pseudo-type, an untyped literal, as drivers send it, resolves to text[]; for anyarray it would be an error.
pgrx::impl_sql_translatable!(IdArray, "anycompatiblearray");

impl FromDatum for IdArray {
    unsafe fn from_polymorphic_datum(datum: pg_sys::Datum, is_null: bool, _: pg_sys::Oid) -> Option<Self> {
        if is_null {
            return None;
        }
        // SAFETY: the argument is an array by its SQL type, so its header names its element type;
        // deconstruct_array gives `count` datums of that type and as many null flags, and each output
        // function a C string, all in the call's memory context.
        unsafe {
            let array = pg_sys::pg_detoast_datum(datum.cast_mut_ptr()).cast::<pg_sys::ArrayType>();
            let element = (*array).elemtype;
            let (mut length, mut by_value, mut alignment) = (0i16, false, 0 as core::ffi::c_char);
            pg_sys::get_typlenbyvalalign(element, &mut length, &mut by_value, &mut alignment);
            let (mut output, mut is_varlena) = (pg_sys::InvalidOid, false);
            pg_sys::getTypeOutputInfo(element, &mut output, &mut is_varlena);
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
            let mut texts = Vec::new();
            for index in 0..usize::try_from(count).unwrap_or(0) {
                if *nulls.add(index) {
                    texts.push(None);
                    continue;
                }
                let text = pg_sys::OidOutputFunctionCall(output, *values.add(index));
                texts.push(Some(CStr::from_ptr(text).to_string_lossy().into_owned()));
                pg_sys::pfree(text.cast());
            }
            Some(IdArray(texts))
        }
    }
}

// SAFETY: from_polymorphic_datum reads any array, which is what impl_sql_translatable! names.
unsafe impl<'fcx> ArgAbi<'fcx> for IdArray {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: pgrx calls this for an argument of this type that is not null.
        unsafe { arg.unbox_arg_using_from_datum() }.unwrap_or_else(|| IdArray(Vec::new()))
    }

    unsafe fn unbox_nullable_arg(arg: Arg<'_, 'fcx>) -> Nullable<Self> {
        // SAFETY: as above, for an argument that may be null.
        unsafe { arg.unbox_arg_using_from_datum().into() }
    }
}
