//! Checks of the rows themselves: one pass over the entries that the caller sees.

use memory_search_core::bounds_and_defaults::MAX_RESPONSE_BYTES;
use memory_search_core::filter::visibility;
use memory_search_core::{Result, error};

use crate::embed::embedder;
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::subtransaction;
use crate::store::adopted::adopt::readable_json;
use crate::store::definition::{Store, StoreKind};
use crate::store::doctor::check::{Check, Patient};
use crate::store::doctor::shards::NOT_LOOKED_AT;
use crate::store::predicate::{Rows, at_present};

/// The share of rows waiting to be purged from which they slow searches down.
const WAITING_SHARE: f64 = 0.2;
const FEW_ROWS: i64 = 1_000;

/// The checks that count rows.
pub fn examine(reader: &Reader<'_>, patient: &Patient, is_bound: bool) -> Result<Vec<Check>> {
    let counts = count(reader, patient)?;
    Ok(vec![
        ids(patient, &counts),
        metadata(reader, patient)?,
        long_texts(reader, patient, &counts)?,
        embeddings(patient, &counts)?,
        contexts(reader, patient)?,
        models(patient, &counts),
        one_dimension(patient, &counts),
        waiting(patient, &counts),
        orphans(reader, patient, is_bound)?,
    ])
}

struct Counts {
    entries: i64,
    without_embedding: i64,
    refused: Refused,
    /// Entries without an embedding that have no text, and those with more text than a response may hold.
    without_text: i64,
    too_long: i64,
    of_another_model: i64,
    dimensions: i64,
    /// Entries with embeddings of passages that have other dimensions than that of the whole text.
    of_other_passages: i64,
    waiting: i64,
    without_id: i64,
    of_repeated_ids: i64,
}

/// The most entries whose embeddings of passages are looked at: each is read from the table's side storage.
const MOST_WITH_PASSAGES: u32 = 10_000;

fn count(reader: &Reader<'_>, patient: &Patient) -> Result<Counts> {
    let mut statement = Statement::default();
    let model = statement.bind(Param::text(embedder::name()));
    let dimensions = match patient.store.embedding.dimensions {
        Some(_) => "1::pg_catalog.int8".to_owned(),
        None => format!("pg_catalog.count(DISTINCT {}.vector_dims(e.embedding))", patient.store.vector_schema),
    };
    // A store's own key keeps ids unique; an adopted table need not have such a key.
    let (without_id, of_repeated_ids) = match patient.store.kind {
        StoreKind::Own => ("0::pg_catalog.int8", "0::pg_catalog.int8"),
        StoreKind::Adopted { .. } => (
            "pg_catalog.count(*) FILTER (WHERE e.entry_id IS NULL OR e.memory_id IS NULL)",
            "pg_catalog.count(e.entry_id) OPERATOR(pg_catalog.-) \
               pg_catalog.count(DISTINCT ROW(e.memory_id, e.entry_id)) FILTER (WHERE e.entry_id IS NOT NULL)",
        ),
    };
    let refused = if patient.store.is_view { Refused::NONE.to_owned() } else { Refused::of("e") };
    let without_text = match patient.store.is_adopted() {
        true => "false",
        false => WITHOUT_TEXT,
    };
    let waits = Rows::entries(&patient.store, "e").sql(&mut statement, &visibility::present(at_present()).negated());
    let statement = statement.with(format!(
        "SELECT pg_catalog.count(*), pg_catalog.count(*) FILTER (WHERE e.embedding IS NULL), \
                pg_catalog.count(*) FILTER (WHERE e.embedding IS NOT NULL \
                  AND e.embedding_model OPERATOR(pg_catalog.<>) {model}), \
                {dimensions}, pg_catalog.count(*) FILTER (WHERE {waits}), {without_id}, {of_repeated_ids}, \
                {refused}, pg_catalog.count(*) FILTER (WHERE e.embedding IS NULL AND {without_text}), \
                pg_catalog.count(*) FILTER (WHERE {}) \
         FROM {} e",
        too_long(&patient.store),
        patient.store.relation("entries")
    ));
    reader
        .only(&statement, |row| {
            Ok(Counts {
                entries: row.required_integer(1)?,
                without_embedding: row.required_integer(2)?,
                of_another_model: row.required_integer(3)?,
                dimensions: row.required_integer(4)?,
                waiting: row.required_integer(5)?,
                without_id: row.required_integer(6)?,
                of_repeated_ids: row.required_integer(7)?,
                refused: Refused { rows: row.required_integer(8)?, reason: row.text(9)? },
                without_text: row.required_integer(10)?,
                too_long: row.required_integer(11)?,
                of_other_passages: 0,
            })
        })
        .and_then(|counts| Ok(Counts { of_other_passages: of_other_passages(reader, patient)?, ..counts }))
}

