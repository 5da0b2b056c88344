//! What a store lacks that an earlier version made: it works as it did, and these statements bring it up to date.

use memory_search_core::Result;

use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition::StoreKind;
use crate::store::doctor::check::{Check, Patient};
use crate::store::doctor::indexes::find_key;
use crate::store::doctor::validity;
use crate::store::relations;
use crate::store::words_functions;

const PENDING_INDEX: &str = include_str!("older/pending_index.sql");
const DEFINITION_OF_WORDS: &str = include_str!("older/definition_of_words.sql");

/// What is in the definition of `search_vector` where only texts and numbers of metadata are words, as 0.1.0 had it.
const WITHOUT_KEYS: &str = r#"["string", "numeric"]"#;

/// A check for each difference, for a store of any kind.
pub fn examine(reader: &Reader<'_>, patient: &Patient) -> Result<Vec<Check>> {
    Ok(vec![
        contexts_of_entries(patient),
        sessions_and_keys(reader, patient)?,
        validity::examine(patient),
        feedback(patient),
        words_of_metadata(reader, patient)?,
        words_functions(reader, patient)?,
        pending_embeddings(reader, patient)?,
    ])
}

fn contexts_of_entries(patient: &Patient) -> Check {
    const NAME: &str = "contexts of entries";
    let store = &patient.store;
    if store.is_adopted() || store.contexts_name_entries {
        return Check::ok(NAME, "a context goes with the entry that brought it");
    }
    Check::warning(
        NAME,
        "contexts do not say which entry brought them, and are still shown when it was deleted",
        relations::name_entries_of_contexts(store),
    )
}

fn sessions_and_keys(reader: &Reader<'_>, patient: &Patient) -> Result<Check> {
    const NAME: &str = "sessions and keys";
    let store = &patient.store;
    if store.is_adopted() {
        return Ok(match store.names_sessions {
            true => Check::ok(NAME, "entries may say which session they are from"),
            false => Check::warning(
                NAME,
                "entries cannot say which session they are from; drop the store and adopt the table again",
                None,
            ),
        });
    }
    if !(store.names_sessions && store.has_keys) {
        return Ok(Check::warning(
            NAME,
            "entries cannot say which session they are from, and have no keys",
            relations::as_one_statement(&relations::name_sessions_and_keys(&store.schema)),
        ));
    }
    let entries = store.relation("entries");
    let of_keys = find_key(&entries, "entry_key", "(entry_key IS NOT NULL)");
    Ok(match reader.first(&of_keys, |row| row.required_text(1))? {
        Some(_) => Check::ok(NAME, "entries may say which session they are from, and have keys"),
        None => Check::error(
            NAME,
            "the index of keys is missing: a key may stand twice, and adding an entry with one fails",
            relations::index_of_keys(&store.schema),
        ),
    })
}

fn feedback(patient: &Patient) -> Check {
    const NAME: &str = "feedback";
    let store = &patient.store;
    match store.has_feedback {
        true => Check::ok(NAME, "what users say of entries is counted"),
        false => Check::warning(
            NAME,
            "what users say of entries is not counted",
            relations::as_one_statement(&relations::add_feedback(&store.schema)),
        ),
    }
}

fn words_of_metadata(reader: &Reader<'_>, patient: &Patient) -> Result<Check> {
    const NAME: &str = "words of metadata";
    let store = &patient.store;
    let mut statement = Statement::default();
    let entries = statement.bind(Param::Integer(Some(i64::from(store.read_from.entries))));
    // The generated column of a store's own table, or the view of an adopted one.
    let statement = statement.with(filled(DEFINITION_OF_WORDS, &[("{entries}", &entries)]));
    let definition = reader.first(&statement, |row| row.text(1))?.flatten().unwrap_or_default();
    if !definition.contains(WITHOUT_KEYS) {
        return Ok(Check::ok(NAME, "keys and values of metadata are words, where it is searched"));
    }
    let detail = "keys and booleans of metadata are no words";
    let fix = match store.kind {
        StoreKind::Own => Some(relations::search_keys_of_metadata(store, &definition, WITHOUT_KEYS)),
        StoreKind::Adopted { .. } => None,
    };
    let how = if fix.is_some() { "the fix rewrites the table" } else { "drop the store and adopt the table again" };
    Ok(Check::warning(NAME, format!("{detail}; {how}"), fix))
}

/// Whether rows without an embedding are found without reading their tables.
fn pending_embeddings(reader: &Reader<'_>, patient: &Patient) -> Result<Check> {
    const NAME: &str = "index of missing embeddings";
    let store = &patient.store;
    if store.is_adopted() {
        return Ok(Check::ok(NAME, "embeddings of an adopted table are made by its application"));
    }
    let mut fixes = Vec::new();
    for (table, key) in [("entries", "entry_id"), ("contexts", "context_id")] {
        let relation = store.relation(table);
        let mut statement = Statement::default();
        let table_name = statement.bind(Param::text(&*relation));
        let usual = format!("{table}_to_embed");
        let name = statement.bind(Param::text(&*store.relation(&usual)));
        let statement = statement.with(filled(PENDING_INDEX, &[("{table}", &table_name), ("{name}", &name)]));
        let found = reader.first(&statement, |row| Ok((row.integer(1), row.boolean(2))))?;
        if let Some((Some(0), is_free)) = found {
            // Where something else has the usual name, the server makes one up.
            let name = if is_free == Some(true) { format!("{usual} ") } else { String::new() };
            fixes.push(format!("CREATE INDEX {name}ON {relation} (memory_id, {key}) WHERE embedding IS NULL;"));
        }
    }
    if fixes.is_empty() {
        return Ok(Check::ok(NAME, "memory_embed_pending reads only them"));
    }
    let detail = "missing: memory_embed_pending reads whole tables for them";
    Ok(Check::warning(NAME, detail, relations::as_one_statement(&fixes.join("\n"))))
}

/// Words are found only where those of all rows and of the query are made alike.
fn words_functions(reader: &Reader<'_>, patient: &Patient) -> Result<Check> {
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
