//! Descriptions of the tools of a memory for a language model, except the search. Ranges and fields come from
//! `tool_description`, so that each is defined once.

use serde_json::{Value, json};

use crate::bounds_and_defaults::{
    DEFAULT_IMPORTANCE, DEFAULT_RELATED_DEPTH, DEFAULT_TOKEN_BUDGET, IMPORTANCE, MAX_KINDS, RELATED_DEPTH, SIMILARITY,
};
use crate::output::json_schema::{instant, integer, number, object, text};
use crate::output::short_tools;
use crate::output::tool_description::{filters_schema, importance_in_words, remembered_fields};
use crate::request::detail::Detail;

/// The effect of a call on the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// No effect.
    Reads,
    /// It adds something; nothing else changes.
    Adds,
    /// Entries that were found are no longer found.
    Hides,
}

/// The description of a tool.
#[derive(Debug, Clone)]
pub struct MemoryTool {
    /// The name in calls.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// The purpose of the tool, and when to use it, for a model.
    pub description: &'static str,
    /// The effect of a call on the memory.
    pub effect: Effect,
    /// The JSON schema of its arguments.
    pub input: Value,
    /// The arguments that models use well.
    used_well: &'static [&'static str],
    /// The JSON schema of its result; a model with the short descriptions reads the result itself.
    pub output: Option<Value>,
}

/// The most entries that one call of a tool names or lists: a model reads them all.
pub const MOST_ENTRIES_OF_CALL: i64 = 100;

/// Entries on a page if a model does not say.
pub const DEFAULT_ENTRIES_OF_PAGE: i64 = 20;

/// The orders of a page: the first is the default.
pub const PAGE_ORDERS: [&str; 8] =
    ["-createdAt", "createdAt", "-importance", "importance", "-accessCount", "accessCount", "-expiresAt", "expiresAt"];

/// The tools beside memory_search, as they are described to a model. Arguments that a short description leaves out are
/// accepted too.
pub fn memory_tools(detail: Detail) -> Vec<MemoryTool> {
    let whole =
        vec![remember(), correct(), forget(), list(), get(), about(), related(), latest_context(), put_context()];
    match detail {
        Detail::Full => whole,
        Detail::Short => whole.into_iter().map(in_short).collect(),
    }
}

fn in_short(tool: MemoryTool) -> MemoryTool {
    MemoryTool { input: short_tools::of(&tool.input, tool.used_well), output: None, ..tool }
}

fn remember() -> MemoryTool {
    MemoryTool {
        name: "memory_remember",
        title: "Remember",
        description: "Remembers a fact, preference, decision or event for later conversations. One statement a call, \
            complete by itself: names instead of pronouns, dates instead of \"today\". Search first: what is \
            remembered already needs no second entry, and what has changed is corrected with memory_correct.",
        effect: Effect::Adds,
        input: object(
            "What to remember",
            json!({
                "rawEntry": text("The text to remember"),
                "summary": text("A short form, where the text is long"),
                "tags": tags(),
                "entities": entities(),
                "metadata": {"type": "object", "description": "Anything else that filters may ask for"},
                "importance": integer(&importance_in_words(), *IMPORTANCE.start(), *IMPORTANCE.end(),
                    DEFAULT_IMPORTANCE),
                "sourceType": text("Where it comes from: chat, email, document"),
                "creationTime": instant("When it was said or happened; now by default"),
                "validFrom": instant("From when it holds"),
                "validUntil": instant("Until when it holds"),
                "ifSimilar": number("Nothing is added where an entry is at least that similar (0.95: nearly the same \
                    words); that entry's id is returned", &SIMILARITY),
            }),
            &["rawEntry"],
        ),
        used_well: &["rawEntry", "tags", "entities", "importance", "sourceType", "creationTime", "validUntil"],
        output: Some(object(
            "What was remembered",
            json!({"entryId": text("Names the entry in other calls")}),
            &["entryId"],
        )),
    }
}