/// The condition that an entry `e` has more text than a response may hold. Lengths are known without the texts.
fn too_long(store: &Store) -> String {
    // A view that memory_adopt_table() did not make may lack the other texts.
    let texts = if store.is_view { &["raw_entry"][..] } else { &["raw_entry", "summary", "context"] };
    let bytes =
        |text: &&str| format!("COALESCE(pg_catalog.octet_length(e.{text}::pg_catalog.text), 0)::pg_catalog.int8");
    let all = texts.iter().map(bytes).collect::<Vec<_>>().join(" OPERATOR(pg_catalog.+) ");
    format!("{all} OPERATOR(pg_catalog.>) {MAX_RESPONSE_BYTES}")
}

/// The condition that nothing is embedded of an entry `e`: its text is empty, and so is its summary, which does not
/// count either if it is blank.
const WITHOUT_TEXT: &str = "e.raw_entry OPERATOR(pg_catalog.=) '' \
    AND pg_catalog.btrim(pg_catalog.left(COALESCE(e.summary, ''), 1000)) OPERATOR(pg_catalog.=) ''";

/// The number of entries with embeddings of passages that no search compares, among the first of those with any.
fn of_other_passages(reader: &Reader<'_>, patient: &Patient) -> Result<i64> {
    // Citus runs no subquery over the shards of all memories.
    if patient.store.is_view || patient.store.is_distributed {
        return Ok(0);
    }
    let statement = Statement::default().with(format!(
        "SELECT pg_catalog.count(*) FROM (SELECT r.embedding, r.passage_embeddings FROM {} r \
           WHERE r.passage_embeddings IS NOT NULL LIMIT {MOST_WITH_PASSAGES}) e WHERE {}",
        patient.store.relation("entries"),
        other_passages(patient)
    ));
    reader.only(&statement, |row| row.required_integer(1))
}

fn ids(patient: &Patient, counts: &Counts) -> Check {
    const NAME: &str = "ids of entries";
    if !patient.store.is_adopted() {
        return Check::ok(NAME, "the key keeps them unique");
    }
    let Counts { entries, without_id, of_repeated_ids, .. } = *counts;
    if without_id == 0 && of_repeated_ids == 0 {
        return Check::ok(NAME, format!("each of {entries} has its own"));
    }
    Check::error(
        NAME,
        format!(
            "of {entries} rows {without_id} have no id and are never found, and {of_repeated_ids} have the id of \
             another row of their memory, so that one of the two is not found: map entry_id to a column that \
             identifies a row"
        ),
        None,
    )
}

/// JSON that jsonb refuses, which the view of an adopted table leaves out.
fn metadata(reader: &Reader<'_>, patient: &Patient) -> Result<Check> {
    const NAME: &str = "metadata of entries";
    let mut look = Statement::default();
    let view = look.bind(Param::Integer(Some(i64::from(patient.store.read_from.entries))));
    let column = look.bind(Param::text(readable_json::IS_REFUSED));
    let look = look.with(format!(
        "SELECT EXISTS (SELECT FROM pg_catalog.pg_attribute a \
           WHERE a.attrelid OPERATOR(pg_catalog.=) {view}::pg_catalog.oid \
             AND a.attname OPERATOR(pg_catalog.=) {column}::pg_catalog.name)"
    ));
    if !patient.store.is_view || !reader.only(&look, |row| Ok(row.boolean(1) == Some(true)))? {
        return Ok(Check::ok(NAME, "all of it is read"));
    }
    let count = Statement::default().with(format!(
        "SELECT pg_catalog.count(*) FROM {} e WHERE e.{}",
        patient.store.relation("entries"),
        readable_json::IS_REFUSED
    ));
    Ok(match reader.only(&count, |row| row.required_integer(1))? {
        0 => Check::ok(NAME, "all of it is read"),
        refused => Check::warning(
            NAME,
            format!(
                "JSON that jsonb refuses (\\u0000, half of a surrogate pair, a number too large for numeric) in {refused} rows: it counts as none"
            ),
            None,
        ),
    })
}

