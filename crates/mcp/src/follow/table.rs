//! The follower's table, and the embeddings that the follower makes for its rows. A replication worker fires only
//! triggers that are enabled for it, and an error in one would stop it: so this trigger catches every error of an
//! embedder, and leaves the row without an embedding, which is made later.

use memory_search_client::database::statement::quoted;
use memory_search_client::log;

use crate::follow::mapping;
use crate::follow::record::Record;
use crate::follow::session::{Session, literal};

/// The column that the source does not have.
pub const EMBEDDING: &str = "memory_embedding";

/// A text with words that every embedder knows.
const SAMPLE: &str = "the weather is fine today";

/// Whether there is a schema named $1.
pub const SCHEMA_EXISTS: &str = "pg_catalog.to_regnamespace(pg_catalog.quote_ident($1)) IS NOT NULL";

/// The dimension of the follower's embedder; `None` if it has none, after a message with the reason.
pub async fn dimensions(follower: &Session, extension: &str) -> Option<u32> {
    let sql = format!("SELECT pg_catalog.array_length({extension}.memory_embed($1)::real[], 1)::text");
    match follower.value(&sql, &[SAMPLE]).await {
        Ok(length) => length.and_then(|length| length.parse().ok()),
        Err(why) => {
            log::line(&format!("rows get no embedding, and are found by their words alone: {why}"));
            None
        }
    }
}

/// The statements that make the table with its record and, if it makes embeddings, the objects for that.
pub async fn statements(
    follower: &Session,
    record: &Record,
    key: &[String],
    extension: &str,
) -> Result<Vec<String>, String> {
    let relation = record.relation();
    let mut parts: Vec<String> = record.columns.iter().map(|column| column.definition()).collect();
    let halfvec = match record.dimensions {
        None => None,
        Some(dimensions) => {
            let schema = "SELECT pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_extension x \
                 JOIN pg_catalog.pg_namespace n ON n.oid = x.extnamespace WHERE x.extname = 'vector'";
            let schema = follower.value(schema, &[]).await?.ok_or("pgvector is not in the follower's database")?;
            parts.push(format!("{} {schema}.halfvec({dimensions})", quoted(EMBEDDING)));
            Some(format!("{schema}.halfvec"))
        }
    };
    let key: Vec<String> = key.iter().map(|name| quoted(name)).collect();
    parts.push(format!("PRIMARY KEY ({})", key.join(", ")));
    let mut statements = Vec::new();
    if !follower.is(SCHEMA_EXISTS, &[&record.schema]).await? {
        statements.push(format!("CREATE SCHEMA {}", quoted(&record.schema)));
    }
    statements.push(format!("CREATE TABLE {relation} ({})", parts.join(", ")));
    statements.push(record.statement());
    if let Some(halfvec) = halfvec {
        statements.extend(embedding(record, extension, &halfvec));
    }
    Ok(statements)
}

fn embedding(record: &Record, extension: &str, halfvec: &str) -> Vec<String> {
    let (relation, column) = (record.relation(), quoted(EMBEDDING));
    let (embed, fill) = (record.beside("embed"), record.beside("fill"));
    let meaning = mapping::meaning(&record.mapping, &record.columns);
    let embed_body = format!(
        "BEGIN RETURN {extension}.memory_embed(meaning)::{halfvec}; EXCEPTION WHEN OTHERS THEN RETURN NULL; END"
    );
    let fill_body = format!(
        r#"
DECLARE
  now_says text; said_before text;
BEGIN
  now_says := (SELECT {meaning} FROM (SELECT (NEW).*) r);
  IF TG_OP = 'UPDATE' THEN
    said_before := (SELECT {meaning} FROM (SELECT (OLD).*) r);
    IF now_says IS NOT DISTINCT FROM said_before THEN RETURN NEW; END IF;
  END IF;
  NEW.{column} := NULL;
  IF coalesce(nullif(pg_catalog.current_setting('memory_search.embed_on_write', true), ''), 'on')::boolean THEN
    NEW.{column} := {embed}(now_says);
  END IF;
  RETURN NEW;
EXCEPTION WHEN OTHERS THEN
  NEW.{column} := NULL;
  RETURN NEW;
END"#
    );
    vec![
        format!(
            "CREATE FUNCTION {embed}(meaning text) RETURNS {halfvec} LANGUAGE plpgsql STABLE \
             SET search_path = pg_catalog, pg_temp AS {}",
            literal(&embed_body)
        ),
        format!(
            "CREATE FUNCTION {fill}() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS {}",
            literal(&fill_body)
        ),
        format!(
            "CREATE TRIGGER memory_search_embeds BEFORE INSERT OR UPDATE ON {relation} FOR EACH ROW \
             EXECUTE FUNCTION {fill}()"
        ),
        format!("ALTER TABLE {relation} ENABLE REPLICA TRIGGER memory_search_embeds"),
        // Finds waiting rows without reading the table.
        format!("CREATE INDEX ON {relation} (({column} IS NULL)) WHERE {column} IS NULL"),
    ]
}

