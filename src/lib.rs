//! memory_search: long-term memory for agents and apps, searched inside PostgreSQL.
//!
//! `api` has the SQL functions, `search` the pipeline behind `memory_search`, `index` the access method of the memory
//! index, `store` the definition of stores and the code that makes, fills and changes them, `embed` makes vectors of
//! texts, and `pg` is a kit for the server. The engine without a database is the crate `memory-search-core`, the memory
//! index without one `memory-search-index`. Each layer uses only layers after it:
//! api -> search -> index, store -> embed -> pg -> crates.

// Only the kit for the server and the access method may use it.
#![deny(unsafe_code)]
// pgrx takes an ErrorReport by value: boxing it would lose its SQLSTATE and hint.
#![allow(clippy::result_large_err)]

#[cfg(not(panic = "unwind"))]
compile_error!("memory_search needs panic = \"unwind\": a panic must become an ERROR, not end the server");

mod api;
mod embed;
#[allow(unsafe_code)]
mod index;
#[allow(unsafe_code)]
mod pg;
mod search;
mod store;

pgrx::pg_module_magic!(name = c"memory_search", version = VERSION);

/// The version in Cargo.toml, which PostgreSQL 18 shows of a loaded library (`pg_get_loaded_modules`). pgrx's own way to
/// take it from there writes it in the place of the name.
const VERSION: &std::ffi::CStr =
    match std::ffi::CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => panic!("Cargo.toml's version has a null character"),
    };

pgrx::extension_sql_file!("../sql/schema/10_before_functions.sql", name = "before_functions", bootstrap);
pgrx::extension_sql_file!(
    "../sql/schema/50_text_search.sql",
    name = "text_search",
    requires = [pg::text_search::parser::memory_words_headline, pg::text_search::accents::memory_accents_lexize]
);
pgrx::extension_sql_file!("../sql/schema/80_comments.sql", name = "comments", finalize);

#[global_allocator]
static MEMORY: pg::kept_memory::KeptMemory = pg::kept_memory::KeptMemory::new();

/// Called by the server when it loads the library.
#[pgrx::pg_guard]
extern "C-unwind" fn _PG_init() {
    pg::error::without_stack_traces();
    pg::settings::register();
    index::options::register();
    index::options_of_partition::register();
    embed::embedder::load_before_connections();
}
