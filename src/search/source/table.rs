//! The rows of a relation as a source: any relation, every filter, every distance computed.

use memory_search_core::Result;
use memory_search_core::rank::collector::Nearness;

use super::pass::{Delivered, Pass, Sink, Source};
use super::statement::{self, NearnessColumns};
use crate::pg::spi::{Reader, Statement};

/// The rows of the table itself.
pub struct Table;

impl Source for Table {
    fn deliver(&self, reader: &Reader<'_>, pass: &Pass<'_>, sink: &mut Sink<'_>) -> Result<Delivered> {
        let mut statement = Statement::default();
        let distance = match pass.wanted.vector {
            Some(vector) => statement::distance(pass.scope, pass.wanted.searched, vector, &mut statement),
            None => NearnessColumns { sql: "NULL::pg_catalog.float8".to_owned(), is_by_another: "false".to_owned() },
        };
        let statement = statement::of_rows(pass.scope, pass.wanted, statement, &distance, None);
        let other_embedder = statement::deliver(reader, &statement, pass, sink, |row| {
            row.number(5).filter(|distance| !distance.is_nan()).map_or(Nearness::None, Nearness::Distance)
        })?;
        Ok(Delivered { path: "table", other_embedder })
    }
}
