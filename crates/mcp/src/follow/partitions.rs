//! The partitions of the source's table. The publication sends their rows as rows of the whole table. PostgreSQL
//! demands a replica identity from each partition, and sends nothing when a partition is attached, detached, dropped or
//! truncated: so the record has the partitions whose rows are known.

use crate::follow::record::{self, Record};
use crate::follow::replica_identity;
use crate::follow::session::{LOCK_NOT_AVAILABLE, LOCK_TIMEOUT, Session, literal};

/// All relations below the table, each with the row that attaches it to its parent. Only catalogs are read, because
/// pg_partition_tree would wait for everybody who has locked a partition.
///
/// CREATE TABLE ... PARTITION OF makes the columns in an earlier command of its transaction than it attaches them.
/// ALTER TABLE ... ATTACH PARTITION writes all columns anew in the command that attaches them. A column that was
/// altered later has a later command. The row of a system column never changes.
const PARTITION_TREE: &str = "WITH RECURSIVE t (relid, parent, level, attaching, command) AS ( \
      SELECT i.inhrelid, i.inhparent, 1, i.xmin, i.cmin::text::bigint FROM pg_catalog.pg_inherits i \
      JOIN pg_catalog.pg_class c ON c.oid = i.inhparent AND c.relkind = 'p' \
      WHERE i.inhparent = pg_catalog.to_regclass($1) AND NOT i.inhdetachpending \
      UNION ALL \
      SELECT i.inhrelid, i.inhparent, t.level + 1, i.xmin, i.cmin::text::bigint \
      FROM t JOIN pg_catalog.pg_inherits i ON i.inhparent = t.relid AND NOT i.inhdetachpending) \
    SELECT c.oid::text, pg_catalog.format('%I.%I', n.nspname, c.relname), (c.relkind <> 'p')::text, \
      c.relkind::text, c.relpersistence::text, c.relreplident::text, {key}, \
      CASE WHEN t.attaching <> a.xmin THEN 'late' WHEN w.first < t.command AND NOT w.together THEN 'made' \
        ELSE 'unclear' END, t.parent::oid::text, t.attaching::text \
    FROM t JOIN pg_catalog.pg_class c ON c.oid = t.relid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
    JOIN pg_catalog.pg_attribute a ON a.attrelid = t.relid AND a.attnum = -1 \
    CROSS JOIN LATERAL (SELECT min(u.cmin::text::bigint), \
        coalesce(pg_catalog.bool_or(u.cmin::text::bigint = t.command), false) \
      FROM pg_catalog.pg_attribute u WHERE u.attrelid = t.relid AND u.attnum > 0 AND u.xmin = t.attaching) \
      w (first, together) \
    ORDER BY t.level, 2";

/// Those of the relations $1 that have pages, that is, may have rows. It needs no right on them.
const NOT_EMPTY: &str = "SELECT u.oid::text FROM pg_catalog.unnest($1::text::pg_catalog.oid[]) u (oid) \
    WHERE pg_catalog.pg_relation_size(u.oid) > 0";

/// The rows that a partition had when it was attached.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    /// None.
    No,
    /// It may have had some.
    Perhaps,
    /// One transaction made, perhaps filled, and attached it. The rows do not tell: they may have changed since.
    Unclear,
}

/// A relation below the table.
pub struct Partition {
    /// Its OID on the source.
    oid: String,
    /// The transaction that attached it.
    attaching: String,
    shown: String,
    is_leaf: bool,
    kind: String,
    persistence: String,
    identity: String,
    key: String,
    before: Before,
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
    /// Its text in the record: its OID, and the transaction that attached it.
    pub fn recorded(&self) -> String {
        format!("{}:{}", self.oid, self.attaching)
    }

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
    let rows = source.rows(&PARTITION_TREE.replace("{key}", replica_identity::KEY), &[relation]).await?;
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
                before: match of(7).as_str() {
                    "made" => Before::No,
                    "late" => Before::Perhaps,
                    _ => Before::Unclear,
                },
                parent: of(8),
                attaching: of(9),
            }
        })
        .collect())
}

/// The reasons why changes of partitions do not arrive.
pub fn unfit<'a>(partitions: &'a [Partition], key: &'a [String]) -> impl Iterator<Item = Unfit> + 'a {
    partitions.iter().filter_map(|partition| partition.unfit(key))
}

/// Finds out which of the further partitions had no rows when they were attached, as far as that is unclear: those that
/// have none now. If one of them is locked, they are left to the next look.
pub async fn clear_up(source: &Session, record: &Record, now: &mut Vec<Partition>) -> Result<(), String> {
    let unclear = unclear(record, now);
    if unclear.is_empty() {
        return Ok(());
    }
    // The size is read under a lock: a look must not wait for a long statement.
    source.run("SET lock_timeout = '2s'").await?;
    let not_empty = source.rows(NOT_EMPTY, &[&format!("{{{}}}", unclear.join(","))]).await;
    source.run("RESET lock_timeout").await?;
    let mut not_empty: Vec<String> = match not_empty {
        Ok(rows) => rows.into_iter().flatten().flatten().collect(),
        Err(why) if why.contains(LOCK_NOT_AVAILABLE) => {
            now.retain(|partition| !unclear.contains(&partition.oid));
            return Ok(());
        }
        Err(why) => return Err(why),
    };
    // A relation has the rows of those below it. If it were recorded, they would pass for rows that were sent.
    for partition in now.iter().rev() {
        if not_empty.contains(&partition.oid) && unclear.contains(&partition.parent) {
            not_empty.push(partition.parent.clone());
        }
    }
    for partition in now.iter_mut().filter(|partition| unclear.contains(&partition.oid)) {
        let is_empty = !not_empty.contains(&partition.oid);
        partition.before = if is_empty { Before::No } else { Before::Perhaps };
    }
    Ok(())
}

