//! The partitions of the source's table. The publication sends their rows as rows of the whole table. PostgreSQL
//! demands a replica identity from each partition, and sends nothing when a partition is attached, detached, dropped or
//! truncated: so the record has the partitions whose rows are known.

use crate::follow::record::Record;
use crate::follow::replica_identity;
use crate::follow::session::{LOCK_NOT_AVAILABLE, LOCK_TIMEOUT, Session, literal};

/// All relations below the table. A partition that was made by CREATE TABLE ... PARTITION OF had no rows when it was
/// attached: one transaction made its columns and attached it. The row of a system column never changes.
const PARTITIONS: &str = "SELECT c.oid::text, pg_catalog.format('%I.%I', n.nspname, c.relname), t.isleaf::text, \
      c.relkind::text, c.relpersistence::text, c.relreplident::text, {key}, (i.xmin = a.xmin)::text, \
      t.parentrelid::oid::text \
    FROM pg_catalog.pg_partition_tree(pg_catalog.to_regclass($1)) t \
    JOIN pg_catalog.pg_class c ON c.oid = t.relid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
    JOIN pg_catalog.pg_inherits i ON i.inhrelid = t.relid AND i.inhparent = t.parentrelid \
    JOIN pg_catalog.pg_attribute a ON a.attrelid = t.relid AND a.attnum = -1 \
    WHERE t.level > 0 ORDER BY t.level, 2";

/// A relation below the table.
pub struct Partition {
    /// Its OID on the source.
    pub oid: String,
    shown: String,
    is_leaf: bool,
    kind: String,
    persistence: String,
    identity: String,
    key: String,
    began_attached: bool,
    parent: String,
}

/// The reason why changes of a partition do not arrive.
pub enum Unfit {
    /// The source refuses changes, so that none is lost.
    Refused(String),
    /// Changes are lost.
    Lost(String),
}

impl Partition {
    /// The reason why it cannot be followed, if there is one. `key` is the key of the whole table.
    fn unfit(&self, key: &[String]) -> Option<Unfit> {
        let shown = format!("partition {}", self.shown);
        if !self.is_leaf {
            return None;
        }
        if self.kind != "r" {
            return Some(Unfit::Lost(format!("{shown} of the source is a foreign table, whose changes are not sent")));
        }
        if self.persistence != "p" {
            return Some(Unfit::Lost(format!("{shown} of the source is unlogged: its changes are not sent")));
        }
        match replica_identity::columns(&self.shown, &self.identity, &self.key) {
            Err(why) => Some(Unfit::Refused(format!("partition {why}"))),
            Ok(own) if !replica_identity::is_same(&own, key) => Some(Unfit::Lost(format!(
                "{shown} of the source has another key ({}) than the whole table ({}). Hint: give both the same \
                 replica identity",
                own.join(", "),
                key.join(", ")
            ))),
            Ok(_) => None,
        }
    }
}

/// The partitions of a table of the source; none if it is an ordinary table.
pub async fn read(source: &Session, relation: &str) -> Result<Vec<Partition>, String> {
    let rows = source.rows(&PARTITIONS.replace("{key}", replica_identity::KEY), &[relation]).await?;
    Ok(rows
        .into_iter()
        .map(|row| {
            let of = |at: usize| row[at].clone().unwrap_or_default();
            Partition {
                oid: of(0),
                shown: of(1),
                is_leaf: of(2) == "true",
                kind: of(3),
                persistence: of(4),
                identity: of(5),
                key: of(6),
                began_attached: of(7) == "true",
                parent: of(8),
            }
        })
        .collect())
}

/// The reasons why changes of partitions do not arrive.
pub fn unfit<'a>(partitions: &'a [Partition], key: &'a [String]) -> impl Iterator<Item = Unfit> + 'a {
    partitions.iter().filter_map(|partition| partition.unfit(key))
}

/// The partitions after a look at the source.
pub struct Changes {
    /// The reasons why rows of the source and of the follower differ.
    pub differences: Vec<String>,
    /// The OIDs of further partitions, whose rows were sent from the beginning.
    pub further: Vec<String>,
}

