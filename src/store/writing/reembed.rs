//! Makes embeddings again: for rows that have none, or one from another embedder. A text that the embedder refuses does
//! not stop the others: its row gets the reason.

use memory_search_core::request::names::StoreName;
use memory_search_core::text::long_text::SHORT_BYTES;
use memory_search_core::{Error, ErrorKind, Result};

use crate::embed::embedder;
use crate::pg::identifier::QualifiedName;
use crate::pg::param::Param;
use crate::pg::progress::Progress;
use crate::pg::read_only;
use crate::pg::spi::{self, Statement, Writer};
use crate::store::definition;
use crate::store::definition::Store;
use crate::store::statements::by_memory::{self, Part};
use crate::store::writing::refusal::{self, Refusals};
use crate::store::writing::stored_embedding::{self, Meaning};

/// Rows read at once; a cancel takes effect between two batches.
const BATCH_ROWS: u64 = 200;

/// The rows to embed again.
pub struct Selection {
    /// One memory, as the caller writes it; `None` means the whole store.
    pub memory_id: Option<String>,
    /// Includes the embeddings that callers gave.
    pub everything: bool,
    /// Stops after this many rows; another call continues from there.
    pub max_rows: Option<u64>,
    /// Leaves out rows that have an embedding, from any embedder, so that an index finds the rows without one. Also
    /// leaves out texts that the embedder has refused, which only a call without this option tries again.
    pub only_missing: bool,
}

/// A relation to embed: its key, and the text expressions of summary and text.
struct Target {
    relation: QualifiedName,
    key: &'static str,
    /// Whether long texts have embeddings of their passages.
    has_passages: bool,
    summary: &'static str,
    text: &'static str,
}

/// Embeds rows again; returns how many changed. Each row then has the embedder in `embedding_model`, so the next call
/// continues after the committed rows.
pub fn reembed(store_name: &StoreName, selection: &Selection) -> Result<u64> {
    let store = spi::read(|reader| definition::store(reader, store_name))?;
    let memory_id = selection.memory_id.as_deref().map(|memory_id| store.canonical_memory_id(memory_id));
    let selection = &Selection { memory_id, ..*selection };
    if !selection.only_missing {
        store.require_own_entries("memory_reembed")?;
    }
    read_only::refuse(c"UPDATE");
    embedder::require()?;
    if let Some(dimensions) = embedder::dimensions()?.filter(|dimensions| !store.takes(*dimensions)) {
        return Err(Error::new(
            ErrorKind::DimensionMismatch,
            format!(
                "the embedder makes vectors of {dimensions} dimensions, the store {} holds {}",
                store.schema,
                store.embedding.dimensions.unwrap_or_default()
            ),
        )
        .hint(format!(
            "Empty and change the columns first: ALTER TABLE {entries} ALTER COLUMN embedding TYPE {vector}({dimensions}) \
             USING NULL, ALTER COLUMN passage_embeddings TYPE {vector}[] USING NULL; likewise the column embedding of {}.",
            store.relation("contexts"),
            entries = store.relation("entries"),
            vector = format_args!("{}.{}", store.vector_schema, store.embedding.type_name),
        )));
    }
    let all = [
        Target {
            relation: store.relation("entries"),
            key: "entry_id",
            has_passages: true,
            summary: "r.summary::pg_catalog.text",
            text: "r.raw_entry::pg_catalog.text",
        },
        Target {
            relation: store.relation("contexts"),
            key: "context_id",
            has_passages: false,
            summary: "NULL::pg_catalog.text",
            text: "r.context::pg_catalog.text",
        },
    ];
    // Only the application writes the entries of an adopted table; contexts are always the store's.
    let targets = if store.is_adopted() { &all[1..] } else { &all[..] };
    spi::write(|writer| {
        let mut refusals = Refusals::default();
        let mut progress = Progress::new("embedded", None);
        for target in targets {
            let parts = match selection.memory_id {
                Some(_) => vec![Part::Whole],
                None => by_memory::parts_now(&store, || {
                    let (statement, condition) = condition(target, selection, None);
                    vec![by_memory::Rows { relation: target.relation.clone(), statement, condition }]
                })?,
            };
            for part in &parts {
                embed_all(writer, &store, (target, targets), selection, part, (&mut progress, &mut refusals))?;
            }
        }
        refusals.say();
        Ok(progress.finish())
    })
}

