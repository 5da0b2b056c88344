//! The parts of a row that an index keeps, by the types of its columns: the first key is the memory, a vector among the
//! others the embedding, and a `tsvector` or columns with text are the words; the included columns are numbers or
//! terms.

use memory_search_core::{Error, ErrorKind, Result};
use pgrx::pg_sys;

use crate::pg::text_search::indexed_texts::TextType;

/// The most columns of an index (INDEX_MAX_KEYS).
pub const MAX_COLUMNS: usize = pg_sys::INDEX_MAX_KEYS as usize;

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

/// The data that an index keeps, column by column.
#[derive(Debug, Clone, Copy)]
pub struct Definition {
    columns: [Option<Kept>; MAX_COLUMNS],
    count: usize,
}

impl Definition {
    /// Reads the definition from the catalogs; a column that cannot be kept is refused (0A000).
    ///
    /// # Safety
    /// The index must be open.
    pub unsafe fn of(index: pg_sys::Relation) -> Result<Definition> {
        // SAFETY: the index is open, so that its row of pg_index and its OID are there; the rest reads catalogs.
        let (oid, count, keys, collation) = unsafe {
            let definition = &*(*index).rd_index;
            ((*index).rd_id, definition.indnatts as usize, definition.indnkeyatts as usize, *(*index).rd_indcollation)
        };
        let mut columns = [None; MAX_COLUMNS];
        for (number, column) in columns.iter_mut().enumerate().take(count) {
            // SAFETY: reads the catalogs, inside a transaction. A domain counts as its base type.
            let type_oid = unsafe { pg_sys::getBaseType(pg_sys::get_atttype(oid, number as i16 + 1)) };
            let kept = match number {
                0 => kept_as_memory(type_oid),
                _ if number < keys => kept_as_key(type_oid),
                _ => included(type_oid),
            };
            *column = Some(kept.ok_or_else(|| refused(number, keys, type_oid))?);
        }
        // Equal texts must have the same bytes.
        // SAFETY: as above.
        if columns[0] == Some(Kept::Memory(IdType::Text))
            && !unsafe { pg_sys::get_collation_isdeterministic(collation) }
        {
            return Err(Error::new(
                ErrorKind::Unsupported,
                "a memory index cannot identify memories by a column with a nondeterministic collation",
            )
            .hint("Index an expression with another collation: (memory_id COLLATE \"C\")."));
        }
        for (what, is_it) in [
            ("tsvector", (|kept| kept == Kept::Words) as fn(Kept) -> bool),
            ("vector", |kept| matches!(kept, Kept::Embedding(_))),
            ("vector[]", |kept| matches!(kept, Kept::Passages(_))),
        ] {
            if columns.iter().flatten().filter(|kept| is_it(**kept)).count() > 1 {
                return Err(Error::new(ErrorKind::Unsupported, format!("a memory index takes one {what} column"))
                    .hint("Leave the others out, or make another memory index of them."));
            }
        }
        let definition = Definition { columns, count };
        if definition.columns().any(|kept| kept == Kept::Words) && definition.texts().next().is_some() {
            return Err(Error::new(
                ErrorKind::Unsupported,
                "a memory index takes words from a tsvector or from text columns, not from both",
            )
            .hint("Leave the tsvector out, or INCLUDE the columns with text."));
        }
        Ok(definition)
    }

    /// The columns with texts whose words are kept, in order.
    pub fn texts(&self) -> impl Iterator<Item = TextType> + '_ {
        self.columns().filter_map(|kept| if let Kept::Text(text_type) = kept { Some(text_type) } else { None })
    }

    /// The columns, in order.
    pub fn columns(&self) -> impl Iterator<Item = Kept> + '_ {
        self.columns[..self.count].iter().flatten().copied()
    }

    /// The number of number columns.
    pub fn numbers(&self) -> usize {
        self.columns().filter(|kept| matches!(kept, Kept::Number(_))).count()
    }

    /// The position, from 0, of a column among the number columns, if it is one.
    pub fn number_of(&self, column: usize) -> Option<usize> {
        let is_number = |kept: &Kept| matches!(kept, Kept::Number(_));
        self.columns().nth(column).filter(is_number)?;
        Some(self.columns().take(column).filter(is_number).count())
    }

    /// The conversion of a memory's id to bytes.
    pub fn memory(&self) -> IdType {
        match self.columns[0] {
            Some(Kept::Memory(id_type)) => id_type,
            _ => IdType::Text,
        }
    }
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
        _ => TextType::of(oid).map(Kept::Text).or_else(|| kept_as_vectors(oid)),
    }
}

fn included(oid: pg_sys::Oid) -> Option<Kept> {
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
             and an array of these.",
        ),
        _ => (
            "include",
            "It includes times, dates, numbers, booleans, text, text[], uuid and jsonb; leave the column out.",
        ),
    };
    Error::new(ErrorKind::Unsupported, format!("a memory index cannot {what} a column of type {name}")).hint(hint)
}
