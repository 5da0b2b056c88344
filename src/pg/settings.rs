//! The extension's settings.

use std::ffi::{CStr, CString};
use std::ops::RangeInclusive;

use memory_search_core::request::names::StoreName;
use memory_search_core::request::plan::Bounds;
use memory_search_core::{Error, Result, bounds_and_defaults};
use memory_search_pgformat::lsn;
use pgrx::guc::{GucContext, GucFlags, GucRegistry, GucSetting};
use pgrx::pg_sys;

use crate::pg::setting_origin::require_from_peer;

const STORE_NAME: &CStr = c"memory_search.store";
const EMBEDDING_FUNCTION_NAME: &CStr = c"memory_search.embedding_function";
const RERANK_FUNCTION_NAME: &CStr = c"memory_search.rerank_function";

static STORE: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c"memory"));
static MODEL: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c"wordllama"));
static EMBEDDING_FUNCTION: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c""));
static RERANK_FUNCTION: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c""));
static USER_ID: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c""));
static MAX_TOP_KE: GucSetting<i32> = GucSetting::<i32>::new(bounds_and_defaults::DEFAULT_MAX_TOP_KE);
static HIGHEST_TOP_KE: GucSetting<i32> = GucSetting::<i32>::new(bounds_and_defaults::DEFAULT_HIGHEST_TOP_KE);
static MAX_TOP_KC: GucSetting<i32> = GucSetting::<i32>::new(bounds_and_defaults::DEFAULT_MAX_TOP_KC);
static FIND_ENTITIES: GucSetting<bool> = GucSetting::<bool>::new(false);
static EMBED_ON_WRITE: GucSetting<bool> = GucSetting::<bool>::new(true);
static TYPOS: GucSetting<bool> = GucSetting::<bool>::new(bounds_and_defaults::DEFAULT_TYPOS);
static WAIT_FOR_LSN: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(Some(c""));
static EMBEDDING_CACHE: GucSetting<i32> = GucSetting::<i32>::new(bounds_and_defaults::DEFAULT_CACHED_EMBEDDINGS);