fn correct() -> MemoryTool {
    MemoryTool {
        name: "memory_correct",
        title: "Correct",
        description: "Replaces an entry that is wrong or holds no more by a new one. Searches find the new one only; \
            the old one is kept, and shown on request. The new one takes over tags, entities, importance, metadata and \
            the time of expiry, and without since also the time in which the old one holds, unless that is over.",
        effect: Effect::Hides,
        input: object(
            "A correction",
            json!({
                "entryId": text("The entry to correct, as searches and listings name it"),
                "rawEntry": text("What is right, complete by itself"),
                "summary": text("A short form, where the text is long; that of the old entry is not taken over"),
                "tags": tags(),
                "entities": entities(),
                "importance": {"type": "integer", "minimum": IMPORTANCE.start(),
                    "maximum": IMPORTANCE.end(), "description": importance_in_words()},
                "since": instant("Where the old one was right until then: from when the new one holds. Both are kept, \
                    and searches find what holds when they ask"),
            }),
            &["entryId", "rawEntry"],
        ),
        used_well: &["entryId", "rawEntry", "since"],
        output: Some(object(
            "The correction",
            json!({"entryId": text("The new entry"), "corrects": text("The entry that it corrects")}),
            &["entryId", "corrects"],
        )),
    }
}

fn forget() -> MemoryTool {
    MemoryTool {
        name: "memory_forget",
        title: "Forget",
        description: "Forgets entries: searches find them no more. Use it when somebody asks for it, or for what \
            should never have been remembered; what has changed is corrected with memory_correct instead.",
        effect: Effect::Hides,
        input: object("What to forget", json!({"entryIds": entry_ids()}), &["entryIds"]),
        used_well: &["entryIds"],
        output: Some(object(
            "What was forgotten",
            json!({"forgotten": {"type": "integer", "description":
                "How many entries: fewer than were named where some were not there"}}),
            &["forgotten"],
        )),
    }
}

fn list() -> MemoryTool {
    MemoryTool {
        name: "memory_list",
        title: "List entries",
        description: "Lists entries in an order, a page at a time, without a question. To find what is relevant to \
            something use memory_search.",
        effect: Effect::Reads,
        input: object(
            "A page of entries",
            json!({
                "filters": filters_schema(),
                "orderBy": {"type": "string", "enum": PAGE_ORDERS, "default": PAGE_ORDERS[0], "description":
                    "What orders them; a minus begins with the greatest"},
                "pageSize": integer("How many entries to return", 1, MOST_ENTRIES_OF_CALL, DEFAULT_ENTRIES_OF_PAGE),
                "cursor": text("nextCursor of the page before; filters and order must be the same"),
            }),
            &[],
        ),
        used_well: &["filters", "orderBy", "pageSize", "cursor"],
        output: Some(object(
            "A page of entries",
            json!({
                "entries": entries("The entries, in their order"),
                "nextCursor": {"type": ["string", "null"], "description": "Brings the next page; null behind the last one"},
            }),
            &["entries", "nextCursor"],
        )),
    }
}

fn get() -> MemoryTool {
    MemoryTool {
        name: "memory_get",
        title: "Get entries",
        description: "Returns entries by their ids, with all that is remembered of them.",
        effect: Effect::Reads,
        input: object("Which entries", json!({"entryIds": entry_ids()}), &["entryIds"]),
        used_well: &["entryIds"],
        output: Some(object(
            "The entries",
            json!({"entries": entries("The entries in the order of their ids; what is not there is left out")}),
            &["entries"],
        )),
    }
}

fn about() -> MemoryTool {
    MemoryTool {
        name: "memory_about",
        title: "About somebody or something",
        description: "Returns what is remembered of a person, place or thing, in the order of time. It finds entries \
            that name it among their entities; for a question use memory_search.",
        effect: Effect::Reads,
        input: object(
            "Whom or what",
            json!({
                "entity": text("The name; case, accents and blanks make no difference"),
                "filters": filters_schema(),
                "tokenBudget": {"type": "integer", "minimum": 0, "default": DEFAULT_TOKEN_BUDGET,
                    "description": "How long the answer may be"},
            }),
            &["entity"],
        ),
        used_well: &["entity"],
        output: Some(object(
            "What is remembered of it",
            json!({"entries": entries("The entries, the oldest first")}),
            &["entries"],
        )),
    }
}

fn related() -> MemoryTool {
    MemoryTool {
        name: "memory_related",
        title: "Related entries",
        description: "Returns the entries that links lead to from an entry, either way, the nearest first: its sources, \
            reasons and consequences. Use it to learn where an entry comes from and which entries depend on it.",
        effect: Effect::Reads,
        input: object(
            "From where, and how far",
            json!({
                "entryId": text("The entry, as searches and listings name it"),
                "depth": integer("How many links away", *RELATED_DEPTH.start(), *RELATED_DEPTH.end(),
                    DEFAULT_RELATED_DEPTH),
                "kinds": {"type": "array", "items": {"type": "string"}, "maxItems": MAX_KINDS, "description":
                    "Only links of these kinds, for example derived_from"},
                "maxEntries": integer("How many entries to return", 1, MOST_ENTRIES_OF_CALL, DEFAULT_ENTRIES_OF_PAGE),
            }),
            &["entryId"],
        ),
        used_well: &["entryId", "depth", "kinds", "maxEntries"],
        output: Some(object(
            "The related entries",
            json!({
                "entries": {"type": "array", "items": related_entry(), "description":
                    "The entries, the nearest first, then by weight, then the newest"},
                "isCut": {"type": "boolean", "description": "Whether other entries are left out"},
            }),
            &["entries", "isCut"],
        )),
    }
}

