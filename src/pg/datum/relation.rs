//! A relation as an argument: callers write its name, and the server looks it up on their search path.

use pgrx::callconv::{Arg, ArgAbi};
use pgrx::nullable::Nullable;
use pgrx::{FromDatum, pg_sys};

/// The OID behind a regclass.
pub struct RegClass(pub u32);

pgrx::impl_sql_translatable!(RegClass, "regclass");

impl FromDatum for RegClass {
    unsafe fn from_polymorphic_datum(datum: pg_sys::Datum, is_null: bool, _: pg_sys::Oid) -> Option<Self> {
        // A regclass is passed by value, as an OID.
        (!is_null).then(|| RegClass(datum.value() as u32))
    }
}

// SAFETY: from_polymorphic_datum reads exactly the SQL type that impl_sql_translatable! names.
unsafe impl<'fcx> ArgAbi<'fcx> for RegClass {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: pgrx calls this for an argument of this type that is not null.
        unsafe { arg.unbox_arg_using_from_datum() }.unwrap_or(RegClass(0))
    }

    unsafe fn unbox_nullable_arg(arg: Arg<'_, 'fcx>) -> Nullable<Self> {
        // SAFETY: as above, for an argument that may be null.
        unsafe { arg.unbox_arg_using_from_datum().into() }
    }
}
