//! Checks whether tables with partitions by the hash of the memory still have all of them: a memory whose partition was
//! detached looks empty, and nothing can be added to it.

use memory_search_core::Result;

use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;
use crate::store::doctor::check::{Check, Patient};
use crate::store::schema::relations::one_of;

const FIND: &str = include_str!("partitions/find.sql");

const NAME: &str = "partitions";

/// One check.
pub fn examine(reader: &Reader<'_>, patient: &Patient) -> Result<Check> {
    let store = &patient.store;
    if store.tables_by_memory.is_none() && !store.is_partitioned {
        return Ok(Check::ok(NAME, "the tables have none"));
    }
    let mut statement = Statement::default();
    let schema = statement.bind(Param::text(&*store.schema));
    let (mut missing, mut fixes) = (Vec::new(), Vec::new());
    reader.rows(&statement.with(filled(FIND, &[("{schema}", &schema)])), |row| {
        let (table, modulus, remainder) = (row.required_text(1)?, row.required_integer(2)?, row.required_integer(3)?);
        let (relation, detached) = (store.relation(&table), row.text(4)?);
        let bounds = format!("FOR VALUES WITH (MODULUS {modulus}, REMAINDER {remainder})");
        missing.push(format!("{table} ({remainder} of {modulus})"));
        if row.boolean(5) == Some(true) {
            let part = detached.as_deref().unwrap_or_default();
            fixes.push(format!("ALTER TABLE {relation} DETACH PARTITION {part} FINALIZE;"));
        }
        fixes.push(match detached {
            Some(detached) => format!("ALTER TABLE {relation} ATTACH PARTITION {detached} {bounds};"),
            None => format!(
                "CREATE TABLE {relation}_{remainder} PARTITION OF {relation} {bounds};\n\
                 ALTER TABLE {relation}_{remainder} OWNER TO {};",
                row.required_text(6)?
            ),
        });
        Ok(())
    })?;
    if missing.is_empty() {
        return Ok(Check::ok(NAME, "each memory has its own"));
    }
    let detail =
        format!("missing: {}. Memories there look empty, and nothing can be added to them", missing.join(", "));
    Ok(Check::error(NAME, detail, one_of(&fixes)))
}
