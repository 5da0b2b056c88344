//! The parts of a row that an index keeps, column by column, and the rules for several columns.

use memory_search_core::{Error, ErrorKind, Result};
use pgrx::pg_sys;

pub use crate::pg::indexed_types::{
    IdType, Kept, NumberType, TermType, VectorType, kept, kept_as_key, kept_as_memory, type_of_column,
};
use crate::pg::text_search::indexed_texts::TextType;

/// The most columns of an index (INDEX_MAX_KEYS).
pub const MAX_COLUMNS: usize = pg_sys::INDEX_MAX_KEYS as usize;

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
            let type_oid = type_of_column(oid, number);
            *column = Some(kept(number, keys, type_oid)?);
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
