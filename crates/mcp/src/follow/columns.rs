//! The columns of the source's table, and their types on the follower. Replication sends values as texts, so a type
//! fits if it reads the same text.

use memory_search_client::database::statement::quoted;
use serde_json::{Value, json};

use crate::follow::session::Session;

/// Each column with the type of the stored values (for a domain, its base type), and the origin of that type. The
/// search path is empty: types outside of pg_catalog are written with their schema, which is cut off.
const COLUMNS: &str = r#"
    SELECT a.attname::text, pg_catalog.format_type(a.atttypid, a.atttypmod), (a.attgenerated <> '')::text,
      pg_catalog.regexp_replace(pg_catalog.format_type(b.oid, b.typmod), '^("[^"]+"|[^."]+)\.', ''),
      e.typtype::text, en.nspname::text, x.extname::text, e.typname::text, (e.oid <> b.oid)::text,
      coalesce(b.typmod, -1)::text
    FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
    CROSS JOIN LATERAL (SELECT CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END AS oid,
      CASE t.typtype WHEN 'd' THEN t.typtypmod ELSE a.atttypmod END AS typmod) b
    JOIN pg_catalog.pg_type bt ON bt.oid = b.oid
    JOIN pg_catalog.pg_type e
      ON e.oid = CASE WHEN bt.typcategory = 'A' AND bt.typelem <> 0 THEN bt.typelem ELSE bt.oid END
    JOIN pg_catalog.pg_namespace en ON en.oid = e.typnamespace
    LEFT JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_type'::regclass AND d.objid = e.oid
      AND d.refclassid = 'pg_catalog.pg_extension'::regclass AND d.deptype = 'e'
    LEFT JOIN pg_catalog.pg_extension x ON x.oid = d.refobjid
    WHERE a.attrelid = $1::text::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"#;

const SCHEMA_OF_TYPE: &str = "SELECT pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_type t \
    JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace \
    JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e' \
    JOIN pg_catalog.pg_extension x ON x.oid = d.refobjid WHERE x.extname = $1 AND t.typname = $2";

/// A column that is copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name, on both servers.
    pub name: String,
    /// Its type on the source, as the source writes it.
    pub source_type: String,
    /// Its type on the follower, as SQL.
    pub follower_type: String,
}

impl Column {
    /// Its definition on the follower. Only the source enforces constraints.
    pub fn definition(&self) -> String {
        format!("{} {}", quoted(&self.name), self.follower_type)
    }

    /// For the record.
    pub fn to_json(&self) -> Value {
        json!([self.name, self.source_type, self.follower_type])
    }

    /// From the record.
    pub fn from_json(value: &Value) -> Option<Self> {
        let text = |at: usize| value[at].as_str().map(str::to_owned);
        Some(Column { name: text(0)?, source_type: text(1)?, follower_type: text(2)? })
    }

    /// Whether it holds pgvector vectors that a search compares.
    pub fn is_vector(&self) -> bool {
        let plain = self.follower_type.rsplit('.').next().unwrap_or_default();
        plain.starts_with("vector") || plain.starts_with("halfvec")
    }

    /// Whether it holds text of any length.
    pub fn is_text(&self) -> bool {
        self.source_type == "text" || self.source_type.starts_with("character varying")
    }
}

/// The columns to copy: the `wanted` ones, or all that can be copied.
pub async fn read(
    source: &Session,
    follower: &Session,
    relation: &str,
    key: &[String],
    wanted: Option<&[String]>,
) -> Result<Vec<Column>, String> {
    let rows = source.rows(COLUMNS, &[relation]).await?;
    let names: Vec<&str> = rows.iter().filter_map(|row| row[0].as_deref()).collect();
    for name in wanted.unwrap_or_default() {
        if !names.contains(&name.as_str()) {
            return Err(format!(
                "--columns: {relation} of the source has no column \"{name}\"; it has {}",
                names.join(", ")
            ));
        }
    }
    let mut columns = Vec::new();
    for row in &rows {
        let of = |at: usize| row[at].as_deref().unwrap_or_default();
        let name = of(0);
        let is_wanted = wanted.is_none_or(|wanted| wanted.iter().any(|w| w == name)) || key.iter().any(|k| k == name);
        if !is_wanted {
            continue;
        }
        if of(2) == "true" {
            // Its values are not sent, but the columns that it is computed from are.
            if wanted.is_some() {
                return Err(format!(
                    "--columns: \"{name}\" is a generated column, which is not sent. Hint: follow what it is made of, \
                     and \
                     map an expression of that by --map"
                ));
            }
            continue;
        }
        let follower_type = type_on_follower(follower, row).await?.ok_or_else(|| {
            let others: Vec<&str> = names.iter().copied().filter(|other| *other != name).collect();
            format!(
                "the follower has no type for column \"{name}\" ({}). Hint: {}leave it out, by --columns {}",
                of(1),
                match of(6) {
                    "" => String::new(),
                    extension => format!("CREATE EXTENSION {extension} on the follower, or "),
                },
                others.join(",")
            )
        })?;
        columns.push(Column { name: name.to_owned(), source_type: of(1).to_owned(), follower_type });
    }
    Ok(columns)
}

/// SQL of the type on the follower; `None` if it has no type that reads the same texts.
async fn type_on_follower(follower: &Session, row: &[Option<String>]) -> Result<Option<String>, String> {
    let of = |at: usize| row[at].as_deref().unwrap_or_default();
    let (plain, kind, schema, extension, is_array) = (of(3), of(4), of(5), of(6), of(8) == "true");
    Ok(match (kind, extension) {
        // Its labels are texts.
        ("e", _) => Some(if is_array { "text[]" } else { "text" }.to_owned()),
        ("b" | "r" | "m", "") if schema == "pg_catalog" => resolved(follower, plain, of(9)).await?,
        (_, "") => None,
        (_, extension) => {
            let schema = follower.value(SCHEMA_OF_TYPE, &[extension, of(7)]).await?;
            match schema {
                Some(schema) => resolved(follower, &format!("{schema}.{plain}"), of(9)).await?,
                None => None,
            }
        }
    })
}

/// The type with this name, as the follower itself writes it. The name comes from the source, and never becomes part of
/// a statement.
async fn resolved(follower: &Session, name: &str, modifier: &str) -> Result<Option<String>, String> {
    let sql = "SELECT pg_catalog.format_type(pg_catalog.to_regtype($1)::oid, $2::text::int)";
    follower.value(sql, &[name, modifier]).await
}
