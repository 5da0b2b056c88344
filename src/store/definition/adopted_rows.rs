//! How the rows of an adopted table are entries, where the view shows every row of one table once: then an index of the
//! table serves searches.

use memory_search_core::request::adopted_columns::COLUMNS;

use crate::pg::index_columns::VARCHAR;
use crate::pg::view::{self, ViewColumn};

/// The rows of a table as a view shows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdoptedRows {
    columns: Vec<ViewColumn>,
    /// The table's columns that the view reads, by their numbers; `None` for whole rows.
    pub columns_read: Option<Vec<i16>>,
    /// Functions that the view calls, but for those that come with the server: OIDs.
    pub functions: Vec<u32>,
}

impl AdoptedRows {
    /// Of a view; `None` where its rows are not one table's.
    pub fn of(view: u32) -> Option<AdoptedRows> {
        if !view::shows_all_rows_to_invoker(view) {
            return None;
        }
        // What else somebody gave the view, no search reads.
        let is_known = |column: &ViewColumn| COLUMNS.iter().any(|known| known.name == column.name);
        let columns: Vec<ViewColumn> = view::columns(view).into_iter().filter(is_known).collect();
        (!columns.is_empty()).then(|| AdoptedRows {
            columns,
            columns_read: view::columns_read(view),
            functions: Vec::new(),
        })
    }

    /// The number of the table's column that holds the ids of entries: as they are, or a varchar that the view casts.
    pub fn id_attribute(&self) -> Option<i16> {
        let id = self.column("entry_id")?;
        let read = id.only_column.as_ref()?;
        let is_text = read.held.type_oid == VARCHAR && id.expression == format!("({})::text", read.held.expression);
        (id.attribute.is_some() || is_text).then_some(read.number)
    }

    /// What a column of the view is made of.
    pub fn column(&self, name: &str) -> Option<&ViewColumn> {
        self.columns.iter().find(|column| column.name == name)
    }
}
