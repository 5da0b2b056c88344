//! An entry's columns, from its row to an answer.

use memory_search_core::timestamp::Micros;

/// The approximate length of a number of an embedding in JSON.
const BYTES_OF_NUMBER: usize = 13;
/// An entry's columns, as the response shows them.
#[allow(missing_docs)]
pub struct Columns {
    pub user_id: Option<String>,
    pub agent_id: Option<String>,
    pub session_id: Option<String>,
    pub entry_key: Option<String>,
    pub summary: Option<String>,
    pub raw_entry: String,
    pub tags: String,
    /// JSON text; `None` if it is empty.
    pub entities: Option<String>,
    pub metadata: String,
    pub source_type: Option<String>,
    pub importance: Option<i64>,
    pub created: Option<Micros>,
    pub superseded_by: Option<String>,
    pub valid_from: Option<Micros>,
    pub valid_until: Option<Micros>,
    pub embedding: Option<Vec<f32>>,
}

impl Columns {
    /// The length of its texts.
    pub fn bytes(&self) -> usize {
        let optional =
            [&self.user_id, &self.agent_id, &self.session_id, &self.entry_key, &self.summary, &self.source_type];
        optional.into_iter().flatten().map(String::len).sum::<usize>()
            + self.raw_entry.len()
            + self.tags.len()
            + self.entities.as_ref().map_or(0, String::len)
            + self.metadata.len()
            // Its length in JSON.
            + self.embedding.as_ref().map_or(0, |vector| vector.len() * BYTES_OF_NUMBER)
    }
}
