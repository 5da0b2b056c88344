//! The errors that mean that the database is unreachable.

use memory_search_client::database::error::DatabaseError;

/// Whether the connection to the database is at fault, so that waiting may help.
pub fn is_outage(error: &DatabaseError) -> bool {
    match error {
        DatabaseError::Refused(refusal) => {
            is_of_configuration(error) || refusal.code == "53300" || refusal.code == "57P04"
        }
        _ => true,
    }
}

/// Whether the database rejects the login, or does not exist: at the start that is a configuration error.
pub fn is_of_configuration(error: &DatabaseError) -> bool {
    matches!(error, DatabaseError::Refused(refusal) if refusal.code.starts_with("28") || refusal.code.starts_with("3D"))
}
