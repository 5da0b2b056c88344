//! Adds entries and contexts to a memory, and changes them: their texts, embeddings, uses and ratings.

pub mod add;
pub mod add_many;
pub mod duplicate;
mod entry_columns;
pub mod feedback;
mod found_entities;
pub mod insert_rows;
mod kept_passages;
pub mod new_row;
pub mod put_context;
pub mod reembed;
mod refusal;
pub mod stored_embedding;
pub mod time_to_live;
pub mod touch;
pub mod update;
pub mod upsert;
