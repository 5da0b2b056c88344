//! The trigger functions of a store as SQL, and their work on the rows of a statement.

use memory_search_core::bounds_and_defaults::{MAX_IDENTIFIER_BYTES, MAX_NAME_BYTES, MOST_NOTIFIED_ENTRIES};

use crate::pg::sql_text::filled_as_written;

const RECORD_HISTORY: &str = include_str!("record_history.sql");
const NOTIFY_CHANGES: &str = include_str!("notify_changes.sql");
const HISTORY: &str = include_str!("history_triggers.sql");
const NOTIFY: &str = include_str!("notify_triggers.sql");
const OPERATION_OF_CHANGE: &str = include_str!("operation_of_change.sql");

/// The trigger functions, without their schema.
pub const SIGNATURES: [&str; 2] = ["record_history()", "notify_changes()"];

/// A row `r` without the columns that are computed from its texts, and without the context, which is forgotten separately:
/// a change of only these is not recorded. Embeddings are removed before the row becomes JSON, because writing one
/// takes longer than everything else.
const KEPT: &str = "(pg_catalog.to_jsonb(pg_catalog.jsonb_populate_record(r.*, \
    '{\"embedding\": null, \"passage_embeddings\": null}'::pg_catalog.jsonb)) OPERATOR(pg_catalog.-) \
    '{embedding,passage_embeddings,embedding_model,embedding_error,entry_order,context}'::pg_catalog.text[])";

/// The rows that an UPDATE changed, each with its old version, as SQL over the transition tables. Both tables have the
/// rows in the same order, so that rows whose ids changed are matched, too.
fn changes() -> String {
    filled_as_written(OPERATION_OF_CHANGE, &[("{kept}", KEPT)]).trim_end().to_owned()
}

/// The number of triggers of a table that call `record_history`.
pub const HISTORY_TRIGGERS: usize = 2;

/// The columns of a row that a writer may insert. The role and the time are defaults that the writer cannot replace.
pub const INSERT: &str = "INSERT (memory_id, entry_id, user_id, operation, before)";

/// The number of triggers of a table that call `notify_changes`.
pub const NOTIFY_TRIGGERS: usize = 4;

/// The least length at which the server refuses a payload.
const MAX_PAYLOAD_BYTES: usize = 8_000;

/// JSON writes a character in at most six bytes. Besides ids there are fixed words, a count, and a name.
const _: () = assert!(6 * (MAX_IDENTIFIER_BYTES + MAX_NAME_BYTES) + 256 < MAX_PAYLOAD_BYTES);

/// The body of the trigger function, as it is in the catalog.
pub fn history_body(store_name: &str, schema: &str) -> String {
    let quote = quote(store_name);
    record_history(store_name, schema, CREATE).split(&*quote).nth(1).unwrap_or_default().to_owned()
}

/// Whether a body was made for a store of another name, and is the same otherwise. It does the same work, but without a
/// kept plan.
pub fn is_history_body_of_another_name(body: &str) -> bool {
    const NAME: &str = "\u{1}";
    let of_any = history_body(NAME, NAME);
    let mut rest = Some(body);
    for (number, fixed) in of_any.split(NAME).enumerate() {
        rest = rest.and_then(|rest| {
            let at = rest.find(fixed)?;
            // A quoted name, or one written with escapes.
            (at <= if number == 0 { 0 } else { 2 * MAX_NAME_BYTES + 2 }).then(|| &rest[at + fixed.len()..])
        });
    }
    rest == Some("")
}

/// The statements make functions and triggers if the store has none: they replace no others.
const CREATE: &str = "CREATE";
const REPLACE: &str = "CREATE OR REPLACE";

/// The command that makes them, for a store that has them or has none.
pub fn create(has_them: bool) -> &'static str {
    if has_them { REPLACE } else { CREATE }
}

/// The statements that make `record_history`.
pub fn record_history(store_name: &str, schema: &str, create: &str) -> String {
    // Every session reads this literal in the same way: the setting for backslashes does not matter.
    let name = match store_name.replace('\'', "''") {
        plain if !plain.contains('\\') => format!("'{plain}'"),
        escaped => format!("E'{}'", escaped.replace('\\', "\\\\")),
    };
    filled_as_written(
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

/// Dollar quotes that the name cannot end.
fn quote(store_name: &str) -> String {
    let mut quote = "$function$".to_owned();
    while store_name.contains(&quote) {
        quote.insert(1, '_');
    }
    quote
}

/// The body of the trigger function, as it is in the catalog.
pub fn notify_body() -> String {
    notify_changes("", CREATE).split("$function$").nth(1).unwrap_or_default().to_owned()
}

/// The statements that make the triggers of tables for `record_history`.
pub fn history_triggers(schema: &str, tables: &[String], create: &str) -> String {
    let of_table =
        |table: &String| filled_as_written(HISTORY, &[("{create}", create), ("{schema}", schema), ("{table}", table)]);
    tables.iter().map(of_table).collect()
}

/// The statements that make the triggers of tables for `notify_changes`; `channel` is a literal.
pub fn notify_triggers(schema: &str, tables: &[String], channel: &str, create: &str) -> String {
    let marks = |table| [("{create}", create), ("{schema}", schema), ("{table}", table), ("{channel}", channel)];
    tables.iter().map(|table| filled_as_written(NOTIFY, &marks(table))).collect()
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
    filled_as_written(
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
