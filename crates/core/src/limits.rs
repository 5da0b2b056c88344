//! Every numeric bound and default of an argument, an option, a setting or a column, in one place: validation, error
//! messages, the ranges of settings, definitions of tables and documentation all read it here.

use std::ops::RangeInclusive;

/// `top_ke` when a request does not say: entries in a response.
pub const DEFAULT_TOP_KE: i64 = 5;
/// `top_kc` when a request does not say: relevant contexts in a response.
pub const DEFAULT_TOP_KC: i64 = 2;
/// The least `top_ke`; 0 is a context-only search.
pub const MIN_TOP_KE: i64 = 0;
/// The least `top_kc`.
pub const MIN_TOP_KC: i64 = 1;
/// The default of the setting `memory_search.max_top_ke`.
pub const DEFAULT_MAX_TOP_KE: i32 = 10;
/// The default of the setting `memory_search.max_top_kc`.
pub const DEFAULT_MAX_TOP_KC: i32 = 3;
/// The default of the setting `memory_search.highest_top_ke`: how far anybody may raise `max_top_ke`, and what
/// `memory_search_entries` gives at once.
pub const DEFAULT_HIGHEST_TOP_KE: i32 = 1_000;
/// No setting raises `top_ke` or `top_kc` above this: a response is one JSON document in memory.
pub const HIGHEST_TOP: i32 = 10_000;
/// The least that those settings may be.
pub const LOWEST_TOP: i32 = 1;
/// The default of the setting `memory_search.embedding_cache`: embeddings of query texts.
pub const DEFAULT_CACHED_EMBEDDINGS: i32 = 64;
/// What that setting may be.
pub const CACHED_EMBEDDINGS: RangeInclusive<i32> = 0..=10_000;

/// Memories that one search is over (54000): each is read.
pub const MAX_SEARCHED_MEMORIES: usize = 1_000;

/// Candidates taken from each signal when a request does not say.
pub const DEFAULT_CANDIDATES: i64 = 75;
/// What `options.candidates` may be.
pub const CANDIDATES: RangeInclusive<i64> = 1..=10_000;

/// How many entries of one group `options.atMost` may allow.
pub const AT_MOST: RangeInclusive<i64> = 1..=1_000;
/// Keys of `options.atMost`.
pub const MAX_GROUPINGS: usize = 8;
/// How many entries of its session `options.neighbours` may ask for on one side of an entry: some turns, not the whole
/// conversation, which a list by `sessionId` gives.
pub const NEIGHBOURS: RangeInclusive<i64> = 0..=20;
/// Of how many times `top_ke` entries `options.mmr` chooses those that differ; at least, and at most so many (each is
/// compared with each that is taken).
pub const MMR_POOL_FACTOR: usize = 4;
/// The least of them.
pub const LEAST_MMR_POOL: usize = 50;
/// The most of them, where fewer are wanted.
pub const MOST_MMR_POOL: usize = 1_000;
/// How many of the best entries a reranker is shown when a request does not say.
pub const DEFAULT_RERANKED: usize = 50;
/// What `options.rerank.best` may be.
pub const RERANKED: RangeInclusive<i64> = 1..=1_000;
/// Pinned entries of a prompt (54000): all of them are in it.
pub const MAX_PINNED: usize = 100;
/// What `options.newest` may ask for: entries that a prompt begins with.
pub const NEWEST_OF_PROMPT: RangeInclusive<i64> = 1..=1_000;
/// What `options.maxCharacters` may be.
pub const CHARACTERS_OF_ENTRY: RangeInclusive<i64> = 1..=1_000_000;

/// What `options.snippets.maxCharacters` may be: characters of a passage.
pub const SNIPPET_CHARACTERS: RangeInclusive<i64> = 20..=10_000;
/// Characters of a passage when a request does not say.
pub const DEFAULT_SNIPPET_CHARACTERS: usize = 300;
/// What `options.snippets.perEntry` may be: passages of an entry.
pub const SNIPPETS_OF_ENTRY: RangeInclusive<i64> = 1..=10;
/// Characters of a mark around words.
pub const MAX_MARK_CHARACTERS: usize = 100;

/// Similarity above which two memories of a prompt say the same, when a request does not say.
pub const DEDUP_THRESHOLD: f64 = 0.95;

/// `token_budget` of a prompt when a caller does not say.
pub const DEFAULT_TOKEN_BUDGET: i64 = 8_000;

