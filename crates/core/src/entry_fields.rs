//! The fields of an entry in a response, by name: a request chooses from them, and a response is written with them.

/// The names of an entry's fields.
pub const ENTRY_FIELDS: [&str; 23] = [
    "entryId",
    "memoryId",
    "userId",
    "agentId",
    "sessionId",
    "entryKey",
    "summary",
    "rawEntry",
    "snippet",
    "tags",
    "entities",
    "metadata",
    "sourceType",
    "importance",
    "accessCount",
    "creationTime",
    "validFrom",
    "validUntil",
    "supersededBy",
    "strategy",
    "score",
    "scores",
    // Only where it is named.
    "embedding",
];
