//! Whether entries may say when they hold, and how long they live after each use.

use memory_search_core::Result;

use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;
use crate::store::doctor::check::{Check, Patient};
use crate::store::relations;

const DAMAGE: &str = include_str!("validity/damage.sql");
const NAME: &str = "validity and time to live";

/// Of a store that has all columns for it, or none.
pub fn examine(patient: &Patient) -> Check {
    let store = &patient.store;
    match (store.has_validity, store.is_adopted()) {
        (true, false) => Check::ok(NAME, "entries may say when they hold, and how long they live after each use"),
        (true, true) => Check::ok(NAME, "entries may say when they hold"),
        (false, false) => Check::warning(
            NAME,
            "entries cannot say when they hold, nor how long they live after each use",
            relations::as_one_statement(&relations::add_validity(&store.schema)),
        ),
        (false, true) => {
            Check::warning(NAME, "entries cannot say when they hold; drop the store and adopt the table again", None)
        }
    }
}

/// Of a store that has some of them.
pub fn damage(reader: &Reader<'_>, patient: &Patient) -> Result<Check> {
    let store = &patient.store;
    let mut statement = Statement::default();
    let entries = statement.bind(Param::Integer(Some(i64::from(store.read_from.entries))));
    let statement = statement.with(filled(DAMAGE, &[("{entries}", &entries)]));
    let found = reader.first(&statement, |row| Ok((row.required_text(1)?, row.boolean(2) == Some(true))))?;
    let (damage, has_other_types) = found.unwrap_or_default();
    // What a value of another type means is for whoever changed it to say.
    let fix = (!has_other_types).then(|| relations::as_one_statement(&relations::add_validity(&store.schema)));
    Ok(Check::error(NAME, format!("entries cannot say when they hold, so nothing is answered: {damage}"), fix))
}
