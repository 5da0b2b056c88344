//! The caller's request, from arguments or JSON to a plan in which every default is resolved and every bound checked.

pub mod adopted_columns;
pub mod arguments;
pub mod cleared_columns;
mod correction_circles;
pub mod detail;
pub mod entry_list;
pub mod entry_rows;
pub mod judgements;
pub mod links;
pub mod names;
pub mod newest;
mod null_arguments;
pub mod opaque;
mod option_kinds;
pub mod options;
pub mod plan;
pub mod prefix_set;
pub mod presets;
pub mod rerank;
pub mod search_cursor;
pub mod search_page;
pub mod search_request;
pub mod searched_memories;
pub mod shown_entries;
pub mod snippets;
pub mod store_ranking;