/// Compares the partitions with those of the record.
pub fn changes(record: &Record, now: &[Partition]) -> Changes {
    let mut found = Changes { differences: Vec::new(), further: Vec::new() };
    let gone = record.partitions.iter().filter(|known| !now.iter().any(|is| is.oid == **known)).count();
    if gone > 0 {
        found.differences.push(format!(
            "partitions were detached from the table of the source, or dropped ({gone}): PostgreSQL does not send that, \
             and the follower still has their rows"
        ));
    }
    let mut late: Vec<&str> = Vec::new();
    for partition in now.iter().filter(|partition| !record.partitions.contains(&partition.oid)) {
        // The rows of a partition came with the relation above it, if that was attached late.
        if partition.began_attached && !late.contains(&partition.parent.as_str()) {
            found.further.push(partition.oid.clone());
            continue;
        }
        late.push(&partition.oid);
        found.differences.push(format!(
            "partition {} was made before it was attached to the table of the source: PostgreSQL does not send the \
             rows that it had then. Hint: CREATE TABLE ... PARTITION OF makes a partition without such rows",
            partition.shown
        ));
    }
    found
}

/// Adds partitions to the record, so that their end is noticed. It changes nothing if another run of this program has
/// changed the record meanwhile.
pub async fn note(follower: &Session, record: &Record, further: &[String]) -> Result<(), String> {
    if further.is_empty() {
        return Ok(());
    }
    let mut noted = record.clone();
    noted.partitions.extend_from_slice(further);
    let body = format!(
        "BEGIN LOCK TABLE {relation} IN SHARE UPDATE EXCLUSIVE MODE; \
         IF pg_catalog.obj_description({name}::regclass, 'pg_class') = {was} THEN {statement}; END IF; END",
        relation = record.relation(),
        name = literal(&record.relation()),
        was = literal(&record.comment()),
        statement = noted.statement(),
    );
    match follower.transact(&[LOCK_TIMEOUT.to_owned(), format!("DO {}", literal(&body))]).await {
        // The next look notes them.
        Err(why) if why.contains(LOCK_NOT_AVAILABLE) => Ok(()),
        outcome => outcome,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partition(oid: &str, parent: &str, began_attached: bool) -> Partition {
        Partition {
            oid: oid.to_owned(),
            shown: format!("public.p{oid}"),
            is_leaf: true,
            kind: "r".to_owned(),
            persistence: "p".to_owned(),
            identity: "d".to_owned(),
            key: "id\ntenant".to_owned(),
            began_attached,
            parent: parent.to_owned(),
        }
    }

    #[test]
    fn a_partition_below_one_that_was_attached_late_has_rows_from_before() {
        let record = Record { partitions: vec!["1".to_owned()], ..Record::sample() };
        let now = [partition("1", "0", false), partition("2", "0", true), partition("3", "0", false)];
        let below = partition("4", "3", true);
        let found = changes(&record, &now.into_iter().chain([below]).collect::<Vec<_>>());
        assert_eq!(found.further, ["2"]);
        assert_eq!(found.differences.len(), 2, "{:?}", found.differences);
        assert!(changes(&record, &[]).differences[0].contains("still has their rows"));
    }

    #[test]
    fn a_partition_needs_the_key_of_the_whole_table() {
        let key = ["tenant".to_owned(), "id".to_owned()];
        assert!(partition("1", "0", true).unfit(&key).is_none());
        for (change, is_lost) in [
            (Partition { identity: "f".to_owned(), ..partition("1", "0", true) }, false),
            (Partition { key: String::new(), ..partition("1", "0", true) }, false),
            (Partition { key: "id".to_owned(), ..partition("1", "0", true) }, true),
            (Partition { kind: "f".to_owned(), ..partition("1", "0", true) }, true),
            (Partition { persistence: "u".to_owned(), ..partition("1", "0", true) }, true),
        ] {
            assert_eq!(matches!(change.unfit(&key), Some(Unfit::Lost(_))), is_lost);
        }
    }
}
