//! Whether the functions that make a store's words are as this version makes them.

use memory_search_core::Result;

use crate::pg::spi::Reader;
use crate::store::doctor::check::{Check, Patient};
use crate::store::relations;
use crate::store::words_functions;

/// Words are found only where those of all rows and of the query are made alike.
pub fn examine(reader: &Reader<'_>, patient: &Patient) -> Result<Check> {
    const NAME: &str = "functions of words";
    let (schema, language) = (&patient.store.schema, &patient.store.language);
    let mut found = words_functions::of_schema(reader, schema)?;
    if found.is_empty() {
        return Ok(Check::ok(NAME, "the store's tables make words without functions"));
    }
    found.retain(|function| !function.is_unchanged);
    if found.is_empty() {
        return Ok(Check::ok(NAME, "they make words as this version does"));
    }
    let names: Vec<&str> = found.iter().map(|function| &*function.signature).collect();
    let fixes: Vec<String> = found.iter().map(|function| function.of.make_anew(schema, language)).collect();
    Ok(Check::warning(
        NAME,
        format!("{} is not as this version makes it; the fix computes the words of all rows again", names.join(", ")),
        relations::as_one_statement(&fixes.join("\n")),
    ))
}
