//! The statement behind each tool. Its parameters are the model's arguments and the fixed arguments.

use memory_search_client::database::statement::{Statement, Value};
use memory_search_core::bounds_and_defaults;
use memory_search_core::error::{Error, Result};
use memory_search_core::json_fields::Fields;
use memory_search_core::output::memory_tools::{DEFAULT_ENTRIES_OF_PAGE, MOST_ENTRIES_OF_CALL, PAGE_ORDERS};
use memory_search_core::rank::choices::word_of;
use memory_search_core::request::detail::Detail;
use serde_json::{Map, Value as Json, json};

use crate::mcp::arguments::{refuse_unknown, required, required_texts, take_instant};
use crate::mcp::scope::Scope;

/// The fields of a listing for a model, except nulls.
const SHORT_ENTRY: &str = "pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object('id', e.entry_id, \
    'time', e.creation_time, 'text', e.raw_entry, 'validFrom', e.valid_from, 'validUntil', e.valid_until, \
    'expiresAt', e.expires_at))";

/// The further fields that memory_get shows a model, except nulls and defaults.
const SHORT_REST: &str = "pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object('userId', e.user_id, \
    'agentId', e.agent_id, 'sessionId', e.session_id, 'entryKey', e.entry_key, 'summary', e.summary, \
    'context', e.context, 'sourceType', e.source_type, 'tags', CASE WHEN e.tags OPERATOR(pg_catalog.<>) '{}' \
    THEN e.tags END, 'entities', CASE WHEN e.entities OPERATOR(pg_catalog.<>) '{}' THEN e.entities END, \
    'importance', CASE WHEN e.importance OPERATOR(pg_catalog.<>) 50 THEN e.importance END)) \
    OPERATOR(pg_catalog.||) \
    CASE WHEN e.metadata OPERATOR(pg_catalog.<>) '{}' THEN pg_catalog.jsonb_build_object('metadata', e.metadata) \
    ELSE '{}' END";

/// A row `e` of memory_list or memory_get, as `remembered_fields` describes it.
const ENTRY: &str = "pg_catalog.jsonb_build_object('entryId', e.entry_id, 'memoryId', e.memory_id, \
    'userId', e.user_id, 'agentId', e.agent_id, 'sessionId', e.session_id, 'entryKey', e.entry_key, \
    'summary', e.summary, 'rawEntry', e.raw_entry, 'tags', coalesce(e.tags, '{}'), \
    'metadata', coalesce(e.metadata, '{}'), 'sourceType', e.source_type, 'importance', e.importance, \
    'accessCount', e.access_count, 'creationTime', e.creation_time) OPERATOR(pg_catalog.||) \
    pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object('context', e.context, \
    'entities', CASE WHEN e.entities OPERATOR(pg_catalog.<>) '{}' THEN e.entities END, 'validFrom', e.valid_from, \
    'validUntil', e.valid_until, 'expiresAt', e.expires_at))";