/// Entries that no function can return, and that fail every call which has to.
fn long_texts(reader: &Reader<'_>, patient: &Patient, counts: &Counts) -> Result<Check> {
    const NAME: &str = "length of entries";
    if counts.too_long == 0 {
        return Ok(Check::ok(NAME, format!("each fits into a response of {MAX_RESPONSE_BYTES} bytes")));
    }
    let statement = Statement::default().with(format!(
        "SELECT e.memory_id::pg_catalog.text, e.entry_id::pg_catalog.text FROM {} e WHERE {} LIMIT 1",
        patient.store.relation("entries"),
        too_long(&patient.store)
    ));
    let one =
        reader.first(&statement, |row| Ok((row.text(1)?.unwrap_or_default(), row.text(2)?.unwrap_or_default())))?;
    let (memory_id, entry_id) = one.unwrap_or_default();
    let detail = format!(
        "{} of {} have texts of more than {MAX_RESPONSE_BYTES} bytes, which no response may hold, such as {entry_id} \
         of memory {}: memory_get, memory_list and memory_export fail there. Keep their parts as entries of their own",
        counts.too_long,
        counts.entries,
        error::shown(&memory_id)
    );
    Ok(Check::warning(NAME, detail, None))
}

fn embeddings(patient: &Patient, counts: &Counts) -> Result<Check> {
    const NAME: &str = "entries without embedding";
    let Counts { entries, without_embedding, ref refused, .. } = *counts;
    if without_embedding == 0 {
        return Ok(Check::ok(NAME, format!("none of {entries}")));
    }
    if counts.without_text > 0 && !embeds_nothing() {
        let waiting = without_embedding - counts.without_text;
        let blank = format!(
            "{} without any text, so that nothing is embedded (memory_update gives such an entry a text, memory_delete \
             removes it)",
            counts.without_text
        );
        if waiting == 0 {
            return Ok(Check::ok(NAME, format!("none of {entries}, except {blank}")));
        }
        let fix = patient.has_fitting_embedder().then(|| refused.fix(patient, waiting));
        let detail = format!("{waiting} of {entries}: found by words alone{}; and {blank}", refused.said());
        return Ok(Check::warning(NAME, detail, fix));
    }
    if patient.store.is_adopted() {
        if without_embedding == entries {
            return Ok(Check::ok(NAME, format!("all of {entries}: searches use words only")));
        }
        return Ok(Check::warning(NAME, format!("{without_embedding} of {entries}: found by words alone"), None));
    }
    let fix = patient.has_fitting_embedder().then(|| refused.fix(patient, without_embedding));
    let detail = format!("{without_embedding} of {entries}: found by words alone{}", refused.said());
    Ok(Check::warning(NAME, detail, fix))
}

/// Whether the embedder gives a text without words an embedding.
fn embeds_nothing() -> bool {
    // An embedder that fails says nothing about it: the row is tried, and gets the reason.
    !matches!(subtransaction::attempt(|| embedder::embed("")), Ok(Ok(None)))
}

/// Rows without an embedding that the embedder refused to make.
struct Refused {
    rows: i64,
    /// The reason, for one of them.
    reason: Option<String>,
}

impl Refused {
    /// The select list for them if this extension embeds nothing.
    const NONE: &str = "0::pg_catalog.int8, NULL::pg_catalog.text";

    /// The select list for them from rows `alias`.
    fn of(alias: &str) -> String {
        let those = format!("FILTER (WHERE {alias}.embedding IS NULL AND {alias}.embedding_error IS NOT NULL)");
        format!("pg_catalog.count(*) {those}, pg_catalog.min({alias}.embedding_error) {those}")
    }

    fn said(&self) -> String {
        match &self.reason {
            Some(reason) => format!("; {} refused by the embedder: {}", self.rows, error::shown(reason)),
            None => String::new(),
        }
    }

    /// The statement that embeds waiting rows or, if all were refused, tries these again.
    fn fix(&self, patient: &Patient, without: i64) -> String {
        let function = if self.rows == without { "memory_reembed" } else { "memory_embed_pending" };
        format!("SELECT {function}({});", patient.argument())
    }
}

/// Contexts without an embedding that the session's embedder could make; if no embedder fits, contexts are searched by
/// words.
fn contexts(reader: &Reader<'_>, patient: &Patient) -> Result<Check> {
    const NAME: &str = "contexts without embedding";
    let statement = Statement::default().with(format!(
        "SELECT pg_catalog.count(*) FILTER (WHERE c.embedding IS NULL), pg_catalog.count(*), {}, \
                pg_catalog.count(*) FILTER (WHERE c.embedding IS NULL AND c.context OPERATOR(pg_catalog.=) '') \
           FROM {} c",
        Refused::of("c"),
        patient.store.relation("contexts")
    ));
    let (mut without, all, refused, without_text) = reader.only(&statement, |row| {
        let refused = Refused { rows: row.required_integer(3)?, reason: row.text(4)? };
        Ok((row.required_integer(1)?, row.required_integer(2)?, refused, row.required_integer(5)?))
    })?;
    if without_text > 0 && !embeds_nothing() {
        without -= without_text;
    }
    Ok(match (without, patient.has_fitting_embedder()) {
        (0, _) => Check::ok(NAME, format!("none of {all}")),
        (_, false) => Check::ok(NAME, format!("{without} of {all}: the embedder does not fit the store")),
        (_, true) => Check::warning(
            NAME,
            format!("{without} of {all}: found by words alone{}", refused.said()),
            refused.fix(patient, without),
        ),
    })
}

