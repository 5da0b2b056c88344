//! The rows of an adopted table as entries, if the view shows every row of one table exactly once: then
//! an index of the table can be used for searches.

use memory_search_core::Result;
use memory_search_core::request::adopted_columns::COLUMNS;

use super::key::{self, KeyColumn};
use crate::pg::index_columns::VARCHAR;
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;
use crate::pg::view::{self, ViewColumn};

const FUNCTIONS_OF_VIEW: &str = include_str!("functions_of_view.sql");

/// The rows of a table as a view shows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdoptedRows {
    columns: Vec<ViewColumn>,
    /// The table's columns that the view reads, by their numbers; `None` for whole rows.
    pub columns_read: Option<Vec<i16>>,
    /// Functions that the view calls, except those that come with the server: OIDs.
    pub functions: Vec<u32>,
}

impl AdoptedRows {
    /// The rows that a view shows; `None` if they are not the rows of one table.
    pub fn of(view: u32) -> Option<AdoptedRows> {
        if !view::shows_all_rows_to_invoker(view) {
            return None;
        }
        // Searches do not read other columns that somebody added to the view.
        let is_known = |column: &ViewColumn| COLUMNS.iter().any(|known| known.name == column.name);
        let columns: Vec<ViewColumn> = view::columns(view).into_iter().filter(is_known).collect();
        (!columns.is_empty()).then(|| AdoptedRows {
            columns,
            columns_read: view::columns_read(view),
            functions: Vec::new(),
        })
    }

    /// The rows of the table `source` that a view shows, if each is an entry: rows of which several share one id are
    /// not.
    pub fn with_key(reader: &Reader<'_>, view: u32, source: u32) -> Result<Option<AdoptedRows>> {
        let Some(mut rows) = AdoptedRows::of(view) else { return Ok(None) };
        let Some(id) = rows.id_attribute() else { return Ok(None) };
        let mut statement = Statement::default();
        let oid = statement.bind(Param::Integer(Some(i64::from(view))));
        let statement = statement.with(filled(FUNCTIONS_OF_VIEW, &[("{view}", &oid)]));
        reader.rows(&statement, |row| {
            rows.functions.push(u32::try_from(row.required_integer(1)?).unwrap_or(0));
            Ok(())
        })?;
        Ok(key::is_key(reader, source, &KeyColumn::Numbered(id))?.then_some(rows))
    }

    /// The reason for which there are none for a view.
    pub fn why_none(view: u32) -> &'static str {
        let no_key = "column entry_id is no key of type text, varchar, uuid or an integer";
        view::why_not_one_table(view).unwrap_or(no_key)
    }

    /// The number of the table's column with the ids of entries, unchanged or as a varchar that the view casts.
    pub fn id_attribute(&self) -> Option<i16> {
        let id = self.column("entry_id")?;
        let read = id.only_column.as_ref()?;
        let is_text = read.held.type_oid == VARCHAR && id.expression == format!("({})::text", read.held.expression);
        (id.attribute.is_some() || is_text).then_some(read.number)
    }

    /// The source of a column of the view.
    pub fn column(&self, name: &str) -> Option<&ViewColumn> {
        self.columns.iter().find(|column| column.name == name)
    }
}
