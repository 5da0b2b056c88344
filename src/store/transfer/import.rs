//! Imports an export unchanged: ids, times, counts of use, the marks that hide a row, and embeddings to the last digit.

use memory_search_core::rank::feedback::Feedback;
use memory_search_core::request::entry_rows::{Exported, ExportedContext, ExportedEntry, MadeBy};
use memory_search_core::request::names::{MemoryId, StoreName};
use memory_search_core::timestamp::Micros;
use memory_search_core::vector::embedding;
use memory_search_core::{Error, ErrorKind, Result};

use crate::pg::interrupt;
use crate::pg::param::Param;
use crate::pg::spi::{self, Statement};
use crate::store::definition::{self, Store};
use crate::store::links::{import as links, import_aliases};
use crate::store::transfer::circles;
use crate::store::writing::duplicate::{self, Column, Given};
use crate::store::writing::insert_rows::{self, BATCH, OnConflict, Vectors};
use crate::store::writing::new_row::{NewRow, Past};
use crate::store::writing::stored_embedding::{self, Embedded, GivenVectors, Meaning};
use crate::store::writing::time_to_live;
use crate::store::writing::upsert;

/// Adds lines of an export to a memory; returns the number of rows. A row that exists already is an error.
pub fn import(store_name: &StoreName, memory_id: &MemoryId, exported: Exported) -> Result<u64> {
    let store = spi::read(|reader| definition::store(reader, store_name))?;
    store.require_own_entries("memory_import")?;
    let lives = exported.entries.iter().enumerate();
    let lives = lives.filter_map(|(at, entry)| Some((format!("ttl of entry {}", at + 1), entry.row.ttl.clone()?)));
    time_to_live::check_stored(lives.collect())?;
    let corrected = circles::candidates(&exported.entries);
    // Aliases take the lock too, but after the entries: a session that adds the same keys under the lock would wait for
    // these, and this session for the lock. `memory_supersede` makes corrections under it.
    let has_keys = exported.entries.iter().any(|entry| entry.row.entry_key.is_some());
    if !exported.aliases.is_empty() || has_keys || !corrected.is_empty() {
        upsert::lock_keys(&store, memory_id)?;
    }
    let mut count = exported.entries.len() as u64;
    let (mut rows, mut uses) = (Vec::with_capacity(exported.entries.len()), Vec::new());
    for (at, entry) in exported.entries.into_iter().enumerate() {
        interrupt::check();
        let ExportedEntry { mut row, made_by, access_count, last_accessed_at, .. } = entry;
        let meaning = Meaning::of(row.summary.as_deref(), &row.raw_entry);
        let embedding = to_store(&store, stored_embedding::given(&mut row), made_by, &meaning)
            .map_err(|refusal| refusal.detail(format!("The error concerns entry {} of the lines.", at + 1)))?;
        let past = Past {
            deletion_scheduled_time: entry.deletion_scheduled_time,
            superseded_by: entry.superseded_by,
            superseded_time: entry.superseded_time,
            keeps_expiry: true,
        };
        let said = entry.feedback;
        if access_count > 0 || last_accessed_at.is_some() || said != Feedback::default() {
            uses.push((at, access_count, last_accessed_at, said));
        }
        rows.push(NewRow { entry: row, embedding, past });
    }
    let ids = insert_rows::insert(&store, memory_id, rows, &OnConflict::default(), &|at| {
        format!("entry {} of the lines", at + 1)
    })?;
    circles::refuse(&store, memory_id, &corrected)?;
    let uses: Vec<Use> = uses
        .into_iter()
        .filter_map(|(at, count, last, said)| ids.get(at).map(|id| Use { id: id.to_string(), count, last, said }))
        .collect();
    for uses in uses.chunks(BATCH) {
        insert_uses(&store, memory_id, uses)?;
    }
    let mut contexts = exported.contexts.into_iter().peekable();
    while contexts.peek().is_some() {
        interrupt::check();
        count += insert_contexts(&store, memory_id, contexts.by_ref().take(BATCH).collect())?;
    }
    count += links::links(&store, store_name, memory_id, &exported.links)?;
    count += import_aliases::aliases(store_name, memory_id, &exported.aliases)?;
    Ok(count)
}

/// The use of an entry.
struct Use {
    id: String,
    count: i64,
    last: Option<Micros>,
    said: Feedback,
}

/// Exported vectors are stored unchanged, without scaling; missing ones are computed.
fn to_store(
    store: &Store,
    given: Option<GivenVectors>,
    made_by: MadeBy,
    meaning: &Meaning,
) -> Result<Option<Embedded>> {
    let MadeBy::Given(model) = made_by else {
        return stored_embedding::entry_vectors_to_write(store, None, meaning);
    };
    let Some(given) = given else { return Ok(None) };
    stored_embedding::check_passages(&given)?;
    let GivenVectors { embedding: given, passages } = given;
    let dimensions = store.embedding.dimensions.unwrap_or(given.len());
    let stored = |vector: Vec<f32>| {
        embedding::check_elements(&vector)?;
        embedding::check_dimensions(&vector, dimensions)?;
        let is_held = store.embedding.as_held(&vector).iter().zip(&vector).all(|(held, given)| held == given);
        Ok(if is_held { vector } else { embedding::storable(vector) })
    };
    let passages = passages.into_iter().map(stored).collect::<Result<_>>()?;
    Ok(Some(Embedded { vector: stored(given)?, passages, model }))
}