/// The rows to embed, as a condition on `r`; only those of a part of the store, if one is given.
fn condition(target: &Target, selection: &Selection, part: Option<&Part>) -> (Statement, String) {
    let mut statement = Statement::default();
    let mut condition = if selection.only_missing {
        "r.embedding IS NULL AND r.embedding_error IS NULL".to_owned()
    } else {
        let model = statement.bind(Param::text(embedder::name()));
        let of_another = match selection.everything {
            true => format!("r.embedding_model IS DISTINCT FROM {model}"),
            false => format!("r.embedding_model OPERATOR(pg_catalog.<>) {model}"),
        };
        // Long texts that were stored without embeddings of their passages. Other texts with so many bytes are only read.
        let lacks_passages = match target.has_passages && selection.everything {
            true => format!(
                " OR r.embedding_model OPERATOR(pg_catalog.=) {model} AND r.passage_embeddings IS NULL \
                 AND pg_catalog.octet_length(r.raw_entry) OPERATOR(pg_catalog.>) {SHORT_BYTES}"
            ),
            false => String::new(),
        };
        format!("(r.embedding IS NULL OR {of_another}{lacks_passages})")
    };
    if let Some(memory_id) = &selection.memory_id {
        let memory = statement.bind(Param::text(memory_id.as_str()));
        condition.push_str(&format!(" AND r.memory_id OPERATOR(pg_catalog.=) {memory}"));
    }
    if let Some(part) = part {
        condition.push_str(&part.bind(&mut statement).and("r"));
    }
    (statement, condition)
}

struct Text {
    memory_id: String,
    id: String,
    meaning: Meaning,
    /// Whether the row already has an embedding, or an error in its place.
    has_outcome: bool,
    /// Whether the embedding of the whole text is right, so that only a long text has something to embed.
    lacks_passages_only: bool,
}

fn embed_all(
    writer: &mut Writer<'_>,
    store: &Store,
    (target, all_targets): (&Target, &[Target]),
    selection: &Selection,
    part: &Part,
    (progress, refusals): (&mut Progress, &mut Refusals),
) -> Result<()> {
    // By the key, because a text without meaning for the embedder does not change, and would be read again for ever.
    let mut last: Option<(String, String)> = None;
    let mut fruitless = 0;
    loop {
        let rest = selection.max_rows.map_or(u64::MAX, |most| most.saturating_sub(progress.done()));
        if rest == 0 {
            return Ok(());
        }
        // Rows are locked when they are read, so no more are read than are embedded; but if none of them had a meaning
        // for the embedder, more are read.
        let texts = next_texts(writer, target, (selection, part), last.as_ref(), BATCH_ROWS.min(rest.max(fruitless)))?;
        let Some(newest) = texts.last() else { return Ok(()) };
        last = Some((newest.memory_id.clone(), newest.id.clone()));
        let mut rows = 0;
        for text in texts {
            pgrx::check_for_interrupts!();
            if rows == rest {
                break;
            }
            if text.lacks_passages_only && text.meaning.passages().is_empty() {
                continue;
            }
            match refusal::embedded_or_refused(store, &text.meaning)? {
                Ok(None) if !text.has_outcome => {}
                Ok(embedded) => rows += store_vector(writer, store, target, &text, embedded)?,
                Err(reason) => {
                    store_refusal(writer, target, &text, &reason)?;
                    refusals.add(reason);
                }
            }
        }
        fruitless = if rows == 0 { fruitless.max(1) * 2 } else { 0 };
        progress.advance_of(rows, selection.max_rows, || waiting(writer, all_targets, selection))?;
    }
}

/// The number of rows that are still to be embedded in this call. It reads all of them, so it is asked only for the
/// message about a long call.
fn waiting(writer: &mut Writer<'_>, targets: &[Target], selection: &Selection) -> Result<u64> {
    let mut count = 0;
    for target in targets {
        let (statement, condition) = condition(target, selection, None);
        let statement =
            statement.with(format!("SELECT pg_catalog.count(*) FROM {} r WHERE {condition}", target.relation));
        writer.returning(&statement, |row| {
            count += row.integer(1).unwrap_or(0).unsigned_abs();
            Ok(())
        })?;
    }
    Ok(count)
}