/// Defines the settings and reserves their prefix.
pub fn register() {
    GucRegistry::define_string_guc(
        STORE_NAME,
        c"The store that functions use if none is named.",
        c"The name of a schema made by memory_create_store().",
        &STORE,
        GucContext::Userset,
        GucFlags::default(),
    );
    // A model is a file that the server's account reads, so only a superuser may choose another one.
    GucRegistry::define_string_guc(
        c"memory_search.model",
        c"The local embedding model.",
        c"A folder below SHAREDIR/memory_search/models, or an absolute path; empty for none.",
        &MODEL,
        GucContext::Suset,
        GucFlags::SUPERUSER_ONLY,
    );
    GucRegistry::define_string_guc(
        EMBEDDING_FUNCTION_NAME,
        c"An SQL function (text) returning vector, used instead of the local model.",
        c"A schema-qualified name, called with the caller's own privileges; empty for the local model.",
        &EMBEDDING_FUNCTION,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_string_guc(
        RERANK_FUNCTION_NAME,
        c"An SQL function (query text, entries text[]) returning real[] that ranks the best entries again.",
        c"A schema-qualified name, called with the caller's own privileges; empty for none.",
        &RERANK_FUNCTION,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_bool_guc(
        c"memory_search.embed_on_write",
        c"Whether rows are embedded when they are written.",
        c"If off, memory_embed_pending() embeds them later; until then they are found by their words.",
        &EMBED_ON_WRITE,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_bool_guc(
        c"memory_search.find_entities",
        c"Whether entries that are added or changed also name the entities that their texts show.",
        c"Names are found by capital letters and by form, without a model; memory_add_many compares its entries.",
        &FIND_ENTITIES,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_bool_guc(
        c"memory_search.typos",
        c"Whether a word of a query that no entry holds finds words that differ from it in one letter.",
        c"The option typos of a search has precedence.",
        &TYPOS,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_int_guc(
        c"memory_search.embedding_cache",
        c"How many embeddings of query texts a session keeps.",
        within(&bounds_and_defaults::CACHED_EMBEDDINGS, "; 0 keeps none"),
        &EMBEDDING_CACHE,
        *bounds_and_defaults::CACHED_EMBEDDINGS.start(),
        *bounds_and_defaults::CACHED_EMBEDDINGS.end(),
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_string_guc(
        c"memory_search.user_id",
        c"The user whose rows a session sees under the policies of memory_enable_row_security().",
        c"Set by the application for each request; empty for nobody.",
        &USER_ID,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_string_guc(
        c"memory_search.wait_for_lsn",
        c"The LSN that a standby must have replayed before functions read there.",
        c"The result of pg_current_wal_insert_lsn() on the primary after a commit; empty to wait for nothing.",
        &WAIT_FOR_LSN,
        GucContext::Userset,
        GucFlags::default(),
    );
    define_bound(
        c"memory_search.max_top_ke",
        c"The most entries that a response may have.",
        &MAX_TOP_KE,
        GucContext::Userset,
    );
    // A response is kept in memory as a whole, so only a superuser may allow longer ones.
    define_bound(
        c"memory_search.highest_top_ke",
        c"The most entries that a search may return, even if max_top_ke is greater.",
        &HIGHEST_TOP_KE,
        GucContext::Suset,
    );
    define_bound(
        c"memory_search.max_top_kc",
        c"The most relevant contexts that a search may return.",
        &MAX_TOP_KC,
        GucContext::Suset,
    );
    // SAFETY: the prefix is a valid C string that lives for ever; the call only notes it.
    unsafe { pg_sys::MarkGUCPrefixReserved(c"memory_search".as_ptr()) };
}

fn define_bound(
    name: &'static CStr,
    description: &'static CStr,
    setting: &'static GucSetting<i32>,
    set_by: GucContext,
) {
    GucRegistry::define_int_guc(
        name,
        description,
        within(&(bounds_and_defaults::LOWEST_TOP..=bounds_and_defaults::HIGHEST_TOP), ""),
        setting,
        bounds_and_defaults::LOWEST_TOP,
        bounds_and_defaults::HIGHEST_TOP,
        set_by,
        GucFlags::default(),
    );
}

/// The range of a setting in words. The server keeps the text as long as its process lives.
fn within(range: &RangeInclusive<i32>, remark: &str) -> &'static CStr {
    let text = CString::new(format!("Valid range is {}..{}{remark}.", range.start(), range.end()));
    text.map_or(c"", |text| Box::leak(text.into_boxed_c_str()))
}

/// The store that a caller named, or else that of the setting, which must come from a role that may act as the current
/// one (42501).
pub fn store_or(named: Option<String>) -> Result<StoreName> {
    if let Some(named) = named {
        return StoreName::named(named);
    }
    require_from_peer(STORE_NAME, "Name the store as an argument")?;
    Ok(StoreName::of_setting(text(&STORE)))
}

/// The local model's name or folder; empty if there is none.
pub fn model() -> String {
    text(&MODEL)
}

/// The SQL function that embeds, for a call; empty for the local model. The setting must come from a role that may act
/// as the current one (42501).
pub fn embedding_function() -> Result<String> {
    require_from_peer(EMBEDDING_FUNCTION_NAME, "Give the embedding as an argument")?;
    Ok(embedding_function_name())
}

/// The SQL function that embeds, as a name to show; empty for the local model.
pub fn embedding_function_name() -> String {
    text(&EMBEDDING_FUNCTION)
}

/// The SQL function that reranks the best entries, for a call; empty if there is none. The setting must come from a
/// role that may act as the current one (42501).
pub fn rerank_function() -> Result<String> {
    require_from_peer(RERANK_FUNCTION_NAME, "Name the function in options.rerank, or give null there")?;
    Ok(text(&RERANK_FUNCTION))
}

/// Whether new entries also name the entities that their texts show.
pub fn finds_entities() -> bool {
    FIND_ENTITIES.get()
}

/// Whether rows are embedded when they are written.
pub fn embeds_on_write() -> bool {
    EMBED_ON_WRITE.get()
}

/// The number of embeddings of query texts that a session keeps.
pub fn embedding_cache() -> usize {
    usize::try_from(EMBEDDING_CACHE.get()).unwrap_or(0)
}

/// The position in the write-ahead log that a standby must have replayed before a read; `None` if there is none.
pub fn wait_for_lsn() -> Result<Option<u64>> {
    let text = text(&WAIT_FOR_LSN);
    if text.is_empty() {
        return Ok(None);
    }
    lsn::read(&text).map(Some).ok_or_else(|| {
        Error::invalid(format!("memory_search.wait_for_lsn must be an LSN, not \"{text}\"")).hint(
            "Give the result of pg_current_wal_insert_lsn() on the primary, for example 0/3000060, or '' to \
             wait for nothing.",
        )
    })
}

/// Whether reads on a standby wait for a position in the write-ahead log.
pub fn awaits_replay() -> bool {
    !text(&WAIT_FOR_LSN).is_empty()
}

/// The bounds of a search that a DBA has set.
pub fn bounds() -> Bounds {
    Bounds {
        max_top_ke: MAX_TOP_KE.get().into(),
        highest_top_ke: HIGHEST_TOP_KE.get().into(),
        max_top_kc: MAX_TOP_KC.get().into(),
        typos: TYPOS.get(),
    }
}

fn text(setting: &GucSetting<Option<CString>>) -> String {
    setting.get().map(|text| text.to_string_lossy().trim().to_owned()).unwrap_or_default()
}

/// The value of a setting, including an application's own; `None` if it is not set.
pub fn current(name: &str) -> Option<Vec<u8>> {
    let name = CString::new(name).ok()?;
    // SAFETY: the name lives through the call; the value is a C string in the call's memory context. A setting that the
    // current user may not see raises an ERROR, as it would in the policy.
    unsafe {
        let value = pg_sys::GetConfigOptionByName(name.as_ptr(), std::ptr::null_mut(), true);
        (!value.is_null()).then(|| CStr::from_ptr(value).to_bytes().to_vec())
    }
}

/// Runs `work` under another value of a server setting, which is restored afterwards, also after an error.
pub fn with<T>(name: &CStr, value: &CStr, work: impl FnOnce() -> T) -> T {
    // SAFETY: a nest level belongs to this call; what is not ended here, because an ERROR passes through,
    // the end of the (sub)transaction ends.
    let level = unsafe { pg_sys::NewGUCNestLevel() };
    // SAFETY: both are C strings that live through the call; GUC_ACTION_SAVE puts the value back at the
    // end of the nest level.
    unsafe {
        pg_sys::set_config_option(
            name.as_ptr(),
            value.as_ptr(),
            pg_sys::GucContext::PGC_USERSET,
            pg_sys::GucSource::PGC_S_SESSION,
            pg_sys::GucAction::GUC_ACTION_SAVE,
            true,
            0,
            false,
        );
    }
    let result = work();
    // SAFETY: ends the level that began above.
    unsafe { pg_sys::AtEOXact_GUC(true, level) };
    result
}

/// Runs `work`, whose statement reads the first rows in an index's order. A generic plan assumes that every memory has
/// average size, and would sort all rows of a large one. With the order fixed, the generic plan is as good as any
/// other, and is not made again for each search.
pub fn with_index_order<T>(work: impl FnOnce() -> T) -> T {
    with_generic_plan(|| with(c"enable_sort", c"off", || with(c"enable_bitmapscan", c"off", work)))
}

/// Runs `work`, whose statement looks up single rows, by keys that their tables have. The server would plan it again
/// for each search, which takes longer than running it: its estimate for a list of unknown length is ten ids, more
/// expensive than the few real ones. The kept plan must not be the one for a table of one page, which reads all of it.
/// If a policy leaves no other plan, its cost does not show its length.
pub fn with_lookups<T>(work: impl FnOnce() -> T) -> T {
    let by_key = || with(c"enable_bitmapscan", c"off", || with(c"jit", c"off", work));
    with_generic_plan(|| with(c"enable_seqscan", c"off", by_key))
}

/// Runs `work`, whose subqueries each read the rows of one value of the only index that has them in order: this index
/// is used, independently of the statistics about other indexes.
pub fn without_sorting<T>(work: impl FnOnce() -> T) -> T {
    with(c"enable_sort", c"off", || with(c"jit", c"off", work))
}

/// Runs `work`, whose statement joins all rows of a memory in two tables: each is read once, however few rows the
/// statistics predict.
pub fn with_joins_of_all<T>(work: impl FnOnce() -> T) -> T {
    with(c"enable_nestloop", c"off", || with(c"jit", c"off", work))
}

/// Runs `work`, which plans a statement about all rows of a memory, for that memory: a plan for one of average size
/// would read a large one in the order of an index, not in that of pages. Statements that it runs later are not under
/// the settings.
pub(in crate::pg) fn planning_for_all<T>(work: impl FnOnce() -> T) -> T {
    let without_jit = || with(c"jit", c"off", work);
    // SAFETY: reads a plain global, the setting's value.
    if unsafe { pg_sys::plan_cache_mode } == pg_sys::PlanCacheMode::PLAN_CACHE_MODE_AUTO as i32 {
        return with(c"plan_cache_mode", c"force_custom_plan", without_jit);
    }
    without_jit()
}

/// Runs `work`, whose statement gets one plan for all values, unless a setting says how to plan.
fn with_generic_plan<T>(work: impl FnOnce() -> T) -> T {
    // SAFETY: reads a plain global, the setting's value.
    if unsafe { pg_sys::plan_cache_mode } == pg_sys::PlanCacheMode::PLAN_CACHE_MODE_AUTO as i32 {
        return with(c"plan_cache_mode", c"force_generic_plan", work);
    }
    work()
}

/// Runs `work`, whose statement gives the places of its rows: without the settings it might read the whole table, or,
/// by the index for a policy's condition, all rows of a user. As in [`with_lookups`], it would be planned again for few
/// rows.
pub fn with_tids_only<T>(work: impl FnOnce() -> T) -> T {
    let by_tid = || with(c"enable_bitmapscan", c"off", || with(c"enable_indexscan", c"off", work));
    with_generic_plan(|| with(c"enable_tidscan", c"on", || with(c"enable_seqscan", c"off", by_tid)))
}

/// Runs `work`, whose statement gives the places of its first rows, and finds others from there.
pub fn with_tids_first<T>(work: impl FnOnce() -> T) -> T {
    with(c"enable_tidscan", c"on", || with(c"enable_seqscan", c"off", work))
}

/// Runs `work`, which parses SQL text of this extension, with backslashes in literals as in standard SQL.
pub fn with_standard_literals<T>(work: impl FnOnce() -> T) -> T {
    // SAFETY: reads a plain global, the setting's value.
    if unsafe { pg_sys::standard_conforming_strings } {
        return work();
    }
    with(c"standard_conforming_strings", c"on", work)
}

/// Runs `work`, a statement that writes numbers into JSON, with all of their digits.
pub fn with_all_digits<T>(work: impl FnOnce() -> T) -> T {
    // SAFETY: reads a plain global, the setting's value.
    if unsafe { pg_sys::extra_float_digits } > 0 {
        return work();
    }
    with(c"extra_float_digits", c"1", work)
}

/// Runs `work`, a statement whose values Citus may write as text under this session's settings, to be read on another
/// node under its own: there, the third of February would be the second of March, and a truncated number another
/// number.
pub(in crate::pg) fn with_values_as_everywhere<T>(work: impl FnOnce() -> T) -> T {
    // SAFETY: reads plain globals, the settings' values.
    let (date_style, digits) = unsafe { (pg_sys::DateStyle, pg_sys::extra_float_digits) };
    let is_read_alike = u32::try_from(date_style) == Ok(pg_sys::USE_ISO_DATES) && digits > 0;
    if is_read_alike || current("citus.shard_count").is_none() {
        return work();
    }
    // Without an order of day and month, so that texts from the caller keep their meaning.
    with(c"datestyle", c"ISO", || with(c"extra_float_digits", c"1", work))
}
