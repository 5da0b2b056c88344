//! The parts of a row that a memory index keeps, by the types of its columns: the first key is the memory, a vector
//! among the others the embedding, and a `tsvector` or columns with text are the words; the included columns are
//! numbers or terms. A time with time zone may also be a key.

use memory_search_core::{Error, ErrorKind, Result};
use pgrx::pg_sys;

use crate::pg::text_search::indexed_texts::TextType;

/// The data that are kept of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// The memory's id.
    Memory(IdType),
    /// The lexemes of a tsvector.
    Words,
    /// The words of a text, made by the index's options. The words of lists and JSON are also kept as terms.
    Text(TextType),
    /// The code of a vector.
    Embedding(VectorType),
    /// The codes of the vectors of passages.
    Passages(VectorType),
    /// A number.
    Number(NumberType),
    /// Terms that filters look up.
    Terms(TermType),
}

/// The conversion of a memory's id to bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum IdType {
    Text,
    Uuid,
    Int8,
    Int4,
    Int2,
}

/// pgvector's types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum VectorType {
    Vector,
    Halfvec,
}

/// The conversion of a number to 64 bits: times in microseconds since 2000, integers, floats by their bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum NumberType {
    Timestamp,
    Date,
    Int8,
    Int4,
    Int2,
    Float8,
    Float4,
    Bool,
}

/// The kind of terms in a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TermType {
    Text,
    Uuid,
    Texts,
    Json,
}

/// The type of a column of an index, from 0; `InvalidOid` if the index was dropped meanwhile. A domain counts as its base
/// type.
pub fn type_of_column(index: pg_sys::Oid, number: usize) -> pg_sys::Oid {
    // SAFETY: reads the catalogs, inside a transaction.
    unsafe {
        match pg_sys::get_atttype(index, number as i16 + 1) {
            pg_sys::InvalidOid => pg_sys::InvalidOid,
            type_oid => pg_sys::getBaseType(type_oid),
        }
    }
}

/// The data that are kept of a column, from 0, in an index with so many keys; a type that cannot be kept is refused
/// (0A000).
pub fn kept(number: usize, keys: usize, type_oid: pg_sys::Oid) -> Result<Kept> {
    let kept = match number {
        0 => kept_as_memory(type_oid),
        _ if number < keys => kept_as_key(type_oid),
        _ => kept_as_included(type_oid),
    };
    kept.ok_or_else(|| refused(number, keys, type_oid))
}

/// The reason for which an index cannot keep its columns, which are the keys and perhaps others. `CREATE INDEX` refuses
/// such columns. But `ALTER TABLE ... ALTER COLUMN ... TYPE` keeps the file of an index if both types store values in
/// the same way, and then asks no access method. `None` for an index that was dropped meanwhile.
pub fn refusal_of(index: u32, keys: usize, columns: usize) -> Option<Error> {
    let index = pg_sys::Oid::from(index);
    let types = (0..columns).map(|number| (number, type_of_column(index, number)));
    let mut present = types.filter(|(_, type_oid)| *type_oid != pg_sys::InvalidOid);
    present.find_map(|(number, type_oid)| kept(number, keys, type_oid).err())
}

/// The data that are kept of the first key, by its type.
pub fn kept_as_memory(oid: pg_sys::Oid) -> Option<Kept> {
    id_type(oid).map(Kept::Memory)
}

fn id_type(oid: pg_sys::Oid) -> Option<IdType> {
    Some(match oid {
        pg_sys::TEXTOID | pg_sys::VARCHAROID => IdType::Text,
        pg_sys::UUIDOID => IdType::Uuid,
        pg_sys::INT8OID => IdType::Int8,
        pg_sys::INT4OID => IdType::Int4,
        pg_sys::INT2OID => IdType::Int2,
        _ => return None,
    })
}

/// The data that are kept of another key.
pub fn kept_as_key(oid: pg_sys::Oid) -> Option<Kept> {
    match oid {
        pg_sys::TSVECTOROID => Some(Kept::Words),
        // An included column cannot be an expression, but a time may be one: a timestamp in the application's zone.
        pg_sys::TIMESTAMPTZOID => Some(Kept::Number(NumberType::Timestamp)),
        _ => TextType::of(oid).map(Kept::Text).or_else(|| kept_as_vectors(oid)),
    }
}

fn kept_as_included(oid: pg_sys::Oid) -> Option<Kept> {
    Some(match oid {
        pg_sys::TIMESTAMPTZOID | pg_sys::TIMESTAMPOID => Kept::Number(NumberType::Timestamp),
        pg_sys::DATEOID => Kept::Number(NumberType::Date),
        pg_sys::INT8OID => Kept::Number(NumberType::Int8),
        pg_sys::INT4OID => Kept::Number(NumberType::Int4),
        pg_sys::INT2OID => Kept::Number(NumberType::Int2),
        pg_sys::FLOAT8OID => Kept::Number(NumberType::Float8),
        pg_sys::FLOAT4OID => Kept::Number(NumberType::Float4),
        pg_sys::BOOLOID => Kept::Number(NumberType::Bool),
        pg_sys::TEXTOID | pg_sys::VARCHAROID => Kept::Terms(TermType::Text),
        pg_sys::UUIDOID => Kept::Terms(TermType::Uuid),
        pg_sys::TEXTARRAYOID | pg_sys::VARCHARARRAYOID => Kept::Terms(TermType::Texts),
        pg_sys::JSONBOID => Kept::Terms(TermType::Json),
        _ => return None,
    })
}

/// pgvector's types have no fixed OIDs, but the operator classes accept no other types.
fn kept_as_vectors(oid: pg_sys::Oid) -> Option<Kept> {
    let name = type_name(oid);
    let (name, is_array) = name.strip_suffix("[]").map_or((name.as_str(), false), |element| (element, true));
    // With quote_all_identifiers on, the server quotes the name.
    let vector_type = match name.rsplit('.').next().map(|name| name.trim_matches('"')) {
        Some("halfvec") => VectorType::Halfvec,
        Some("vector") => VectorType::Vector,
        _ => return None,
    };
    Some(if is_array { Kept::Passages(vector_type) } else { Kept::Embedding(vector_type) })
}

/// The name with its schema, unless it is the server's own, on any search path: in PostgreSQL 16 CREATE INDEX runs with
/// the caller's search path.
fn type_name(oid: pg_sys::Oid) -> String {
    // SAFETY: gives a C string in the current memory context.
    let name = unsafe { std::ffi::CStr::from_ptr(pg_sys::format_type_be_qualified(oid)) }.to_string_lossy();
    name.strip_prefix("pg_catalog.").unwrap_or(&name).to_owned()
}

fn refused(number: usize, keys: usize, oid: pg_sys::Oid) -> Error {
    let name = type_name(oid);
    let (what, hint) = match number {
        0 => ("identify memories by", "The first column is the id of the memory: text, uuid or an integer."),
        _ if number < keys => (
            "have as a key",
            "The keys after the first are columns with text (text, text[], jsonb) or a tsvector, a vector or halfvec, \
             an array of these, and times with time zone.",
        ),
        _ => (
            "include",
            "It includes times, dates, numbers, booleans, text, text[], uuid and jsonb; leave the column out.",
        ),
    };
    Error::new(ErrorKind::Unsupported, format!("a memory index cannot {what} a column of type {name}")).hint(hint)
}
