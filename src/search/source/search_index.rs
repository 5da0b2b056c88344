//! The search index as a source: its pages where they may be read, a query over it where not, and the rows
//! that are too long for it. Of embeddings it holds the quantized form, so nearness is estimated.

use memory_search_core::Result;
use memory_search_core::ids::RowId;
use memory_search_core::rank::collector::{Nearness, Scanned};
use memory_search_core::request::limits;
use memory_search_core::vector::binary_quantization::QuantizedQuery;
use memory_search_pgformat::tsvector::TsVector;
use memory_search_pgformat::varlena::bit_string;

use super::index_pages::{self, Entry, ScanIndex};
use super::pass::{Delivered, NO_WORDS, Pass, Sink, Source};
use super::statement::{self, NearnessColumns};
use crate::pg::datum::varlena::decompressed;
use crate::pg::param::from_postgres;
use crate::pg::settings;
use crate::pg::spi::{Reader, Statement};
use crate::search::indexed_row::IndexedRow;
use crate::search::scope::OnIndexedRows;
use crate::store::definition::search_index;

/// `entries_scan`, with `entries_scan_long`.
pub struct SearchIndex;

impl Source for SearchIndex {
    fn deliver(&self, reader: &Reader<'_>, pass: &Pass<'_>, sink: &mut Sink<'_>) -> Result<Delivered> {
        let query = pass.wanted.vector.map(QuantizedQuery::new);
        let memory_id = &pass.scope.plan.memory_id;
        let conditions = pass.scope.on_indexed_rows();
        let mut was_read = false;
        if let Some(index) = ScanIndex::open(pass.scope.store) {
            was_read =
                index.entries(memory_id, &mut |entry| deliver(pass, &conditions, query.as_ref(), sink, &entry))?;
        }
        let bits = if query.is_some() { "e.embedding_signs" } else { "NULL::pg_catalog.varbit" };
        let bits = NearnessColumns { sql: bits.to_owned(), is_by_another: "false".to_owned() };
        let may_have_long = index_pages::may_have_long(pass.scope.store, memory_id)?;
        for (is_in_index, is_wanted) in [("IS NOT TRUE", may_have_long), ("IS TRUE", !was_read)] {
            if !is_wanted {
                continue;
            }
            let condition = format!("{} {is_in_index}", search_index::FITS);
            let statement = statement::of_rows(pass.scope, pass.wanted, Statement::default(), &bits, Some(&condition));
            settings::with_index_only(|| {
                statement::deliver(reader, &statement, pass, sink, |row| {
                    let nearness = row.bits(5, |count, bits| estimate(query.as_ref(), count, bits));
                    nearness.unwrap_or(Nearness::None)
                })
            })?;
        }
        Ok(Delivered { path: if was_read { "index pages" } else { "index" }, other_embedder: 0 })
    }
}

fn estimate(query: Option<&QuantizedQuery>, dimensions: usize, bits: &[u8]) -> Nearness {
    match query {
        Some(query) if query.dimensions() == dimensions => Nearness::Estimate(query.estimate(bits)),
        _ => Nearness::None,
    }
}

/// Delivers an entry on a page of the index.
fn deliver(
    pass: &Pass<'_>,
    conditions: &OnIndexedRows,
    query: Option<&QuantizedQuery>,
    sink: &mut Sink<'_>,
    entry: &Entry<'_>,
) -> Result<()> {
    let columns = &entry.columns;
    let row = IndexedRow(columns);
    let is_visible = match conditions.sees(&row) {
        Some(is_visible) => is_visible,
        None => !sink.corrected.hides(columns.entry_id.map(RowId::Uuid))?,
    };
    if !is_visible {
        return Ok(());
    }
    let passes = conditions.passes(&row);
    let with_words = pass.wanted.lexemes.is_some();
    // Where no statistic needs the rows that the filters remove, they are not looked at, as in SQL.
    if !passes && !with_words {
        return Ok(());
    }
    let nearness = match (query, columns.embedding_signs) {
        (Some(_), Some(value)) => decompressed(value, |bytes| {
            let (count, bits) = bit_string(bytes);
            estimate(query, count, bits)
        }),
        _ => Nearness::None,
    };
    // As the statements over the rows have it where somebody let a column be null.
    let scanned = Scanned {
        created: columns.creation_time.map_or(i64::MIN, from_postgres),
        order: columns.entry_order.unwrap_or(0),
        importance: columns.importance.map_or(limits::DEFAULT_IMPORTANCE as f64, f64::from),
        passes,
        nearness,
        place: Some(entry.tid),
    };
    let id = || Ok(columns.entry_id.map(RowId::Uuid));
    match columns.search_vector.filter(|_| with_words) {
        Some(value) => decompressed(value, |bytes| sink.collector.add(scanned, Some(&TsVector::new(bytes)?), id)),
        None => sink.collector.add(scanned, NO_WORDS, id),
    }
}