/// Longest query in bytes. Longer text is no question; its embedding and its lexemes would only
/// blur (54000).
pub const MAX_QUERY_BYTES: usize = 64 * 1024;
/// Distinct lexemes of a query that are searched: the first ones by position.
pub const MAX_QUERY_LEXEMES: usize = 256;
/// Whether words that no entry holds find those that differ in one letter, where neither request nor setting says.
pub const DEFAULT_TYPOS: bool = false;
/// Different phrases and excluded words of one query (54000): every entry is compared with all of them, and none of
/// them may be left out without a word.
pub const MAX_QUERY_DEMANDS: usize = 64;
/// Longest identifier (memory, user, agent, source type) in bytes: it must fit a btree key.
pub const MAX_IDENTIFIER_BYTES: usize = 1024;
/// Partitions of a store. Each has some twenty relations, of which making and dropping the store lock all: 128 take 2,500
/// of the 6,400 locks that a server has room for as it is installed.
pub const PARTITIONS: RangeInclusive<i64> = 2..=128;
/// Shards of a distributed store: what Citus takes.
pub const SHARDS: RangeInclusive<i64> = 1..=64_000;
/// Longest name of a store in bytes: a schema's name is cut there.
pub const MAX_NAME_BYTES: usize = 63;
/// Dimensions that pgvector stores in a `halfvec`.
pub const MAX_DIMENSIONS: usize = 16_000;
/// Dimensions that pgvector can index for `halfvec`.
pub const MAX_INDEXED_DIMENSIONS: usize = 4_000;
/// The largest finite half-precision number.
pub const MAX_HALF: f32 = 65_504.0;
/// Below this, half precision starts to lose digits of a vector of some hundred elements.
pub const LEAST_HALF: f32 = 0.01;
/// Values in one filter list (tags, source types).
pub const MAX_FILTER_VALUES: usize = 1_000;
/// Conditions of one tree of filters (54000): each may be asked of every row.
pub const MAX_FILTER_CONDITIONS: usize = 256;
/// Characters of a pattern for a text in metadata, by `$like` or `$ilike` (54000).
pub const MAX_METADATA_PATTERN_CHARACTERS: usize = 1_000;
/// Bytes of text that one response may hold: it is built in memory, several times over, and PostgreSQL's
/// jsonb takes 256 MB.
pub const MAX_RESPONSE_BYTES: usize = 192 << 20;
/// Entries of one statement of which listeners are told one by one; of more they get a count for each memory, and of
/// more memories than these one count. PostgreSQL keeps what was not yet read in one queue for all databases.
pub const MOST_NOTIFIED_ENTRIES: usize = 100;
/// Rows of a page, of a list without a query.
pub const PAGE_SIZE: RangeInclusive<i64> = 1..=1_000;
/// Rows of a page when a caller does not say.
pub const DEFAULT_PAGE_SIZE: i64 = 100;
/// Ids of one call that gets entries by them (54000).
pub const MAX_ENTRY_IDS: usize = 10_000;
/// Links of one answer.
pub const LINKS: RangeInclusive<i64> = 1..=10_000;
/// Links of one answer when a caller does not say.
pub const DEFAULT_LINKS: i64 = 100;
/// Bytes of a link's kind.
pub const MAX_KIND_BYTES: usize = 256;
/// Kinds of links that one call names (54000).
pub const MAX_KINDS: usize = 100;
/// How many links away related entries may be.
pub const RELATED_DEPTH: RangeInclusive<i64> = 1..=4;
/// How many away they may be when a caller does not say.
pub const DEFAULT_RELATED_DEPTH: i64 = 2;
/// Related entries of one answer.
pub const RELATED_ENTRIES: RangeInclusive<i64> = 1..=1_000;
/// Related entries of one answer when a caller does not say.
pub const DEFAULT_RELATED_ENTRIES: i64 = 100;
/// Links that one step from entries to related ones follows, both ways and of all entries together, ...
pub const LINKS_OF_STEP: usize = 5_000;
/// ... and of one entry each way.
pub const LINKS_OF_ENTRY: usize = 2_000;
/// Corrected entries that are looked at with the entries that correct them, for the links that these had.
pub const CORRECTED_OF_STEP: usize = 1_000;
/// Aliases through which a name is looked for, one after the other.
pub const ALIAS_CHAIN: usize = 1_000;
/// Importance of an entry.
pub const IMPORTANCE: RangeInclusive<i64> = 0..=100;
/// The most important, as ranking has it.
pub const FULL_IMPORTANCE: f64 = *IMPORTANCE.end() as f64;
/// What a filter may ask of importance.
pub const IMPORTANCE_FILTER: RangeInclusive<f64> = *IMPORTANCE.start() as f64..=FULL_IMPORTANCE;
/// Importance of an entry that does not say; neither important nor trivial.
pub const DEFAULT_IMPORTANCE: i64 = 50;
/// The least importance of entries that a fallback to the most recent ones gives: a question that
/// nothing answers is not answered with trivia.
pub const FALLBACK_IMPORTANCE: f64 = DEFAULT_IMPORTANCE as f64;
/// How many characters of each field are indexed. A tsvector holds at most 1 MB of lexemes; in the
/// worst text (four-byte letters, words of one or two of them, hyphens and paths that are indexed
/// whole and in parts) a character takes up to 10 bytes of it, so 100,000 in all always fit. (Ideographs
/// become words of one character each, of which there are few.)
pub const SUMMARY_CHARACTERS: usize = 16_000;
/// The same of an entry's text, or a context's.
pub const RAW_ENTRY_CHARACTERS: usize = 60_000;
/// The same of all tags together.
pub const TAGS_CHARACTERS: usize = 8_000;
/// Characters of a name of an entity.
pub const ENTITY_CHARACTERS: usize = 200;
/// Entities of one entry (54000): what a text of ordinary length names, many times over.
pub const MAX_ENTITIES: usize = 64;
/// The same of metadata as text.
pub const METADATA_CHARACTERS: usize = 16_000;
/// Days over which recency may fall: up to a century.
pub const RECENCY_DAYS: RangeInclusive<f64> = 0.001..=36_500.0;
/// Years that an entry may live after each use.
pub const MAX_TTL_YEARS: i64 = 1_000;
/// Access count at which popularity is full (`popularity.curve` = `cap`).
pub const POPULARITY_CAP: RangeInclusive<f64> = 1.0..=1e12;
/// Weights, floors and thresholds.
pub const UNIT: RangeInclusive<f64> = 0.0..=1.0;
/// Cosine similarity.
pub const SIMILARITY: RangeInclusive<f64> = -1.0..=1.0;

/// Microseconds in a day.
pub const MICROS_PER_DAY: f64 = 86_400_000_000.0;