/// The statements that remove the objects for embeddings.
pub fn without_embedding(record: &Record, relation: &str) -> Vec<String> {
    vec![
        format!("DROP TRIGGER IF EXISTS memory_search_embeds ON {relation}"),
        format!("DROP FUNCTION IF EXISTS {}()", record.beside("fill")),
        format!("DROP FUNCTION IF EXISTS {}(text)", record.beside("embed")),
    ]
}

/// The result for waiting rows.
#[derive(Default)]
pub struct Embedded {
    /// The number of rows that now have an embedding.
    pub rows: u64,
    /// The reason why one of the others could not be read.
    pub failed: Option<String>,
}

/// Embeds up to `most` waiting rows. If the expressions of the mapping fail on one, each row is tried by itself.
pub async fn embed_waiting(follower: &Session, record: &Record, most: u32) -> Result<Embedded, String> {
    if record.dimensions.is_none() {
        return Ok(Embedded::default());
    }
    let (relation, column) = (record.relation(), quoted(EMBEDDING));
    let waiting = format!("SELECT ctid::text FROM {relation} WHERE {column} IS NULL ORDER BY random() LIMIT {most}");
    if let Ok(rows) = embed(follower, record, &format!("{column} IS NULL ORDER BY random() LIMIT {most}")).await {
        return Ok(Embedded { rows, failed: None });
    }
    // If the follower does not answer, this fails.
    let mut embedded = Embedded::default();
    for place in follower.rows(&waiting, &[]).await?.iter().filter_map(|row| row[0].as_deref()) {
        match embed(follower, record, &format!("ctid = {}::tid AND {column} IS NULL", literal(place))).await {
            Ok(rows) => embedded.rows += rows,
            Err(why) => embedded.failed = Some(why),
        }
    }
    Ok(embedded)
}

/// Embeds the `meant` rows, and returns how many now have an embedding. Rows that replication is changing are skipped.
/// Replication waits for the rows that are being embedded, so the caller asks for few.
async fn embed(follower: &Session, record: &Record, meant: &str) -> Result<u64, String> {
    let (relation, column) = (record.relation(), quoted(EMBEDDING));
    let meaning = mapping::meaning(&record.mapping, &record.columns);
    let sql = format!(
        "WITH waiting AS MATERIALIZED (SELECT ctid FROM {relation} WHERE {meant} FOR UPDATE SKIP LOCKED), \
         made AS MATERIALIZED (SELECT w.ctid, {embed}({meaning}) AS embedding \
           FROM waiting w JOIN {relation} r ON r.ctid = w.ctid), \
         embedded AS (UPDATE {relation} r SET {column} = m.embedding FROM made m \
           WHERE r.ctid = m.ctid AND m.embedding IS NOT NULL RETURNING 1) \
         SELECT count(*)::text FROM embedded",
        embed = record.beside("embed"),
    );
    Ok(follower.value(&sql, &[]).await?.and_then(|text| text.parse().ok()).unwrap_or(0))
}

/// The number of rows without an embedding.
pub async fn waiting(follower: &Session, record: &Record) -> Result<u64, String> {
    if record.dimensions.is_none() {
        return Ok(0);
    }
    let sql = format!("SELECT count(*)::text FROM {} WHERE {} IS NULL", record.relation(), quoted(EMBEDDING));
    Ok(follower.value(&sql, &[]).await?.and_then(|text| text.parse().ok()).unwrap_or(0))
}
