//! The record of what was made, kept as the comment on the follower's table: it goes with the table, also into dumps.

use memory_search_client::database::statement::quoted;
use serde_json::{Value, json};

use crate::follow::columns::Column;
use crate::follow::identity::Identity;
use crate::follow::session::{Session, literal};

/// The beginning of the comment.
const MARK: &str = "memory-search follow: ";

/// Anybody may comment on their own tables: only tables of this role count or, for a superuser, those of superusers.
const ALL: &str = "SELECT n.nspname::text, c.relname::text, d.description \
    FROM pg_catalog.pg_description d JOIN pg_catalog.pg_class c ON c.oid = d.objoid \
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
    JOIN pg_catalog.pg_roles o ON o.oid = c.relowner JOIN pg_catalog.pg_roles me ON me.rolname = current_user \
    WHERE d.classoid = 'pg_catalog.pg_class'::regclass AND d.objsubid = 0 AND c.relkind = 'r' \
      AND (o.oid = me.oid OR (o.rolsuper AND me.rolsuper)) AND pg_catalog.starts_with(d.description, $1) ORDER BY 1, 2";

/// A table that is followed.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Its schema, on both servers.
    pub schema: String,
    /// Its name, on both servers.
    pub table: String,
    /// The name of subscription, publication and slot.
    pub name: String,
    /// The store over it.
    pub store: String,
    /// The address of the source, without its password.
    pub source: String,
    /// The source's system identifier, if it can be read.
    pub system: Option<String>,
    /// The source's timeline: it changes after a promotion, and after a restored backup.
    pub timeline: Option<String>,
    /// The columns that are copied.
    pub columns: Vec<Column>,
    /// The partitions of the source's table whose rows are known, with those between them and the table. Each is its
    /// OID and the transaction that attached it, which is another one if it is attached again.
    pub partitions: Vec<String>,
    /// Whether `--columns` chose them.
    pub chosen: bool,
    /// The sources of an entry's columns, in the form for `memory_adopt_table`.
    pub mapping: Value,
    /// The language of the store.
    pub language: String,
    /// The dimensions of the embeddings that the follower makes, if it makes any.
    pub dimensions: Option<u32>,
    /// The previous table, which searches use until this one is copied.
    pub before: Option<String>,
    /// Whether this program made the schema.
    pub made_schema: bool,
    /// The place where it was made: a dump or a template takes the comment to other places.
    pub place: Identity,
}

impl Record {
    /// The table, for SQL.
    pub fn relation(&self) -> String {
        format!("{}.{}", quoted(&self.schema), quoted(&self.table))
    }

    /// The table, for people.
    pub fn shown(&self) -> String {
        format!("{}.{}", self.schema, self.table)
    }

    /// The recorded partition with this OID.
    pub fn known(&self, oid: &str) -> Option<&String> {
        self.partitions.iter().find(|known| oid_of(known) == oid)
    }

    fn is_named(&self, wanted: &str) -> bool {
        self.table == wanted || self.shown() == wanted
    }

    /// The previous table, for SQL.
    pub fn before_relation(&self) -> Option<String> {
        self.before.as_ref().map(|before| format!("{}.{}", quoted(&self.schema), quoted(before)))
    }

    /// The name of an object next to the table, for SQL.
    pub fn beside(&self, what: &str) -> String {
        format!("{}.{}", quoted(&self.schema), quoted(&format!("{}_{what}", self.name)))
    }

    /// The text of the record.
    pub fn comment(&self) -> String {
        let text = json!({
            "name": self.name, "store": self.store, "source": self.source, "system": self.system,
            "timeline": self.timeline, "chosen": self.chosen, "mapping": self.mapping, "language": self.language,
            "dimensions": self.dimensions, "before": self.before,
            "made_schema": self.made_schema,
            "place": self.place.to_json(),
            "columns": self.columns.iter().map(Column::to_json).collect::<Vec<_>>(),
            "partitions": self.partitions,
        });
        format!("{MARK}{text}")
    }

