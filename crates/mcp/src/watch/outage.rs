//! Which errors say that the database is out of reach.

use crate::database::error::DatabaseError;

/// Whether the way to the database is at fault, and waiting may help.
pub fn is_outage(error: &DatabaseError) -> bool {
    match error {
        DatabaseError::Refused(refusal) => {
            is_of_configuration(error) || refusal.code == "53300" || refusal.code == "57P04"
        }
        _ => true,
    }
}

/// Whether the database does not know who connects, or is not there: at the start that is a mistake.
pub fn is_of_configuration(error: &DatabaseError) -> bool {
    matches!(error, DatabaseError::Refused(refusal) if refusal.code.starts_with("28") || refusal.code.starts_with("3D"))
}
