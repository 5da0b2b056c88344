//! Every numeric bound and default of an argument, an option, a setting or a column, in one place: validation, error
//! messages, the ranges of settings, definitions of tables and documentation all read it here.

use std::ops::RangeInclusive;

/// `top_ke` if a request does not give it: entries in a response.
pub const DEFAULT_TOP_KE: i64 = 5;
/// `top_kc` if a request does not give it: relevant contexts in a response.
pub const DEFAULT_TOP_KC: i64 = 2;
/// The least `top_ke`; 0 is a context-only search.
pub const MIN_TOP_KE: i64 = 0;
/// The least `top_kc`.
pub const MIN_TOP_KC: i64 = 1;
/// The default of the setting `memory_search.max_top_ke`.
pub const DEFAULT_MAX_TOP_KE: i32 = 10;
/// The default of the setting `memory_search.max_top_kc`.
pub const DEFAULT_MAX_TOP_KC: i32 = 3;
/// The default of the setting `memory_search.highest_top_ke`: how far anybody may raise `max_top_ke`, and how many rows
/// `memory_search_entries` returns at most.
pub const DEFAULT_HIGHEST_TOP_KE: i32 = 1_000;
/// No setting raises `top_ke` or `top_kc` above this: a response is one JSON document in memory.
pub const HIGHEST_TOP: i32 = 10_000;
/// The least value of those settings.
pub const LOWEST_TOP: i32 = 1;
/// The default of the setting `memory_search.embedding_cache`: embeddings of query texts.
pub const DEFAULT_CACHED_EMBEDDINGS: i32 = 64;
/// The range of that setting.
pub const CACHED_EMBEDDINGS: RangeInclusive<i32> = 0..=10_000;

/// The most memories of one search (54000): each is read.
pub const MAX_SEARCHED_MEMORIES: usize = 1_000;

/// Candidates taken from each signal if a request does not say.
pub const DEFAULT_CANDIDATES: i64 = 75;
/// The range of `options.candidates`.
pub const CANDIDATES: RangeInclusive<i64> = 1..=10_000;

/// The range of `options.atMost` for one group.
pub const AT_MOST: RangeInclusive<i64> = 1..=1_000;
/// Keys of `options.atMost`.
pub const MAX_GROUPINGS: usize = 8;
/// The most entries of its session that `options.neighbours` may ask for on one side of an entry: some turns, not the
/// whole conversation, which a list by `sessionId` gives.
pub const NEIGHBOURS: RangeInclusive<i64> = 0..=20;
/// `options.mmr` chooses from this many times `top_ke` entries, within the next two bounds, because each is compared
/// with each chosen one.
pub const MMR_POOL_FACTOR: usize = 4;
/// The least number of these entries.
pub const LEAST_MMR_POOL: usize = 50;
/// The greatest number of these entries, unless more are wanted.
pub const MOST_MMR_POOL: usize = 1_000;
/// The number of best entries for a reranker if a request does not say.
pub const DEFAULT_RERANKED: usize = 50;
/// The number of best entries for a reranker that is a model: it takes tens of milliseconds for each.
pub const DEFAULT_RERANKED_BY_MODEL: usize = 20;
/// The longest name of a model in `options.rerank`, in bytes.
pub const MAX_MODEL_NAME_BYTES: usize = 100;
/// The range of `options.rerank.best`.
pub const RERANKED: RangeInclusive<i64> = 1..=1_000;
/// The most pinned entries of a prompt (54000): it contains all of them.
pub const MAX_PINNED: usize = 100;
/// The range of `options.newest`: entries at the beginning of a prompt.
pub const NEWEST_OF_PROMPT: RangeInclusive<i64> = 1..=1_000;
/// The range of `options.maxCharacters`.
pub const CHARACTERS_OF_ENTRY: RangeInclusive<i64> = 1..=1_000_000;

/// The range of `options.snippets.maxCharacters`: characters of a passage.
pub const SNIPPET_CHARACTERS: RangeInclusive<i64> = 20..=10_000;
/// Characters of a passage if a request does not say.
pub const DEFAULT_SNIPPET_CHARACTERS: usize = 300;
/// The range of `options.snippets.perEntry`: passages of an entry.
pub const SNIPPETS_OF_ENTRY: RangeInclusive<i64> = 1..=10;
/// Characters of a mark around words.
pub const MAX_MARK_CHARACTERS: usize = 100;

/// The similarity above which two memories of a prompt are near duplicates, if a request does not say.
pub const DEDUP_THRESHOLD: f64 = 0.95;

/// `token_budget` of a prompt if a caller does not give it.
pub const DEFAULT_TOKEN_BUDGET: i64 = 8_000;