fn insert_uses(store: &Store, memory_id: &MemoryId, uses: &[Use]) -> Result<u64> {
    let mut statement = Statement::default();
    let memory = statement.bind(Param::text(memory_id));
    let ids = statement.bind(Param::NullableTexts(uses.iter().map(|used| Some(used.id.clone())).collect()));
    let counts = statement.bind(Param::NullableTexts(uses.iter().map(|used| Some(used.count.to_string())).collect()));
    let times = statement.bind(Param::NullableTimestamps(uses.iter().map(|used| used.last).collect()));
    let mut said = |count: fn(&Use) -> i64| {
        statement.bind(Param::NullableTexts(uses.iter().map(|used| Some(count(used).to_string())).collect()))
    };
    let (helpful, unhelpful) = (said(|used| used.said.helpful), said(|used| used.said.unhelpful));
    let statement = statement.with(format!(
        "INSERT INTO {} (memory_id, entry_id, access_count, last_accessed_at, helpful, unhelpful) \
         SELECT {memory}, u.entry_id::pg_catalog.uuid, u.access_count::pg_catalog.int8, u.last_accessed_at, \
                u.helpful::pg_catalog.int8, u.unhelpful::pg_catalog.int8 \
         FROM ROWS FROM (pg_catalog.unnest({ids}), pg_catalog.unnest({counts}), pg_catalog.unnest({times}), \
           pg_catalog.unnest({helpful}), pg_catalog.unnest({unhelpful})) \
           u (entry_id, access_count, last_accessed_at, helpful, unhelpful)",
        store.relation("entry_access")
    ));
    spi::write(|writer| writer.execute(&statement))
}

/// The entry that a context came with must be in the memory, as for an end of a link (42704).
fn check_entries(store: &Store, memory_id: &MemoryId, contexts: &[ExportedContext]) -> Result<()> {
    let with_entry = contexts.iter().filter_map(|context| Some((&context.line, context.entry_id.clone()?)));
    let (lines, ids): (Vec<&String>, Vec<String>) = with_entry.unzip();
    if ids.is_empty() {
        return Ok(());
    }
    let lacking = spi::with_own_changes(|| spi::read(|reader| links::first_lacking(reader, store, memory_id, ids)))?;
    let Some((line, id)) = lacking.and_then(|(place, id)| Some((lines.get(place)?, id))) else { return Ok(()) };
    let message = format!("{line} is a context of entry {id}, which is neither in the lines nor in the memory");
    Err(Error::new(ErrorKind::UndefinedObject, message)
        .hint("Import the entry first, or leave entryId out: the context then belongs to no entry."))
}

fn insert_contexts(store: &Store, memory_id: &MemoryId, contexts: Vec<ExportedContext>) -> Result<u64> {
    check_entries(store, memory_id, &contexts)?;
    let mut vectors = Vectors::default();
    let mut texts: [Vec<Option<String>>; 5] = Default::default();
    let mut times: [Vec<Option<Micros>>; 2] = Default::default();
    for context in contexts {
        let given = context.embedding.map(|embedding| GivenVectors { embedding, passages: Vec::new() });
        let embedded = to_store(store, given, context.made_by, &Meaning::whole(context.context.clone()))?;
        let (vector, model) = embedded.map_or((None, None), |made| (Some(made.vector), made.model));
        vectors.push(vector);
        let values = [context.context_id, context.entry_id, context.user_id, Some(context.context), model];
        texts.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
        let instants = [context.creation_time, context.deletion_scheduled_time];
        times.iter_mut().zip(instants).for_each(|(column, value)| column.push(value));
    }
    let ids: Vec<String> = texts[0].iter().flatten().cloned().collect();
    let given = || {
        let id = |value| Given { argument: "contextId", row: None, column: Column::ContextId, value };
        ids.into_iter().map(id).collect()
    };
    let mut statement = Statement::default();
    let memory = statement.bind(Param::text(memory_id));
    let has_models = texts[4].iter().any(Option::is_some);
    let mut arrays = Vec::new();
    for values in texts {
        arrays.push(format!("pg_catalog.unnest({})", statement.bind(Param::NullableTexts(values))));
    }
    for values in times {
        arrays.push(format!("pg_catalog.unnest({})", statement.bind(Param::NullableTimestamps(values))));
    }
    let (ends, vector) = vectors.bind(store, &mut statement, "c");
    arrays.extend(ends.map(|ends| format!("pg_catalog.unnest({ends})")));
    let (model_column, model) = if has_models { (", embedding_model", ", c.model") } else { ("", "") };
    let statement = statement.with(format!(
        "INSERT INTO {} (memory_id, context_id, user_id, context, embedding, creation_time, \
           deletion_scheduled_time, entry_id{model_column}) \
         SELECT {memory}, COALESCE(c.context_id::pg_catalog.uuid, pg_catalog.gen_random_uuid()), c.user_id, \
                c.context, {vector}, COALESCE(c.created, pg_catalog.clock_timestamp()), c.deleted, c.entry_id::pg_catalog.uuid{model} \
         FROM ROWS FROM ({}) WITH ORDINALITY \
           c (context_id, entry_id, user_id, context, model, created, deleted, vector_from, vector_to, place) ORDER BY c.place",
        store.relation("contexts"),
        arrays.join(", ")
    ));
    duplicate::named(memory_id, given, || spi::write(|writer| writer.execute(&statement)))
}
