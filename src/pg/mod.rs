//! Everything that touches the server, and the only `unsafe` of the extension.

pub mod catalog;
pub mod clock;
pub mod datum;
pub mod embedder;
mod embedding_cache;
pub mod error;
pub mod expression;
pub mod guc;
pub mod interrupt;
pub mod model_file;
pub mod notice;
pub mod param;
pub mod plan_cache;
mod receiver;
pub mod role;
pub mod row;
pub mod scan_index;
pub mod shards;
pub mod spi;
mod store_cache;
mod unwinding;
pub mod view;