/// Longest query in bytes. Longer text is no question; its embedding and its lexemes would only be vague (54000).
pub const MAX_QUERY_BYTES: usize = 64 * 1024;
/// Distinct lexemes of a query that are searched: the first ones by position.
pub const MAX_QUERY_LEXEMES: usize = 256;
/// Whether a word that no entry holds finds words that differ in one letter, if neither request nor setting says.
pub const DEFAULT_TYPOS: bool = false;
/// The most different phrases and excluded words of one query (54000): every entry is compared with all of them, and
/// none of them may be ignored silently.
pub const MAX_QUERY_DEMANDS: usize = 64;
/// Longest identifier (memory, user, agent, session, key, source type) in bytes: it must fit a btree key.
pub const MAX_IDENTIFIER_BYTES: usize = 1024;
/// The range of partitions of a store. Each has some twenty relations, and to make or drop the store locks all of them:
/// 128 take 2,500 of the 6,400 locks for which a server has room by default.
pub const PARTITIONS: RangeInclusive<i64> = 2..=128;
/// Shards of a distributed store: the range that Citus takes.
pub const SHARDS: RangeInclusive<i64> = 1..=64_000;
/// Longest name of a store in bytes: the server cuts longer names of schemas.
pub const MAX_NAME_BYTES: usize = 63;
/// Passages of a long text, each of which has an embedding. The format of the index has no limit of its own. Another
/// number cuts very long texts at other places, so that their stored embeddings fit no longer: embed them again.
pub const MAX_PASSAGES: usize = 256;
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
/// The most conditions of one tree of filters (54000): each may be evaluated on every row.
pub const MAX_FILTER_CONDITIONS: usize = 256;
/// Bytes of one tree of filters (54000). Each of its up to 126 levels is read again with its contents, which takes a
/// second at most for so many bytes, and no cancel takes effect meanwhile.
pub const MAX_FILTERS_BYTES: usize = 2 << 20;
/// Characters of a pattern for a text in metadata, by `$like` or `$ilike` (54000).
pub const MAX_METADATA_PATTERN_CHARACTERS: usize = 1_000;
/// Bytes of text that one response may hold: it is built in memory, several times over, and PostgreSQL's
/// jsonb takes 256 MB.
pub const MAX_RESPONSE_BYTES: usize = 192 << 20;
/// The most entries of one statement that are notified one by one. For more entries, listeners get a count for each
/// memory, and for more memories than this one count. PostgreSQL keeps unread notifications in one queue for all
/// databases.
pub const MOST_NOTIFIED_ENTRIES: usize = 100;
/// Rows of a page, of a list without a query.
pub const PAGE_SIZE: RangeInclusive<i64> = 1..=1_000;
/// Rows of a page if a caller does not say.
pub const DEFAULT_PAGE_SIZE: i64 = 100;
/// The most ids of one call that gets entries by them (54000).
pub const MAX_ENTRY_IDS: usize = 10_000;
/// The most judgements of one call that learns weights (54000): the candidates of all of them are in memory at once.
pub const MAX_JUDGEMENTS: usize = 2_000;
/// The most candidates of all judgements of a call (54000), about 200 bytes each.
pub const MAX_JUDGED_CANDIDATES: usize = 500_000;
/// Links of one answer.
pub const LINKS: RangeInclusive<i64> = 1..=10_000;
/// Links of one answer if a caller does not say.
pub const DEFAULT_LINKS: i64 = 100;
/// Bytes of a link's kind.
pub const MAX_KIND_BYTES: usize = 256;
/// The most kinds of links in one call (54000).
pub const MAX_KINDS: usize = 100;
/// The range of the distance of related entries, in links.
pub const RELATED_DEPTH: RangeInclusive<i64> = 1..=4;
/// That distance if a caller does not say.
pub const DEFAULT_RELATED_DEPTH: i64 = 2;
/// Related entries of one answer.
pub const RELATED_ENTRIES: RangeInclusive<i64> = 1..=1_000;
/// Related entries of one answer if a caller does not say.
pub const DEFAULT_RELATED_ENTRIES: i64 = 100;
/// The most links that one step from entries to related ones follows, both ways and from all entries together, ...
pub const LINKS_OF_STEP: usize = 5_000;
/// ... and from one entry each way.
pub const LINKS_OF_ENTRY: usize = 2_000;
/// The most corrected entries that are read with the entries that correct them, for their links.
pub const CORRECTED_OF_STEP: usize = 1_000;
/// The most aliases that are followed from a name, one after the other.
pub const ALIAS_CHAIN: usize = 1_000;
/// Importance of an entry.
pub const IMPORTANCE: RangeInclusive<i64> = 0..=100;
/// The greatest importance, for ranking.
pub const FULL_IMPORTANCE: f64 = *IMPORTANCE.end() as f64;
/// The range of importance in filters.
pub const IMPORTANCE_FILTER: RangeInclusive<f64> = *IMPORTANCE.start() as f64..=FULL_IMPORTANCE;
/// Importance of an entry that gives none; neither important nor trivial.
pub const DEFAULT_IMPORTANCE: i64 = 50;
/// The least importance of entries in a fallback to the most recent ones: the answer to a question without a match
/// should not be trivia.
pub const FALLBACK_IMPORTANCE: f64 = DEFAULT_IMPORTANCE as f64;
/// The number of indexed characters of each field. A tsvector holds at most 1 MB of lexemes; in the worst text
/// (four-byte letters, words of one or two of them, hyphens and paths that are indexed whole and in parts) a character
/// takes up to 10 bytes of it, so 100,000 in all always fit. (Ideographs become words of one character each, of which
/// there are few.)
pub const SUMMARY_CHARACTERS: usize = 16_000;
/// Indexed characters of an entry's text, or a context's.
pub const RAW_ENTRY_CHARACTERS: usize = 60_000;
/// Indexed characters of all tags together.
pub const TAGS_CHARACTERS: usize = 8_000;
/// Characters of a name of an entity.
pub const ENTITY_CHARACTERS: usize = 200;
/// The most entities of one entry (54000), many times as many as a text of ordinary length names.
pub const MAX_ENTITIES: usize = 64;
/// Indexed characters of metadata as text.
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