fn latest_context() -> MemoryTool {
    MemoryTool {
        name: "memory_latest_context",
        title: "Latest context",
        description: "Returns what the memory is about now, as it was last summarised, and when. What was remembered \
            after that is news to it.",
        effect: Effect::Reads,
        input: object("Nothing is asked", json!({}), &[]),
        used_well: &[],
        output: Some(object(
            "The latest context",
            json!({
                "latestContext": text("What the memory is about now; empty if nobody said"),
                "latestContextTimestamp": {"type": ["string", "null"], "description": "When it was made"},
            }),
            &["latestContext", "latestContextTimestamp"],
        )),
    }
}

fn put_context() -> MemoryTool {
    MemoryTool {
        name: "memory_put_context",
        title: "Put the latest context",
        description: "Says what the memory is about now, for the next conversation to begin with: a summary of the \
            state of things in some sentences. It replaces the latest context, which is kept as an older one.",
        effect: Effect::Adds,
        input: object("A context", json!({"context": text("The summary, complete by itself")}), &["context"]),
        used_well: &["context"],
        output: Some(object("The context", json!({"contextId": text("Names the context")}), &["contextId"])),
    }
}

fn tags() -> Value {
    json!({"type": "array", "items": {"type": "string"}, "description": "Labels, to filter by"})
}

fn entities() -> Value {
    json!({"type": "array", "items": {"type": "string"}, "description":
        "Names of the people, places and things that it is about"})
}

fn entry_ids() -> Value {
    json!({"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": MOST_ENTRIES_OF_CALL,
        "description": "Entries, as searches and listings name them"})
}

fn related_entry() -> Value {
    object(
        "An entry",
        json!({
            "entryId": text("Names the entry in other calls"),
            "hops": {"type": "integer", "description": "How many links it is away"},
            "weight": {"type": "number", "description": "How strong the links to it are, as a product: 0 to 1"},
            "kind": text("The kind of the last link to it"),
            "via": text("The entry from or to which that link leads"),
            "rawEntry": text("The text that was remembered"),
            "summary": {"type": ["string", "null"], "description": "A short form, if it has one"},
            "creationTime": {"type": ["string", "null"], "description": "When it was said or happened"},
        }),
        &["entryId", "hops", "weight", "kind", "via", "rawEntry", "summary", "creationTime"],
    )
}

/// Entries in a listing, without the fields that only a search has.
fn entries(description: &str) -> Value {
    let mut fields = remembered_fields();
    fields.insert("context".to_owned(), text("What the memory was about then; only if it was stored"));
    fields.insert("expiresAt".to_owned(), text("When it expires; only if it does"));
    json!({"type": "array", "items": object("An entry", Value::Object(fields), &[]), "description": description})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_says_what_it_needs_and_what_it_gives() {
        for tool in memory_tools(Detail::Full) {
            for schema in [&tool.input, tool.output.as_ref().unwrap()] {
                assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
                for required in schema["required"].as_array().into_iter().flatten() {
                    assert!(
                        schema["properties"].get(required.as_str().unwrap()).is_some(),
                        "{}: {required}",
                        tool.name
                    );
                }
                for (name, property) in schema["properties"].as_object().unwrap() {
                    assert!(!property["description"].as_str().unwrap().is_empty(), "{}.{name}", tool.name);
                }
            }
        }
    }

    #[test]
    fn what_only_reads_is_said_to() {
        let reading: Vec<&str> = memory_tools(Detail::Full)
            .iter()
            .filter(|tool| tool.effect == Effect::Reads)
            .map(|tool| tool.name)
            .collect();
        assert_eq!(reading, ["memory_list", "memory_get", "memory_about", "memory_related", "memory_latest_context"]);
    }

    #[test]
    fn no_tool_lets_a_model_choose_memory_store_or_user() {
        for tool in memory_tools(Detail::Full) {
            for fixed in ["memoryId", "store", "userId", "agentId"] {
                assert!(tool.input["properties"].get(fixed).is_none(), "{}.{fixed}", tool.name);
            }
        }
    }
}
