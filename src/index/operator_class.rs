//! The operator in conditions on a column, which the operator class defines. A superuser may make another operator
//! class than the extension's. One whose operator has another meaning would silently give wrong rows, so it is refused.

use std::ffi::CStr;

use memory_search_core::{Error, ErrorKind, Result};
use pgrx::pg_sys;

use super::definition::{Definition, IdType, Kept, kept_as_key, kept_as_memory};
use crate::pg::text_search::indexed_texts::TextType;

/// The only strategy of an operator class.
const STRATEGY: i16 = 1;
/// The function behind pgvector's operator `<=>`, in the schema of its types.
const DISTANCE: &CStr = c"cosine_distance";

/// Refuses (0A000) an operator class whose operator asks for something else than the index answers.
///
/// # Safety
/// Inside a transaction; the family and the type must be those of an operator class, and the type what `kept` is of.
unsafe fn check(kept: Kept, family: pg_sys::Oid, input: pg_sys::Oid) -> Result<()> {
    // SAFETY: reads the catalogs.
    let function = unsafe {
        match pg_sys::get_opfamily_member(family, input, input, STRATEGY) {
            pg_sys::InvalidOid => pg_sys::InvalidOid,
            operator => pg_sys::get_opcode(operator),
        }
    };
    let fits = match kept {
        Kept::Memory(id_type) => function.to_u32() == equality(id_type),
        // SAFETY: by the caller's promise.
        Kept::Embedding(_) => unsafe { is_distance(function, input) },
        // A scan returns the rows that meet the other keys, and the executor tests them: so any operator is right.
        Kept::Text(TextType::Text) => true,
        // No operator searches for words.
        _ => function == pg_sys::InvalidOid,
    };
    if fits {
        return Ok(());
    }
    let wanted = match kept {
        Kept::Memory(_) => "the = of its type",
        Kept::Embedding(_) => "pgvector's <=>",
        _ => "none",
    };
    let message = format!("a memory index cannot use an operator class whose operator {STRATEGY} is not {wanted}");
    Err(Error::new(ErrorKind::Unsupported, message)
        .hint("Leave the operator class out: the extension has one for each type."))
}

/// The function behind `=`.
pub fn equality(id_type: IdType) -> u32 {
    match id_type {
        IdType::Text => pg_sys::F_TEXTEQ,
        IdType::Uuid => pg_sys::F_UUID_EQ,
        IdType::Int8 => pg_sys::F_INT8EQ,
        IdType::Int4 => pg_sys::F_INT4EQ,
        IdType::Int2 => pg_sys::F_INT2EQ,
    }
}

/// # Safety
/// Inside a transaction.
unsafe fn is_distance(function: pg_sys::Oid, of: pg_sys::Oid) -> bool {
    // SAFETY: reads the catalogs; the name is a copy, null if there is no function. The row of a type is there until it
    // is given back.
    unsafe {
        let name = pg_sys::get_func_name(function);
        if name.is_null() || CStr::from_ptr(name) != DISTANCE {
            return false;
        }
        let row = pg_sys::SearchSysCache1(pg_sys::SysCacheIdentifier::TYPEOID as i32, pg_sys::Datum::from(of));
        if row.is_null() {
            return false;
        }
        let header = (*row).t_data;
        let form = header.cast::<u8>().add(usize::from((*header).t_hoff)).cast::<pg_sys::FormData_pg_type>();
        let schema = (*form).typnamespace;
        pg_sys::ReleaseSysCache(row);
        schema == pg_sys::get_func_namespace(function)
    }
}

/// Refuses an index with such an operator class.
///
/// # Safety
/// The index must be open, and the definition be its own.
pub unsafe fn check_all(index: pg_sys::Relation, definition: &Definition) -> Result<()> {
    // SAFETY: an open index has an operator class for each of its keys.
    unsafe {
        let keys = usize::try_from((*(*index).rd_index).indnkeyatts).unwrap_or(0);
        for (number, kept) in definition.columns().enumerate().take(keys) {
            check(kept, *(*index).rd_opfamily.add(number), *(*index).rd_opcintype.add(number))?;
        }
    }
    Ok(())
}

/// Whether an index accepts an operator class.
///
/// # Safety
/// Inside a transaction.
pub unsafe fn is_sound(operator_class: pg_sys::Oid) -> Result<()> {
    let (mut family, mut input) = (pg_sys::InvalidOid, pg_sys::InvalidOid);
    // SAFETY: reads the catalogs.
    unsafe {
        if !pg_sys::get_opclass_opfamily_and_input_type(operator_class, &mut family, &mut input) {
            let what = format!("there is no operator class with the OID {}", operator_class.to_u32());
            return Err(Error::new(ErrorKind::UndefinedObject, what));
        }
        let kept = kept_as_memory(input).or_else(|| kept_as_key(input));
        let unkept = || {
            Error::new(ErrorKind::Unsupported, "a memory index cannot hold values of the type of this operator class")
                .hint("Use an operator class that the extension comes with: \\dAc memory_search lists them in psql.")
        };
        check(kept.ok_or_else(unkept)?, family, input)
    }
}
