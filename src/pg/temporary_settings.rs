//! Settings for the statements of one operation, restored after it.

use memory_search_core::Result;

use crate::pg::param::Param;
use crate::pg::spi::{Statement, Writer};

/// For work that must see every row or fail: a policy that would hide rows from the caller is then an error (42501).
pub const EVERY_ROW: [(&str, &str); 1] = [("row_security", "off")];

/// Runs `work` under other values of settings. An error in between ends the transaction, which restores the values.
pub fn with_settings<T>(
    writer: &mut Writer<'_>,
    settings: &[(&str, &str)],
    work: impl FnOnce(&mut Writer<'_>) -> Result<T>,
) -> Result<T> {
    let mut before = Vec::new();
    for (setting, value) in settings {
        let mut statement = Statement::default();
        let name = statement.bind(Param::text(*setting));
        let statement = statement.with(format!("SELECT pg_catalog.current_setting({name}, true)"));
        writer.returning(&statement, |row| {
            before.push((*setting, row.text(1)?));
            Ok(())
        })?;
        set(writer, setting, value)?;
    }
    let result = work(writer)?;
    for (setting, value) in before {
        if let Some(value) = value {
            set(writer, setting, &value)?;
        }
    }
    Ok(result)
}

fn set(writer: &mut Writer<'_>, setting: &str, value: &str) -> Result<()> {
    let mut statement = Statement::default();
    let name = statement.bind(Param::text(setting));
    let value = statement.bind(Param::text(value));
    let statement = statement.with(format!("SELECT pg_catalog.set_config({name}, {value}, true)"));
    writer.execute(&statement).map(|_| ())
}
