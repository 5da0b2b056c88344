//! A kit for PostgreSQL that knows no store: everything that touches the server, and the only `unsafe` of
//! the extension.

pub mod btree_index;
pub mod buffers;
pub mod clock;
pub mod datum;
mod dest_receiver;
pub mod error;
pub mod expression;
pub mod identifier;
pub mod interrupt;
pub mod invalidation;
pub mod library;
pub mod notice;
pub mod open_relation;
pub mod param;
pub mod plan_cache;
pub mod role;
pub mod row;
pub mod settings;
pub mod spi;
pub mod sql_text;
pub mod text_search;
pub mod unwinding;
pub mod view;
pub mod visibility;
