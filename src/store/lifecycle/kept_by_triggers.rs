//! Access counts and links that triggers of the store's owner keep although their entries are removed: neither the
//! count of removed entries nor the server's foreign keys show that they are left.

use memory_search_core::Result;

use crate::pg::identifier::QualifiedName;
use crate::pg::param::Param;
use crate::pg::row::Row;
use crate::pg::spi::{self, Statement, Writer};
use crate::store::lifecycle::entry_keys::EntryKeys;
use crate::store::statements::by_memory::Part;

/// The tables with triggers that may keep rows.
pub struct KeptByTriggers {
    /// The table of counts.
    counts: Option<QualifiedName>,
    /// The table of links.
    links: Option<QualifiedName>,
}

impl KeptByTriggers {
    /// Looks for such triggers of these tables.
    pub fn of(counts: &QualifiedName, links: Option<&QualifiedName>) -> Result<Self> {
        let with_trigger = |table: &QualifiedName| Ok(has_trigger(table)?.then(|| table.clone()));
        Ok(KeptByTriggers { counts: with_trigger(counts)?, links: links.map(with_trigger).transpose()?.flatten() })
    }

    /// The columns with the keys of the entries `those`, at the end of the statement that removes them, if there is a
    /// table to look at afterwards.
    pub fn columns(&self) -> &'static str {
        if self.counts.is_none() && self.links.is_none() {
            return "";
        }
        ", (SELECT pg_catalog.array_agg(t.memory_id::pg_catalog.text) FROM those t), \
           (SELECT pg_catalog.array_agg(t.entry_id::pg_catalog.text) FROM those t)"
    }

    /// The keys in these columns, the first of which has this number.
    pub fn keys(&self, row: &Row<'_>, first: i32) -> EntryKeys {
        match self.columns() {
            "" => EntryKeys::default(),
            _ => EntryKeys { memories: row.texts(first), ids: row.texts(first + 1) },
        }
    }

    /// Whether the tables still have rows of removed entries.
    pub fn has_any(&self, writer: &mut Writer<'_>, part: &Part, removed: &EntryKeys) -> Result<bool> {
        if removed.is_empty() {
            return Ok(false);
        }
        let ends = |table: &Option<QualifiedName>, ends: &[&'static str]| {
            table.iter().flat_map(|table| ends.iter().map(|end| (table.clone(), *end))).collect::<Vec<_>>()
        };
        for (table, end) in [ends(&self.counts, &["entry_id"]), ends(&self.links, &["from_entry", "to_entry"])].concat()
        {
            let mut statement = Statement::default();
            let keys = removed.query(&mut statement);
            let in_part = part.bind(&mut statement).and("r");
            let statement = statement.with(format!(
                "SELECT EXISTS (SELECT FROM {table} r \
                  WHERE (r.memory_id, r.{end}) OPERATOR(pg_catalog.=) ANY ({keys}){in_part})"
            ));
            if writer.only(&statement, |row| Ok(row.boolean(1) == Some(true)))? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether a table or a partition of it has a BEFORE DELETE trigger for each row that runs: 1, 2 and 8 are the bits of
/// these in `tgtype`.
fn has_trigger(table: &QualifiedName) -> Result<bool> {
    let mut statement = Statement::default();
    let name = statement.bind(Param::text(table));
    let statement = statement.with(format!(
        "SELECT EXISTS (SELECT FROM pg_catalog.pg_trigger t \
           WHERE (t.tgrelid OPERATOR(pg_catalog.=) pg_catalog.to_regclass({name}) \
               OR t.tgrelid OPERATOR(pg_catalog.=) ANY ( \
                 SELECT p.relid FROM pg_catalog.pg_partition_tree(pg_catalog.to_regclass({name})) p)) \
             AND NOT t.tgisinternal AND t.tgenabled OPERATOR(pg_catalog.<>) 'D' \
             AND (t.tgtype::pg_catalog.int4 OPERATOR(pg_catalog.&) 11) OPERATOR(pg_catalog.=) 11)"
    ));
    let found = spi::read(|reader| reader.first(&statement, |row| Ok(row.boolean(1))))?;
    Ok(found.flatten() == Some(true))
}