/// The OIDs of further partitions for which it is unclear. Those below one that was filled before it was attached may
/// have been filled with it.
fn unclear(record: &Record, now: &[Partition]) -> Vec<String> {
    let mut unclear: Vec<String> = Vec::new();
    for partition in now.iter().filter(|partition| record.known(&partition.oid).is_none()) {
        let is_below = partition.before == Before::No && unclear.contains(&partition.parent);
        if is_below || partition.before == Before::Unclear {
            unclear.push(partition.oid.clone());
        }
    }
    unclear
}

/// The partitions after a look at the source.
pub struct Changes {
    /// The reasons why rows of the source and of the follower differ.
    pub differences: Vec<String>,
    /// Further partitions for the record, whose rows were sent from the beginning.
    pub further: Vec<String>,
}

/// Compares the partitions with those of the record.
pub fn changes(record: &Record, now: &[Partition]) -> Changes {
    let mut found = Changes { differences: Vec::new(), further: Vec::new() };
    let gone = record.partitions.iter().filter(|known| !now.iter().any(|is| is.oid == record::oid_of(known))).count();
    if gone > 0 {
        found.differences.push(format!(
            "partitions were detached from the table of the source, or dropped ({gone}): PostgreSQL does not send that, \
             and the follower still has their rows"
        ));
    }
    let mut late: Vec<&str> = Vec::new();
    for partition in now {
        match record.known(&partition.oid) {
            // A record of an earlier version has no transactions.
            Some(known) if *known == partition.recorded() || *known == partition.oid => continue,
            Some(_) => {
                found.differences.push(format!(
                    "partition {} was detached from the table of the source, and attached again: PostgreSQL does not \
                     send what changed in it meanwhile",
                    partition.shown
                ));
                continue;
            }
            None => {}
        }
        // The rows of a partition came with the relation above it, if that was attached late.
        if partition.before == Before::No && !late.contains(&partition.parent.as_str()) {
            found.further.push(partition.recorded());
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

    fn partition(oid: &str, parent: &str, before: Before) -> Partition {
        Partition {
            oid: oid.to_owned(),
            shown: format!("public.p{oid}"),
            is_leaf: true,
            kind: "r".to_owned(),
            persistence: "p".to_owned(),
            identity: "d".to_owned(),
            key: "id\ntenant".to_owned(),
            before,
            attaching: "700".to_owned(),
            parent: parent.to_owned(),
        }
    }

    #[test]
    fn a_partition_below_one_that_was_attached_late_has_rows_from_before() {
        let record = Record { partitions: vec!["1:700".to_owned()], ..Record::sample() };
        let now = [
            partition("1", "0", Before::Perhaps),
            partition("2", "0", Before::No),
            partition("3", "0", Before::Perhaps),
        ];
        let below = partition("4", "3", Before::No);
        let found = changes(&record, &now.into_iter().chain([below]).collect::<Vec<_>>());
        assert_eq!(found.further, ["2:700"]);
        assert_eq!(found.differences.len(), 2, "{:?}", found.differences);
        assert!(changes(&record, &[]).differences[0].contains("still has their rows"));
    }

    #[test]
    fn one_that_was_detached_and_attached_again_may_have_changed_meanwhile() {
        let record = Record { partitions: vec!["1:699".to_owned(), "2".to_owned()], ..Record::sample() };
        let now = [partition("1", "0", Before::Perhaps), partition("2", "0", Before::Perhaps)];
        let found = changes(&record, &now);
        assert!(matches!(&found.differences[..], [one] if one.contains("p1 was detached")), "{:?}", found.differences);
        assert!(found.further.is_empty());
    }

    #[test]
    fn a_partition_below_one_that_is_unclear_is_unclear_too() {
        let record = Record { partitions: vec!["1:700".to_owned()], ..Record::sample() };
        let now = [("1", "0"), ("2", "0"), ("3", "1"), ("4", "2"), ("5", "4")];
        let before = |oid| if matches!(oid, "1" | "2") { Before::Unclear } else { Before::No };
        let now: Vec<_> = now.into_iter().map(|(oid, parent)| partition(oid, parent, before(oid))).collect();
        assert_eq!(unclear(&record, &now), ["2", "4", "5"]);
        // Still unclear is as good as late.
        assert_eq!(changes(&record, &now).differences.len(), 3);
    }

    #[test]
    fn a_partition_needs_the_key_of_the_whole_table() {
        let key = ["tenant".to_owned(), "id".to_owned()];
        assert!(partition("1", "0", Before::No).unfit(&key).is_none());
        for (change, is_lost) in [
            (Partition { identity: "f".to_owned(), ..partition("1", "0", Before::No) }, false),
            (Partition { key: String::new(), ..partition("1", "0", Before::No) }, false),
            (Partition { key: "id".to_owned(), ..partition("1", "0", Before::No) }, true),
            (Partition { kind: "f".to_owned(), ..partition("1", "0", Before::No) }, true),
            (Partition { persistence: "u".to_owned(), ..partition("1", "0", Before::No) }, true),
        ] {
            assert_eq!(matches!(change.unfit(&key), Some(Unfit::Lost(_))), is_lost);
        }
    }
}
