//! A row of the search index, as the engine's conditions look at it.

use memory_search_core::filter::condition::{Field, NumberField, Row, TextField, TimeField};
use memory_search_core::timestamp::Micros;
use memory_search_pgformat::entries_scan::ScanTuple;

use crate::pg::datum::varlena::decompressed;
use crate::pg::param::from_postgres;

/// What `entries_scan` says of an entry.
pub struct IndexedRow<'a>(pub &'a ScanTuple<'a>);

impl Row for IndexedRow<'_> {
    fn says(field: Field) -> bool {
        match field {
            Field::Text(field) => field == TextField::UserId,
            Field::Number(field) => field == NumberField::Importance,
            Field::Time(_) => true,
            // The words are there, but only the server matches them with a tsquery.
            Field::Tags | Field::Metadata | Field::Words | Field::OtherRows => false,
        }
    }

    fn equals(&self, field: TextField, value: &str) -> Option<bool> {
        match field {
            TextField::UserId => self.0.user_id.map(|user_id| decompressed(user_id, |bytes| bytes == value.as_bytes())),
            TextField::AgentId | TextField::SourceType => None,
        }
    }

    fn number(&self, field: NumberField) -> Option<f64> {
        match field {
            NumberField::Importance => self.0.importance.map(f64::from),
            NumberField::AccessCount => None,
        }
    }

    fn time(&self, field: TimeField) -> Option<Micros> {
        let time = match field {
            TimeField::Creation => self.0.creation_time,
            TimeField::DeletionScheduled => self.0.deletion_scheduled_time,
            TimeField::Expiry => self.0.expires_at,
            TimeField::Superseded => self.0.superseded_time,
        };
        time.map(from_postgres)
    }
}
