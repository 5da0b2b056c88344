//! The hint for an argument that must not be null: what to give instead.

/// For arguments without a default: the value that each takes, and how callers find it.
const MEANINGS: &[(&[&str], &str)] = &[
    (&["memory_id"], "Name the memory that is meant, for example a user or a project: 'trip-planner'."),
    (
        &["entry_id", "old_entry_id", "from_entry", "to_entry"],
        "Give the id of an entry: memory_add returns it, a search shows it as entryId.",
    ),
    (&["entry_ids"], "Name the entries by their ids: memory_add returns them, a search shows them as entryId."),
    (&["context_ids"], "Name the contexts by their ids: contextId in a search, context_id in the table contexts."),
    (&["user_id"], "Name the user by the id that is in user_id of the user's entries."),
    (&["raw_entry"], "Give the text of the entry."),
    (&["context"], "Give the text of the context."),
    (&["filters"], "Give filters that the entries pass, for example {\"tags\": \"draft\"}."),
    (&["store"], "Name the store by its schema."),
    (&["role"], "Name a role of the server."),
    (&["columns"], "Map columns of the store to the table's: {\"memory_id\": \"chat\", \"entry_id\": \"id\", ...}."),
    (&["lines"], "Give a JSON list of lines that memory_export wrote."),
    (&["feedback"], "1 says that the entries helped, -1 that they did not."),
    (
        &["judgements"],
        "Give a list of searches with the entries that helped: [{\"request\": {...}, \"helpful\": [\"entry id\"]}].",
    ),
    (&["alias", "entity"], "Give the name as entries write it."),
];

/// The arguments that have another default than null.
const WITH_DEFAULT: &[&str] = &[
    "apply",
    "before",
    "by",
    "channel",
    "delegate",
    "depth",
    "direction",
    "dry_run",
    "enabled",
    "everything",
    "force",
    "k",
    "kind",
    "language",
    "max_entries",
    "max_rows",
    "max_values",
    "order_by",
    "page_size",
    "privileges",
    "setting",
    "weight",
    "whole_memory",
    "with_embeddings",
    "with_index",
];

/// The hint for null given for the argument `name`.
pub fn hint(name: &str) -> String {
    if let Some((_, meaning)) = MEANINGS.iter().find(|(names, _)| names.contains(&name)) {
        return (*meaning).to_owned();
    }
    if WITH_DEFAULT.contains(&name) {
        return format!("Leave {name} out for its default.");
    }
    format!("Give {name} a value: the parameter or the expression of the call is null.")
}

/// The hint for a key that a JSON object lacks, or that is null in it.
pub fn hint_for_key(key: &str, example: &str) -> String {
    format!("Write {{\"{key}\": {example}, ...}}: the object needs this key.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_is_answered_with_what_to_give_or_that_there_is_a_default() {
        assert!(hint("user_id").starts_with("Name the user"));
        assert_eq!(hint("page_size"), "Leave page_size out for its default.");
        assert_eq!(hint("words"), "Give words a value: the parameter or the expression of the call is null.");
        assert_eq!(hint_for_key("kind", "\"k\""), "Write {\"kind\": \"k\", ...}: the object needs this key.");
    }
}