/// The name of an id in an answer.
fn id_name(detail: Detail, whole: &'static str) -> &'static str {
    match detail {
        Detail::Full => whole,
        Detail::Short => "id",
    }
}

fn text(value: Option<impl Into<String>>) -> Value {
    Value::Text(value.map(Into::into))
}

/// The statement of a call, for all tools but memory_search; `takes` is the schema of the tool's arguments.
pub fn of_tool(
    tool: &str,
    takes: &Json,
    arguments: Map<String, Json>,
    detail: Detail,
    scope: &Scope,
) -> Result<Statement> {
    // An error about a misspelt key is more helpful than one about the missing right key.
    refuse_unknown(takes, &arguments, "")?;
    let mut fields = Fields::of_object("", arguments);
    let statement = match tool {
        "memory_remember" => remember(&mut fields, detail, scope),
        "memory_correct" => correct(&mut fields, detail, scope),
        "memory_forget" => forget(&mut fields, scope),
        "memory_list" => list(&mut fields, detail, scope),
        "memory_get" => {
            required_texts(&mut fields, "entryIds", MOST_ENTRIES_OF_CALL).map(|ids| get(ids, detail, scope))
        }
        "memory_about" => about_call(&mut fields, detail, scope),
        "memory_related" => related(&mut fields, detail, scope),
        "memory_latest_context" => Ok(latest_context(detail, scope)),
        "memory_put_context" => put_context(&mut fields, detail, scope),
        other => Err(Error::invalid(format!("there is no tool {other}"))),
    }?;
    fields.finish()?;
    Ok(statement)
}

/// memory_search, as the extension describes it, in the fixed memory and store.
pub fn search(takes: &Json, arguments: Map<String, Json>, detail: Detail, scope: &Scope) -> Result<Statement> {
    refuse_unknown(takes, &arguments, "")?;
    let mut request = arguments;
    request.insert("memoryId".to_owned(), json!(scope.memory));
    request.insert("store".to_owned(), json!(scope.caller.store));
    request.insert("detail".to_owned(), json!(word_of(detail)));
    Ok(Statement {
        sql: "SELECT {ext}.memory_search($1::pg_catalog.jsonb)::pg_catalog.text".to_owned(),
        values: vec![text(Some(Json::Object(request).to_string()))],
        writes: false,
    })
}

/// The descriptions of memory_search by the extension of this database, with the bounds that hold there.
pub fn description() -> Statement {
    let sql = "SELECT pg_catalog.jsonb_build_object('short', {ext}.memory_tool_spec('mcp', 'short'), \
        'full', {ext}.memory_tool_spec('mcp', 'full'))::pg_catalog.text";
    Statement { sql: sql.to_owned(), values: Vec::new(), writes: false }
}

fn remember(fields: &mut Fields, detail: Detail, scope: &Scope) -> Result<Statement> {
    let importance = fields
        .take_integer("importance", bounds_and_defaults::IMPORTANCE)?
        .unwrap_or(bounds_and_defaults::DEFAULT_IMPORTANCE);
    let values = vec![
        text(Some(&scope.memory)),
        text(Some(required(fields.take_text("rawEntry")?, "rawEntry")?)),
        text(fields.take_text("summary")?),
        Value::Texts(fields.take_texts("tags", usize::MAX)?),
        text(fields.take_map("metadata")?.map(|map| Json::Object(map).to_string())),
        text(Some(importance.to_string())),
        text(fields.take_text("sourceType")?),
        text(take_instant(fields, "creationTime")?),
        text(take_instant(fields, "validFrom")?),
        text(take_instant(fields, "validUntil")?),
        text(fields.take_number("ifSimilar", bounds_and_defaults::SIMILARITY)?.map(|number| number.to_string())),
        text(scope.caller.user.as_ref()),
        text(scope.agent.as_ref()),
        text(scope.caller.store.as_ref()),
        text(Some(id_name(detail, "entryId"))),
        Value::Texts(fields.take_texts("entities", usize::MAX)?),
    ];
    let sql = "SELECT pg_catalog.jsonb_build_object($15, {ext}.memory_add(memory_id => $1, raw_entry => $2, \
        summary => $3, tags => $4, metadata => $5::pg_catalog.jsonb, importance => $6::pg_catalog.int4, \
        source_type => $7, creation_time => $8::pg_catalog.timestamptz, valid_from => $9::pg_catalog.timestamptz, \
        valid_until => $10::pg_catalog.timestamptz, if_similar => $11::pg_catalog.float8, user_id => $12, \
        agent_id => $13, store => $14, entities => $16))::pg_catalog.text";
    Ok(Statement { sql: sql.to_owned(), values, writes: true })
}

/// One statement: the insertion reads the old entry, and the correction needs the new one. Without an old entry it
/// returns nothing, and stores nothing.
///
/// The new entry keeps what would surprise if it were lost: a temporary fact stays temporary. An end in the past is not
/// kept, because it would hide the correction; a summary and a context are of the old text, and a key is of the old
/// entry.
fn correct(fields: &mut Fields, detail: Detail, scope: &Scope) -> Result<Statement> {
    let importance = fields.take_integer("importance", bounds_and_defaults::IMPORTANCE)?;
    let values = vec![
        text(Some(&scope.memory)),
        text(Some(required(fields.take_text("entryId")?, "entryId")?)),
        text(Some(required(fields.take_text("rawEntry")?, "rawEntry")?)),
        text(fields.take_text("summary")?),
        Value::Texts(fields.take_texts("tags", usize::MAX)?),
        text(importance.map(|number| number.to_string())),
        text(take_instant(fields, "since")?),
        text(scope.agent.as_ref()),
        text(scope.caller.store.as_ref()),
        Value::Texts(fields.take_texts("entities", usize::MAX)?),
    ];
    // The model knows the entry that it has corrected.
    let answer = match detail {
        Detail::Full => "'entryId', id, 'corrects', $2",
        Detail::Short => "'id', id",
    };
    let sql = format!(
        "WITH added AS MATERIALIZED (\
          SELECT {{ext}}.memory_add(memory_id => $1, raw_entry => $3, summary => $4, tags => coalesce($5, e.tags), \
            metadata => e.metadata, importance => coalesce($6::pg_catalog.int4, e.importance), \
            source_type => e.source_type, user_id => e.user_id, agent_id => coalesce($8, e.agent_id), \
            session_id => e.session_id, entities => coalesce($10, e.entities), store => $9, \
            expires_at => CASE WHEN e.ttl IS NULL THEN e.expires_at END, ttl => e.ttl::pg_catalog.interval, \
            valid_from => CASE WHEN $7 IS NULL THEN e.valid_from END, \
            valid_until => CASE WHEN $7 IS NULL AND e.valid_until OPERATOR(pg_catalog.>) pg_catalog.now() \
              THEN e.valid_until END) AS id \
          FROM {{ext}}.memory_get(memory_id => $1, entry_ids => ARRAY[$2], store => $9) AS e), \
        superseded AS MATERIALIZED (\
          SELECT id, {{ext}}.memory_supersede(memory_id => $1, old_entry_id => $2::pg_catalog.uuid, \
            new_entry_id => id, store => $9, at => $7::pg_catalog.timestamptz) AS entries FROM added) \
        SELECT pg_catalog.jsonb_build_object({answer})::pg_catalog.text \
        FROM superseded WHERE entries OPERATOR(pg_catalog.>) 0"
    );
    Ok(Statement { sql, values, writes: true })
}

fn forget(fields: &mut Fields, scope: &Scope) -> Result<Statement> {
    let ids = required_texts(fields, "entryIds", MOST_ENTRIES_OF_CALL)?;
    let sql = "SELECT pg_catalog.jsonb_build_object('forgotten', {ext}.memory_delete(memory_id => $1, \
        entry_ids => $2::pg_catalog.uuid[], store => $3))::pg_catalog.text";
    let values = vec![text(Some(&scope.memory)), Value::Texts(Some(ids)), text(scope.caller.store.as_ref())];
    Ok(Statement { sql: sql.to_owned(), values, writes: true })
}

/// One row more than the page has is read: whether there is a next page.
fn list(fields: &mut Fields, detail: Detail, scope: &Scope) -> Result<Statement> {
    let page_size = fields.take_integer("pageSize", 1..=MOST_ENTRIES_OF_CALL)?.unwrap_or(DEFAULT_ENTRIES_OF_PAGE);
    // A list in short has nothing of the application's own JSON, whose nulls would go too.
    let (entry, shown) = match detail {
        Detail::Full => (ENTRY, ""),
        Detail::Short => (SHORT_ENTRY, "pg_catalog.jsonb_strip_nulls"),
    };
    let sql = format!(
        "SELECT {shown}(pg_catalog.jsonb_build_object('entries', \
           coalesce(pg_catalog.jsonb_agg({entry} ORDER BY e.ordinality) \
           FILTER (WHERE e.ordinality OPERATOR(pg_catalog.<=) $4::pg_catalog.int8), '[]'), \
         'nextCursor', CASE WHEN pg_catalog.count(*) OPERATOR(pg_catalog.>) $4::pg_catalog.int8 \
           THEN pg_catalog.max(e.cursor) FILTER (WHERE e.ordinality OPERATOR(pg_catalog.=) $4::pg_catalog.int8) END\
         ))::pg_catalog.text \
         FROM {{ext}}.memory_list(memory_id => $1, filters => $2::pg_catalog.jsonb, order_by => $3, \
           page_size => $4::pg_catalog.int4 OPERATOR(pg_catalog.+) 1, cursor => $5, store => $6) \
           WITH ORDINALITY AS e"
    );
    let values = vec![
        text(Some(&scope.memory)),
        text(fields.take_map("filters")?.map(|map| Json::Object(map).to_string())),
        text(Some(fields.take_text("orderBy")?.unwrap_or_else(|| PAGE_ORDERS[0].to_owned()))),
        text(Some(page_size.to_string())),
        text(fields.take_text("cursor")?),
        text(scope.caller.store.as_ref()),
    ];
    Ok(Statement { sql, values, writes: false })
}

/// Entries by their ids.
pub fn get(ids: Vec<String>, detail: Detail, scope: &Scope) -> Statement {
    let entry = match detail {
        Detail::Full => ENTRY.to_owned(),
        Detail::Short => format!("{SHORT_ENTRY} OPERATOR(pg_catalog.||) {SHORT_REST}"),
    };
    let sql = format!(
        "SELECT pg_catalog.jsonb_build_object('entries', coalesce(pg_catalog.jsonb_agg({entry} ORDER BY e.ordinality), \
         '[]'))::pg_catalog.text FROM {{ext}}.memory_get(memory_id => $1, entry_ids => $2, store => $3) \
         WITH ORDINALITY AS e"
    );
    let values = vec![text(Some(&scope.memory)), Value::Texts(Some(ids)), text(scope.caller.store.as_ref())];
    Statement { sql, values, writes: false }
}

fn about_call(fields: &mut Fields, detail: Detail, scope: &Scope) -> Result<Statement> {
    let entity = required(fields.take_text("entity")?, "entity")?;
    let filters = fields.take_map("filters")?;
    let budget = fields
        .take_integer("tokenBudget", 0..=i64::from(i32::MAX))?
        .unwrap_or(bounds_and_defaults::DEFAULT_TOKEN_BUDGET);
    Ok(about(entity, filters, budget, detail, scope))
}

/// The entries about an entity, as far as a budget of tokens goes.
pub fn about(
    entity: String,
    filters: Option<Map<String, Json>>,
    budget: i64,
    detail: Detail,
    scope: &Scope,
) -> Statement {
    let entry = match detail {
        Detail::Full => {
            "'entryId', e.entry_id, 'summary', e.summary, 'rawEntry', e.raw_entry, 'entities', e.entities, \
             'creationTime', e.creation_time"
        }
        Detail::Short => "'id', e.entry_id, 'time', e.creation_time, 'text', e.raw_entry",
    };
    let sql = format!(
        "SELECT pg_catalog.jsonb_build_object('entries', coalesce(pg_catalog.jsonb_agg(\
           pg_catalog.jsonb_build_object({entry}) ORDER BY e.ordinality), '[]'))::pg_catalog.text \
         FROM {{ext}}.memory_about(memory_id => $1, entity => $2, token_budget => $3::pg_catalog.int4, \
           filters => $4::pg_catalog.jsonb, store => $5) WITH ORDINALITY AS e"
    );
    let values = vec![
        text(Some(&scope.memory)),
        text(Some(entity)),
        text(Some(budget.to_string())),
        text(filters.map(|map| Json::Object(map).to_string())),
        text(scope.caller.store.as_ref()),
    ];
    Statement { sql, values, writes: false }
}

/// The entries that links lead to. For a missing entry the answer is empty, as for memory_get.
fn related(fields: &mut Fields, detail: Detail, scope: &Scope) -> Result<Statement> {
    let entry = required(fields.take_text("entryId")?, "entryId")?;
    let depth = fields
        .take_integer("depth", bounds_and_defaults::RELATED_DEPTH)?
        .unwrap_or(bounds_and_defaults::DEFAULT_RELATED_DEPTH);
    let kinds = fields.take_texts("kinds", bounds_and_defaults::MAX_KINDS)?;
    let most = fields.take_integer("maxEntries", 1..=MOST_ENTRIES_OF_CALL)?.unwrap_or(DEFAULT_ENTRIES_OF_PAGE);
    let (entry_shown, is_cut, shown) = match detail {
        Detail::Full => (
            "'entryId', r.entry_id, 'hops', r.hops, 'weight', r.weight, 'kind', r.kind, 'via', r.via, \
             'rawEntry', r.raw_entry, 'summary', r.summary, 'creationTime', r.creation_time",
            "coalesce(pg_catalog.bool_or(r.is_cut), false)",
            "",
        ),
        Detail::Short => (
            "'id', r.entry_id, 'time', r.creation_time, 'text', r.raw_entry, 'hops', r.hops, \
             'kind', r.kind, 'via', r.via",
            "CASE WHEN pg_catalog.bool_or(r.is_cut) THEN true END",
            "pg_catalog.jsonb_strip_nulls",
        ),
    };
    let sql = format!(
        "SELECT {shown}(pg_catalog.jsonb_build_object('entries', coalesce(pg_catalog.jsonb_agg(\
           pg_catalog.jsonb_build_object({entry_shown}) ORDER BY r.ordinality), '[]'), 'isCut', {is_cut}))\
           ::pg_catalog.text \
         FROM {{ext}}.memory_related(memory_id => $1, entry_id => $2, depth => $3::pg_catalog.int4, kinds => $4, \
           max_entries => $5::pg_catalog.int4, store => $6) WITH ORDINALITY AS r"
    );
    let values = vec![
        text(Some(&scope.memory)),
        text(Some(entry)),
        text(Some(depth.to_string())),
        Value::Texts(kinds),
        text(Some(most.to_string())),
        text(scope.caller.store.as_ref()),
    ];
    Ok(Statement { sql, values, writes: false })
}

/// The latest context, which every search has: this one looks for no entry.
pub fn latest_context(detail: Detail, scope: &Scope) -> Statement {
    let request = json!({"memoryId": scope.memory, "store": scope.caller.store, "query": "", "top_ke": 0});
    let object = |text: &str, time: &str| {
        format!(
            "pg_catalog.jsonb_build_object('{text}', found OPERATOR(pg_catalog.->) 'latestContext', \
            '{time}', found OPERATOR(pg_catalog.->) 'latestContextTimestamp')"
        )
    };
    let answer = match detail {
        Detail::Full => object("latestContext", "latestContextTimestamp"),
        Detail::Short => format!("pg_catalog.jsonb_strip_nulls({})", object("text", "time")),
    };
    let sql = format!("SELECT ({answer})::pg_catalog.text FROM {{ext}}.memory_search($1::pg_catalog.jsonb) AS found");
    Statement { sql, values: vec![text(Some(request.to_string()))], writes: false }
}

fn put_context(fields: &mut Fields, detail: Detail, scope: &Scope) -> Result<Statement> {
    let sql = "SELECT pg_catalog.jsonb_build_object($5, {ext}.memory_put_context(memory_id => $1, \
        context => $2, user_id => $3, store => $4))::pg_catalog.text";
    let values = vec![
        text(Some(&scope.memory)),
        text(Some(required(fields.take_text("context")?, "context")?)),
        text(scope.caller.user.as_ref()),
        text(scope.caller.store.as_ref()),
        text(Some(id_name(detail, "contextId"))),
    ];
    Ok(Statement { sql: sql.to_owned(), values, writes: true })
}
