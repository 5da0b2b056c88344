//! A kit for PostgreSQL that knows no store: everything that touches the server but the access method (`index`), and
//! with that the only `unsafe` of the extension.

pub mod attribute;
pub mod clock;
pub mod datum;
mod dest_receiver;
pub mod epoch;
pub mod error;
pub mod expression;
pub mod function;
pub mod identifier;
pub mod index_columns;
pub mod interrupt;
pub mod invalidation;
pub mod kept_memory;
pub mod key_index;
pub mod library;
pub mod notice;
pub mod open_relation;
pub mod param;
pub mod partition;
pub mod partition_plan;
pub mod pin_limit;
pub mod plan_cache;
pub mod replay;
pub mod role;
pub mod row;
pub mod seen_rows;
pub mod settings;
pub mod spi;
pub mod sql_text;
pub mod subtransaction;
pub mod text_search;
pub mod unwinding;
pub mod vector_distance;
pub mod view;
pub mod visibility;
