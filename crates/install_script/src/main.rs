//! Writes the install script of memory_search, the SQL that CREATE EXTENSION runs.
//!
//! pgrx describes every SQL function in a section of the library, `.pgrxsc`. This program reads that section from its
//! standard input and writes the script to its standard output; `pgrx-config/install_script.sh` runs it. cargo-pgrx
//! does the same with the same crate, but has 250 other dependencies, and takes minutes to compile.

#![forbid(unsafe_code)]

mod argument_types;
mod layout;
mod overloads;

use std::io::{Read, Write};
use std::process::ExitCode;

use pgrx_sql_entity_graph::section::decode_entities;
use pgrx_sql_entity_graph::{ControlFile, PgrxSql, SqlGraphEntity};

const CONTROL: &str = include_str!("../../../memory_search.control");
const VERSION: &str = env!("CARGO_PKG_VERSION");

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("memory-search-install-script: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let mut section = Vec::new();
    std::io::stdin().read_to_end(&mut section).map_err(|error| format!("the section cannot be read: {error}"))?;
    let script = install_script(&section)?;
    std::io::stdout().write_all(script.as_bytes()).map_err(|error| format!("the script cannot be written: {error}"))
}

fn install_script(section: &[u8]) -> Result<String, String> {
    let described = decode_entities(section).map_err(|error| format!("not a section .pgrxsc of pgrx 0.18: {error}"))?;
    if described.is_empty() {
        return Err("the section .pgrxsc describes nothing: is it of the extension's library?".into());
    }
    let control = ControlFile::from_str_with_cargo_version(CONTROL, VERSION)
        .map_err(|error| format!("the control file: {error}"))?;
    // The control file names the library, so that the script can say MODULE_PATHNAME.
    let versioned_library = control.module_pathname.is_none();
    let entities = std::iter::once(SqlGraphEntity::ExtensionRoot(control)).chain(described);
    let sql = PgrxSql::build(entities, "memory_search".to_string(), versioned_library)
        .and_then(|objects| objects.to_sql())
        .map_err(|error| format!("pgrx cannot order the objects: {error:?}"))?;
    let script = layout::lay_out(&sql, VERSION)?;
    let overloads = overloads::sql(&script)?;
    Ok(script + &argument_types::sql() + &overloads)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_that_is_no_section_is_refused() {
        assert!(install_script(b"").unwrap_err().contains("describes nothing"));
        assert!(install_script(b"\x7fELF no section").unwrap_err().contains("not a section"));
    }
}