fn models(patient: &Patient, counts: &Counts) -> Check {
    const NAME: &str = "one embedder";
    if patient.store.is_view {
        return Check::ok(NAME, "the names of embedders are the table's own: all embeddings are compared");
    }
    if counts.of_another_model == 0 {
        return Check::ok(NAME, format!("no embedding is by another one than {}", embedder::name_in_words()));
    }
    if embedder::name().is_empty() {
        return Check::ok(
            NAME,
            format!("an embedding in a call is compared with all embeddings: {}", embedder::name_in_words()),
        );
    }
    let fix = format!("SELECT memory_reembed({});", patient.argument());
    Check::warning(
        NAME,
        format!(
            "{} of {} embeddings are by another one than {}: searches by meaning do not find them",
            counts.of_another_model,
            counts.entries - counts.without_embedding,
            embedder::name_in_words()
        ),
        patient.has_fitting_embedder().then_some(fix),
    )
}

/// The condition that an entry `e` has embeddings of passages that no search compares, because they have other
/// dimensions than the embedding of the whole text. Only statements that were not made by this extension store such.
fn other_passages(patient: &Patient) -> String {
    let schema = &patient.store.vector_schema;
    format!(
        "e.embedding IS NOT NULL AND EXISTS (SELECT FROM pg_catalog.unnest(e.passage_embeddings) p(embedding) \
           WHERE {schema}.vector_dims(p.embedding) IS DISTINCT FROM {schema}.vector_dims(e.embedding))"
    )
}

fn one_dimension(patient: &Patient, counts: &Counts) -> Check {
    const NAME: &str = "one dimension";
    if counts.of_other_passages > 0 {
        return Check::warning(
            NAME,
            format!(
                "{} of the first {MOST_WITH_PASSAGES} entries with passages have embeddings of passages with other \
                 dimensions than the embedding of the entry, so that searches do not compare them: remove them, and \
                 store these entries again or call memory_reembed with everything",
                counts.of_other_passages
            ),
            format!(
                "UPDATE {} e SET passage_embeddings = NULL WHERE {};",
                patient.store.relation("entries"),
                other_passages(patient)
            ),
        );
    }
    if counts.dimensions <= 1 {
        return Check::ok(NAME, "all embeddings have the same");
    }
    Check::warning(
        NAME,
        format!(
            "embeddings of {} dimensions: a query is compared only with embeddings of its own dimension",
            counts.dimensions
        ),
        None,
    )
}

fn waiting(patient: &Patient, counts: &Counts) -> Check {
    const NAME: &str = "waiting to be purged";
    let detail = format!("{} of {} entries are deleted or expired", counts.waiting, counts.entries);
    let is_much = counts.waiting > FEW_ROWS && counts.waiting as f64 > WAITING_SHARE * counts.entries as f64;
    if is_much && !patient.store.is_adopted() {
        return Check::warning(NAME, detail, format!("SELECT memory_purge({});", patient.argument()));
    }
    Check::ok(NAME, detail)
}

/// Access counts of rows that no longer exist: an adopted table has no foreign key to prevent them.
fn orphans(reader: &Reader<'_>, patient: &Patient, is_bound: bool) -> Result<Check> {
    const NAME: &str = "access counts without entry";
    if is_bound {
        return Ok(Check::ok(NAME, "not checked: row security hides rows from you"));
    }
    if patient.store.is_distributed {
        return Ok(Check::ok(NAME, NOT_LOOKED_AT));
    }
    let (entries, access) = (patient.store.relation("entries"), patient.store.relation("entry_access"));
    let orphan = format!(
        "NOT EXISTS (SELECT FROM {entries} e WHERE e.memory_id OPERATOR(pg_catalog.=) a.memory_id \
           AND e.entry_id OPERATOR(pg_catalog.=) a.entry_id)"
    );
    let statement = Statement::default().with(format!("SELECT pg_catalog.count(*) FROM {access} a WHERE {orphan}"));
    let orphans = reader.first(&statement, |row| Ok(row.integer(1)))?.flatten().unwrap_or(0);
    if orphans == 0 {
        return Ok(Check::ok(NAME, "none"));
    }
    let fix = format!(
        "DELETE FROM {access} a WHERE NOT EXISTS (SELECT FROM {entries} e WHERE e.memory_id = a.memory_id AND e.entry_id = a.entry_id);"
    );
    Ok(Check::warning(NAME, format!("{orphans}, left by rows that are gone"), fix))
}