    /// The statement that writes the record.
    pub fn statement(&self) -> String {
        format!("COMMENT ON TABLE {} IS {}", self.relation(), literal(&self.comment()))
    }

    fn read(schema: &str, table: &str, comment: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(comment.strip_prefix(MARK)?).ok()?;
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        Some(Record {
            schema: schema.to_owned(),
            table: table.to_owned(),
            name: text("name")?,
            store: text("store")?,
            source: text("source")?,
            system: text("system"),
            timeline: text("timeline"),
            columns: value["columns"].as_array()?.iter().map(Column::from_json).collect::<Option<_>>()?,
            partitions: texts(&value["partitions"]).unwrap_or_default(),
            chosen: value["chosen"].as_bool()?,
            mapping: value["mapping"].clone(),
            language: text("language")?,
            dimensions: value["dimensions"].as_u64().and_then(|number| number.try_into().ok()),
            before: text("before"),
            made_schema: value["made_schema"].as_bool()?,
            place: Identity::from_json(&value["place"])?,
        })
    }
}

/// The OID of a recorded partition.
pub fn oid_of(recorded: &str) -> &str {
    recorded.split_once(':').map_or(recorded, |(oid, _)| oid)
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
}

/// All tables of the follower that are followed.
pub async fn all(follower: &Session) -> Result<Vec<Record>, String> {
    let rows = follower.rows(ALL, &[MARK]).await?;
    rows.iter()
        .map(|row| match row.as_slice() {
            [Some(schema), Some(table), Some(comment)] => Record::read(schema, table, comment).ok_or_else(|| {
                format!(
                    "the comment on table {schema}.{table}, which says how it is followed, was changed. Put it back, \
                     or \
                     remove subscription, publication and slot by hand"
                )
            }),
            _ => Err("the follower's catalog gave no name".to_owned()),
        })
        .collect()
}

/// Whether a table is followed that `one` would find or ask about.
pub async fn is_any(follower: &Session, table: Option<&str>) -> Result<bool, String> {
    let is_meant = |record: &Record| table.is_none_or(|wanted| record.is_named(wanted));
    Ok(all(follower).await?.iter().any(is_meant))
}

/// The followed table: by its name, or the only one.
pub async fn one(follower: &Session, table: Option<&str>) -> Result<Record, String> {
    let all = all(follower).await?;
    let names: Vec<String> = all.iter().map(Record::shown).collect();
    let mut meant: Vec<Record> = match table {
        Some(wanted) => all.into_iter().filter(|record| record.is_named(wanted)).collect(),
        None => all,
    };
    match (meant.len(), table) {
        (1, _) => Ok(meant.swap_remove(0)),
        (0, None) => {
            Err("no table is followed in this database. Hint: memory-search follow SOURCE_URL --table NAME".into())
        }
        (0, Some(wanted)) if names.is_empty() => {
            Err(format!("{wanted} is not followed, nor is any other table of this database"))
        }
        (0, Some(wanted)) => Err(format!("{wanted} is not followed; {} is", names.join(", "))),
        _ => Err(format!("several tables are followed; name one by --table: {}", names.join(", "))),
    }
}

#[cfg(test)]
impl Record {
    /// A record for tests.
    pub fn sample() -> Self {
        Record {
            schema: "public".to_owned(),
            table: "documents".to_owned(),
            name: "memory_search_documents".to_owned(),
            store: "documents_memory".to_owned(),
            source: "app@db/app".to_owned(),
            system: None,
            timeline: Some("1".to_owned()),
            columns: Vec::new(),
            partitions: Vec::new(),
            chosen: false,
            mapping: json!({"raw_entry": "body"}),
            language: "english".to_owned(),
            dimensions: Some(64),
            before: None,
            made_schema: false,
            place: Identity { system: None, database: "5".to_owned(), subscription: None },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let record = Record { partitions: vec!["16384".to_owned()], ..Record::sample() };
        assert_eq!(Record::read("public", "documents", &record.comment()), Some(record));
    }
}
