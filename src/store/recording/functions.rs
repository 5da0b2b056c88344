//! The trigger functions of a store as SQL, and what they do with the rows of a statement.

use memory_search_core::limits::{MAX_IDENTIFIER_BYTES, MAX_NAME_BYTES, MOST_NOTIFIED_ENTRIES};

use crate::pg::sql_text::filled;

const RECORD_HISTORY: &str = include_str!("record_history.sql");
const NOTIFY_CHANGES: &str = include_str!("notify_changes.sql");
const HISTORY: &str = include_str!("history_triggers.sql");
const NOTIFY: &str = include_str!("notify_triggers.sql");
const OPERATION_OF_CHANGE: &str = include_str!("operation_of_change.sql");

/// The trigger functions, without their schema.
pub const SIGNATURES: [&str; 2] = ["record_history()", "notify_changes()"];

/// What a row is without what is made of its texts, and without the context, which is forgotten by itself: a row in
/// which nothing else changed is not recorded. Embeddings go before the row becomes JSON: to write one takes longer
/// than all else.
const KEPT: &str = "(pg_catalog.to_jsonb(pg_catalog.jsonb_populate_record(this_row, \
    '{\"embedding\": null}'::pg_catalog.jsonb)) OPERATOR(pg_catalog.-) \
    '{embedding,embedding_model,embedding_error,entry_order,context}'::pg_catalog.text[])";

/// The rows of an UPDATE that changed, each with what that was, as SQL over its transition tables. They hold old and
/// new rows in one order, which tells apart also rows whose ids changed.
fn changes() -> String {
    filled(OPERATION_OF_CHANGE, &[("{kept}", KEPT)]).trim_end().to_owned()
}

/// How many triggers of a table call `record_history`.
pub const HISTORY_TRIGGERS: usize = 2;

/// What a writer may put into a row. Who did it and when are defaults that he cannot replace.
pub const INSERT: &str = "INSERT (memory_id, entry_id, user_id, operation, before)";

/// How many triggers of a table call `notify_changes`.
pub const NOTIFY_TRIGGERS: usize = 4;

/// The least length at which the server refuses a payload.
const MAX_PAYLOAD_BYTES: usize = 8_000;

/// JSON writes a character in six bytes at most. Beside ids there are fixed words, a count, and a name.
const _: () = assert!(6 * (MAX_IDENTIFIER_BYTES + MAX_NAME_BYTES) + 256 < MAX_PAYLOAD_BYTES);

/// The body of the trigger function, as the catalog has it.
pub fn history_body(store_name: &str, schema: &str) -> String {
    let quote = quote(store_name);
    record_history(store_name, schema, CREATE).split(&*quote).nth(1).unwrap_or_default().to_owned()
}

/// Whether a body was made for a store of another name, and is the same else. It does the same, without a plan that is
/// kept.
pub fn is_history_body_of_another_name(body: &str) -> bool {
    const NAME: &str = "\u{1}";
    let of_any = history_body(NAME, NAME);
    let mut rest = Some(body);
    for (number, fixed) in of_any.split(NAME).enumerate() {
        rest = rest.and_then(|rest| {
            let at = rest.find(fixed)?;
            // A name that is quoted, or written in escapes.
            (at <= if number == 0 { 0 } else { 2 * MAX_NAME_BYTES + 2 }).then(|| &rest[at + fixed.len()..])
        });
    }
    rest == Some("")
}

/// How functions and triggers are made: where there are none, nobody else's take their place.
const CREATE: &str = "CREATE";
const REPLACE: &str = "CREATE OR REPLACE";

/// How they are made where a store has them, or has none.
pub fn create(has_them: bool) -> &'static str {
    if has_them { REPLACE } else { CREATE }
}

/// The statements that make `record_history`.
pub fn record_history(store_name: &str, schema: &str, create: &str) -> String {
    // As a literal that every session reads alike, whatever it takes a backslash for.
    let name = match store_name.replace('\'', "''") {
        plain if !plain.contains('\\') => format!("'{plain}'"),
        escaped => format!("E'{}'", escaped.replace('\\', "\\\\")),
    };
    filled(
        RECORD_HISTORY,
        &[
            ("{create}", create),
            ("{quote}", &quote(store_name)),
            ("{schema}", schema),
            ("{schema_name}", &name),
            ("{changes}", &changes()),
        ],
    )
}

/// Dollar quotes that the name does not end.
fn quote(store_name: &str) -> String {
    let mut quote = "$function$".to_owned();
    while store_name.contains(&quote) {
        quote.insert(1, '_');
    }
    quote
}

/// The body of the trigger function, as the catalog has it.
pub fn notify_body() -> String {
    notify_changes("", CREATE).split("$function$").nth(1).unwrap_or_default().to_owned()
}

/// The statements that make the triggers of tables, which call `record_history`.
pub fn history_triggers(schema: &str, tables: &[String], create: &str) -> String {
    let of_table = |table: &String| filled(HISTORY, &[("{create}", create), ("{schema}", schema), ("{table}", table)]);
    tables.iter().map(of_table).collect()
}

/// The same, which call `notify_changes`; `channel` is a literal.
pub fn notify_triggers(schema: &str, tables: &[String], channel: &str, create: &str) -> String {
    let marks = |table| [("{create}", create), ("{schema}", schema), ("{table}", table), ("{channel}", channel)];
    tables.iter().map(|table| filled(NOTIFY, &marks(table))).collect()
}

/// The statements that make `notify_changes`.
pub fn notify_changes(schema: &str, create: &str) -> String {
    // Only plain SQL writes a longer id.
    let memory = format!(
        "CASE WHEN pg_catalog.octet_length(c.memory_id) OPERATOR(pg_catalog.<=) {MAX_IDENTIFIER_BYTES} \
                 THEN c.memory_id END"
    );
    let payload = |store: &str, fields: &str| {
        format!("pg_catalog.json_build_object('store', {store}, {fields})::pg_catalog.text")
    };
    let of_entry = format!("'memory', {memory}, 'id', c.entry_id, 'operation', c.operation");
    let of_memory = format!("'memory', {memory}, 'operation', c.operation, 'count', c.entries");
    filled(
        NOTIFY_CHANGES,
        &[
            ("{create}", create),
            ("{schema}", schema),
            ("{most}", &MOST_NOTIFIED_ENTRIES.to_string()),
            ("{changes}", &changes()),
            ("{payload_of_entry}", &payload("TG_TABLE_SCHEMA", &of_entry)),
            ("{payload_in_execute}", &payload("$2", &of_entry)),
            ("{payload_of_memory}", &payload("$2", &of_memory)),
            ("{payload_of_store}", &payload("$2", "'operation', c.operation, 'count', pg_catalog.sum(c.entries)")),
        ],
    )
}
