//! The entries that a search sees. The `filters` argument ([`argument`]) and visibility at an instant ([`visibility`])
//! are conditions as data ([`condition`]). Two interpreters read them: one here, on a row, and one in the extension,
//! which writes them as SQL.

pub mod argument;
pub mod condition;
mod condition_count;
pub mod containment;
pub mod json_path;
pub mod metadata;
mod metadata_time;
pub mod number_ranges;
pub mod operators;
pub mod option_names;
#[cfg(test)]
mod oracle;
pub mod validity;
pub mod visibility;
pub mod weakening;

pub use argument::Filters;
pub use condition::TagMatch;
pub use containment::Containment;
