//! What the catalogs say of a store. There is no registry: a schema that holds the relations of a
//! store is one, and everything about it is read from their definitions.

use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};

/// What a text goes through before the parser of the text search configuration, as SQL around the
/// text. Scripts that put no space between words (Han, Hiragana, Katakana) get one around each sign,
/// so that part of a run is found; `C++` and `C#`, of which the parser would leave `c`, get a word
/// that it keeps.
pub const WORDS: (&str, &str) = (
    "pg_catalog.regexp_replace(pg_catalog.regexp_replace(pg_catalog.regexp_replace(",
    ", '([[:alpha:]]+)[+][+]', '\\1 \\1plusplus', 'g'), '([[:alpha:]]+)#', '\\1 \\1sharp', 'g'), \
     '([\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff])', ' \\1 ', 'g')",
);

/// A store as its relations define it. Names are quoted, ready for SQL text.
#[derive(Debug, Clone, PartialEq)]
pub struct Store {
    /// The schema, quoted.
    pub schema: String,
    /// pgvector's schema, quoted.
    pub vector_schema: String,
    /// The text search configuration behind `search_vector`, as the inside of a string literal.
    pub language: String,
    /// Whether the texts of `search_vector` go through [`WORDS`].
    pub prepares_words: bool,
    /// How embeddings are stored.
    pub embedding: EmbeddingColumn,
}

/// How a store keeps embeddings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingColumn {
    /// `halfvec` or `vector`.
    pub type_name: String,
    /// `None` when the column takes any dimension.
    pub dimensions: Option<usize>,
}

impl Store {
    /// A relation of the store, quoted.
    pub fn relation(&self, name: &str) -> String {
        format!("{}.{name}", self.schema)
    }

    /// The tsvector of a text expression, made as `search_vector` is.
    pub fn tsvector(&self, text: &str) -> String {
        let text = match self.prepares_words {
            true => format!("{}{text}{}", WORDS.0, WORDS.1),
            false => text.to_owned(),
        };
        format!("pg_catalog.to_tsvector('{}'::pg_catalog.regconfig, {text})", self.language)
    }

    /// pgvector's cosine distance, as an operator that no search path can replace.
    pub fn cosine_distance(&self) -> String {
        format!("OPERATOR({}.<=>)", self.vector_schema)
    }

    /// Whether the embedding column takes vectors of this dimension.
    pub fn takes(&self, dimensions: usize) -> bool {
        self.embedding.dimensions.is_none_or(|own| own == dimensions)
    }

    /// A real[] parameter as the column's vector type.
    pub fn vector(&self, placeholder: &str) -> String {
        format!("{placeholder}::{}.{}", self.vector_schema, self.embedding.type_name)
    }
}

/// pgvector's schema, quoted.
pub fn vector_schema(reader: &Reader<'_>) -> Result<String> {
    let statement = Statement::default().with(
        "SELECT pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_extension x \
         JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) x.extnamespace \
         WHERE x.extname OPERATOR(pg_catalog.=) 'vector'"
            .to_owned(),
    );
    reader.first(&statement, |row| row.required_text(1))?.ok_or_else(|| {
        Error::new(ErrorKind::WrongState, "the extension vector is not installed").hint("CREATE EXTENSION vector;")
    })
}

/// Reads a store's definition. An unknown store is 42704, a schema without the relations 42P01.
pub fn store(reader: &Reader<'_>, name: &str) -> Result<Store> {
    let mut statement = Statement::default();
    let name_placeholder = statement.bind(Param::text(name));
    // The language is read from the generated column itself, so it cannot differ from what the
    // entries are indexed with.
    let statement = statement.with(format!(
        "SELECT pg_catalog.quote_ident(n.nspname), entries.oid IS NOT NULL, contexts.oid IS NOT NULL, \
                type.typname::pg_catalog.text, embedding.atttypmod::pg_catalog.int8, \
                (pg_catalog.regexp_match(pg_catalog.pg_get_expr(expression.adbin, expression.adrelid), \
                   'to_tsvector\\(''((?:[^'']|'''')+)''::regconfig'))[1], \
                vector_schema.name, \
                pg_catalog.strpos(pg_catalog.pg_get_expr(expression.adbin, expression.adrelid), '3040-') OPERATOR(pg_catalog.>) 0 \
         FROM pg_catalog.pg_namespace n \
         LEFT JOIN pg_catalog.pg_class entries \
           ON entries.relnamespace OPERATOR(pg_catalog.=) n.oid AND entries.relname OPERATOR(pg_catalog.=) 'entries' \
         LEFT JOIN pg_catalog.pg_class contexts \
           ON contexts.relnamespace OPERATOR(pg_catalog.=) n.oid AND contexts.relname OPERATOR(pg_catalog.=) 'contexts' \
         LEFT JOIN pg_catalog.pg_attribute embedding \
           ON embedding.attrelid OPERATOR(pg_catalog.=) entries.oid \
              AND embedding.attname OPERATOR(pg_catalog.=) 'embedding' AND NOT embedding.attisdropped \
         LEFT JOIN pg_catalog.pg_type type ON type.oid OPERATOR(pg_catalog.=) embedding.atttypid \
         LEFT JOIN pg_catalog.pg_attribute search_vector \
           ON search_vector.attrelid OPERATOR(pg_catalog.=) entries.oid \
              AND search_vector.attname OPERATOR(pg_catalog.=) 'search_vector' \
         LEFT JOIN pg_catalog.pg_attrdef expression \
           ON expression.adrelid OPERATOR(pg_catalog.=) entries.oid \
              AND expression.adnum OPERATOR(pg_catalog.=) search_vector.attnum \
         LEFT JOIN LATERAL (SELECT pg_catalog.quote_ident(vn.nspname) AS name FROM pg_catalog.pg_extension x \
           JOIN pg_catalog.pg_namespace vn ON vn.oid OPERATOR(pg_catalog.=) x.extnamespace \
           WHERE x.extname OPERATOR(pg_catalog.=) 'vector') vector_schema ON true \
         WHERE n.nspname OPERATOR(pg_catalog.=) {name_placeholder}"
    ));
    let found = reader.first(&statement, |row| {
        let is_store = row.boolean(2) == Some(true) && row.boolean(3) == Some(true) && row.text(4)?.is_some();
        if !is_store {
            return Err(Error::new(
                ErrorKind::UndefinedTable,
                format!("schema \"{name}\" is no store: it lacks the relations of one"),
            )
            .hint(format!("Make one with SELECT memory_create_store('{}').", name.replace('\'', "''"))));
        }
        Ok(Store {
            schema: row.required_text(1)?,
            vector_schema: row.required_text(7)?,
            prepares_words: row.boolean(8) == Some(true),
            language: row.text(6)?.unwrap_or_else(|| "pg_catalog.simple".to_owned()),
            embedding: EmbeddingColumn {
                type_name: row.required_text(4)?,
                dimensions: row.integer(5).and_then(|typmod| usize::try_from(typmod).ok()),
            },
        })
    })?;
    found.ok_or_else(|| {
        Error::new(ErrorKind::UndefinedObject, format!("store \"{name}\" does not exist"))
            .hint(format!("Make it with SELECT memory_create_store('{}').", name.replace('\'', "''")))
    })
}
