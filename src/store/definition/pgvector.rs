//! pgvector, as it is installed.

use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::extension;
use crate::pg::identifier::QuotedIdentifier;
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;
use crate::pg::vector_distance::VectorFunctions;

/// Finds its schema, the functions behind the cosine distance of two vectors and the cast of real[] to one, and the
/// function that counts dimensions.
const FIND: &str = include_str!("pgvector.sql");

/// Its schema, and its functions for the type of a column.
pub struct Pgvector {
    pub schema: QuotedIdentifier,
    /// `None` if the type is none of pgvector's.
    pub functions: Option<VectorFunctions>,
}

impl Pgvector {
    /// The schema and the functions for a column of the type with this OID; 0 is no type.
    pub fn of_type(reader: &Reader<'_>, vector: u32) -> Result<Self> {
        let mut statement = Statement::default();
        let type_oid = statement.bind(Param::Integer(Some(i64::from(vector))));
        let statement = statement.with(filled(FIND, &[("{type}", &type_oid)]));
        let found = reader.first(&statement, |row| {
            let functions = match (row.oid(2), row.oid(3), row.oid(4)) {
                (Some(distance), Some(cast), Some(dimensions)) => {
                    Some(VectorFunctions { vector, distance, cast, dimensions })
                }
                _ => None,
            };
            Ok(Pgvector { schema: QuotedIdentifier::read(row, 1)?, functions })
        })?;
        found.ok_or_else(is_missing)
    }
}

/// Its schema.
pub fn schema(reader: &Reader<'_>) -> Result<QuotedIdentifier> {
    extension::schema_of(reader, "vector")?.ok_or_else(is_missing)
}

fn is_missing() -> Error {
    Error::new(ErrorKind::WrongState, "the extension vector is not installed").hint("CREATE EXTENSION vector;")
}