fn next_texts(
    writer: &mut Writer<'_>,
    target: &Target,
    (selection, part): (&Selection, &Part),
    last: Option<&(String, String)>,
    rows: u64,
) -> Result<Vec<Text>> {
    let (mut statement, mut condition) = condition(target, selection, Some(part));
    if let Some((memory_id, id)) = last {
        let memory = statement.bind(Param::text(memory_id));
        let id = statement.bind(Param::text(id.as_str()));
        condition.push_str(&format!(
            " AND (r.memory_id OPERATOR(pg_catalog.>) {memory} \
               OR (r.memory_id OPERATOR(pg_catalog.=) {memory} AND r.{} OPERATOR(pg_catalog.>) {id}::pg_catalog.uuid))",
            target.key
        ));
    }
    let rows = statement.bind(Param::Integer(Some(rows as i64)));
    let model = statement.bind(Param::text(embedder::name()));
    let statement = statement.with(format!(
        "SELECT r.memory_id::pg_catalog.text, r.{key}::pg_catalog.text, {summary}, {text}, \
           r.embedding IS NOT NULL OR r.embedding_error IS NOT NULL, {lacks} \
         FROM {relation} r WHERE {condition} \
         ORDER BY r.memory_id, r.{key} LIMIT {rows} FOR NO KEY UPDATE SKIP LOCKED",
        key = target.key,
        summary = target.summary,
        text = target.text,
        lacks = if target.has_passages && selection.everything {
            format!("r.embedding IS NOT NULL AND r.embedding_model OPERATOR(pg_catalog.=) {model}")
        } else {
            "false".to_owned()
        },
        relation = target.relation
    ));
    let mut texts = Vec::new();
    writer.returning(&statement, |row| {
        texts.push(Text {
            memory_id: row.required_text(1)?,
            id: row.required_text(2)?,
            meaning: match target.has_passages {
                true => Meaning::of(row.text(3)?.as_deref(), &row.required_text(4)?),
                false => Meaning::whole(row.required_text(4)?),
            },
            has_outcome: row.boolean(5) == Some(true),
            lacks_passages_only: row.boolean(6) == Some(true),
        });
        Ok(())
    })?;
    Ok(texts)
}

fn store_vector(
    writer: &mut Writer<'_>,
    store: &Store,
    target: &Target,
    text: &Text,
    embedded: Option<stored_embedding::Embedded>,
) -> Result<u64> {
    let mut statement = Statement::default();
    // If a text has no meaning for this embedder, the embedding of another one is removed: its distances would be
    // meaningless.
    let assignments = stored_embedding::assignments(store, &mut statement, embedded, target.has_passages);
    let this = this_row(&mut statement, target, text);
    let statement = statement.with(format!("UPDATE {} SET {assignments} WHERE {this}", target.relation));
    writer.execute(&statement)
}

/// Stores the reason of a refusal. An existing embedding stays, because the column beside it names its embedder.
fn store_refusal(writer: &mut Writer<'_>, target: &Target, text: &Text, reason: &str) -> Result<()> {
    let mut statement = Statement::default();
    let reason = statement.bind(Param::text(reason));
    let this = this_row(&mut statement, target, text);
    let statement = statement.with(format!(
        "UPDATE {} SET embedding_error = {reason} WHERE {this} AND embedding_error IS DISTINCT FROM {reason}",
        target.relation
    ));
    writer.execute(&statement).map(|_| ())
}

/// The condition that is true only for the row of a text.
fn this_row(statement: &mut Statement, target: &Target, text: &Text) -> String {
    let memory = statement.bind(Param::text(text.memory_id.as_str()));
    let id = statement.bind(Param::text(text.id.as_str()));
    format!("memory_id OPERATOR(pg_catalog.=) {memory} AND {} OPERATOR(pg_catalog.=) {id}::pg_catalog.uuid", target.key)
}
