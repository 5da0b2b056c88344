//! The statement behind each tool of the graph.

use memory_search_client::database::statement::{Statement, Value};
use memory_search_core::error::{Error, Result};
use serde_json::{Map, Value as Json};

use crate::mcp::arguments::required;
use crate::mcp::graph::arguments::{self, is_name, names_of};
use crate::mcp::graph::sql::{self, ADDED, DELETED, ENTRY, ROW, Versions};
use crate::mcp::scope::Scope;

/// The most entries that a search of the graph ranks.
const MOST_RANKED: u32 = 25;

/// The name of the lock by which writing calls of one memory wait for each other.
pub fn turn(scope: &Scope) -> String {
    format!("memory_search graph {}", scope.memory)
}

/// The statement of a call; a search ranks at most this many entries, if a number is given.
pub fn of_tool(tool: &str, mut arguments: Map<String, Json>, most: Option<u32>, scope: &Scope) -> Result<Statement> {
    match tool {
        "create_entities" => Ok(create_entities(&arguments::entities(&mut arguments)?, scope)),
        "create_relations" => Ok(create_relations(&arguments::new_relations(&mut arguments)?, scope)),
        "add_observations" => {
            Ok(add_observations(&arguments::observations(&mut arguments, "observations", "contents")?, scope))
        }
        "delete_entities" => Ok(delete_entities(arguments::texts(&mut arguments, "", "entityNames")?, scope)),
        "delete_observations" => {
            Ok(delete_observations(&arguments::observations(&mut arguments, "deletions", "observations")?, scope))
        }
        "delete_relations" => Ok(delete_relations(&arguments::old_relations(&mut arguments)?, scope)),
        "read_graph" => Ok(read_graph(scope)),
        "search_nodes" => search_nodes(arguments, most, scope),
        "open_nodes" => Ok(open_nodes(arguments::texts(&mut arguments, "", "names")?, scope)),
        other => Err(Error::invalid(format!("there is no tool {other}"))),
    }
}

fn statement(body: &str, further: Vec<Value>, writes: bool, scope: &Scope) -> Statement {
    let mut values = vec![Value::Text(Some(scope.memory.clone())), Value::Text(scope.caller.store.clone())];
    values.extend(further);
    Statement { sql: format!("WITH RECURSIVE {}", sql::qualified(body)), values, writes }
}

fn known(names: impl IntoIterator<Item = String>) -> Value {
    Value::Texts(Some(names.into_iter().filter(|name| is_name(name)).collect()))
}

/// The rows about the names in the parameter of this number.
fn stored_of(parameter: u32, versions: Versions) -> String {
    let names = format!("named AS (SELECT n.name FROM pg_catalog.unnest(${parameter}::pg_catalog.text[]) AS n (name))");
    format!("{names}, {}, {}", sql::asked_of("named"), sql::rows("stored", "asked", versions))
}

/// Adds the objects that `given` makes from $3, and answers; $6 has the names that they are about.
fn adding(given: &str, answer: &str, values: &Json, keys: &[&str], scope: &Scope) -> Statement {
    let body = format!("{}, {given}, {ADDED} {answer}", stored_of(6, Versions::Latest));
    let further = vec![
        Value::Text(Some(values.to_string())),
        Value::Text(scope.caller.user.clone()),
        Value::Text(scope.agent.clone()),
        Value::Texts(Some(names_of(values, keys))),
    ];
    statement(&body, further, true, scope)
}

/// Observations `o` that are not there yet, of a table `g` of names.
const NEW_OBSERVATION: &str = "NOT EXISTS (SELECT FROM stored AS s WHERE s.kind = 'observation' AND s.name = g.name \
    AND s.text = o.value)";

/// An observation `o` of `g` as an entry.
const OBSERVATION: &str = "SELECT g.n, o.ordinality AS m, ARRAY['observation', g.name, o.value] AS parts, \
    g.name || ': ' || o.value AS text, \
    pg_catalog.jsonb_build_object('graph', 'observation', 'name', g.name) AS metadata, ARRAY[g.name] AS names";

fn create_entities(entities: &Json, scope: &Scope) -> Statement {
    let given = format!(
        "given AS (SELECT e.ordinality AS n, e.value ->> 'name' AS name, e.value ->> 'entityType' AS entity_type, \
           e.value -> 'observations' AS observations \
           FROM pg_catalog.jsonb_array_elements($3::pg_catalog.jsonb) WITH ORDINALITY AS e (value, ordinality)), \
         fresh AS MATERIALIZED (SELECT g.* FROM given AS g \
           WHERE NOT EXISTS (SELECT FROM stored AS s WHERE s.kind = 'entity' AND s.name = g.name)), \
         entry AS (SELECT g.n, 0::pg_catalog.int8 AS m, ARRAY['entity', g.name] AS parts, \
             CASE WHEN pg_catalog.btrim(g.entity_type) = '' THEN g.name \
               ELSE g.name || ' (' || g.entity_type || ')' END AS text, \
             pg_catalog.jsonb_build_object('graph', 'entity', 'name', g.name, \
               'entityType', g.entity_type) AS metadata, \
             ARRAY[g.name] AS names FROM fresh AS g \
           UNION ALL {OBSERVATION} FROM fresh AS g CROSS JOIN LATERAL \
             pg_catalog.jsonb_array_elements_text(g.observations) WITH ORDINALITY AS o (value, ordinality) \
           WHERE {NEW_OBSERVATION})"
    );
    let answer = "SELECT pg_catalog.json_build_object('entities', coalesce(pg_catalog.json_agg(\
        pg_catalog.json_build_object('name', g.name, 'entityType', g.entity_type, 'observations', g.observations) \
        ORDER BY g.n), '[]'))::pg_catalog.text FROM fresh AS g CROSS JOIN added AS a";
    adding(&given, answer, entities, &["name"], scope)
}

fn create_relations(relations: &Json, scope: &Scope) -> Statement {
    let given = "fresh AS MATERIALIZED (SELECT e.ordinality AS n, e.value ->> 'from' AS from_name, \
           e.value ->> 'to' AS to_name, e.value ->> 'relationType' AS relation_type \
           FROM pg_catalog.jsonb_array_elements($3::pg_catalog.jsonb) WITH ORDINALITY AS e (value, ordinality) \
           WHERE NOT EXISTS (SELECT FROM stored AS s WHERE s.kind = 'relation' AND s.from_name = (e.value ->> 'from') \
             AND s.to_name = (e.value ->> 'to') AND s.relation_type = (e.value ->> 'relationType'))), \
         entry AS (SELECT g.n, 0 AS m, ARRAY['relation', g.from_name, g.to_name, g.relation_type] AS parts, \
             pg_catalog.concat_ws(' ', g.from_name, g.relation_type, g.to_name) AS text, \
             pg_catalog.jsonb_build_object('graph', 'relation', 'from', g.from_name, 'to', g.to_name, \
               'relationType', g.relation_type) AS metadata, \
             ARRAY[g.from_name, g.to_name] AS names FROM fresh AS g)";
    let answer = "SELECT pg_catalog.json_build_object('relations', coalesce(pg_catalog.json_agg(\
        pg_catalog.json_build_object('from', g.from_name, 'to', g.to_name, 'relationType', g.relation_type) \
        ORDER BY g.n), '[]'))::pg_catalog.text FROM fresh AS g CROSS JOIN added AS a";
    adding(given, answer, relations, &["from", "to"], scope)
}

/// If an entity does not exist, nothing is added, and the answer names it.
fn add_observations(observations: &Json, scope: &Scope) -> Statement {
    let given = format!(
        "given AS (SELECT e.ordinality AS n, e.value ->> 'entityName' AS name, \
           e.value -> 'observations' AS observations \
           FROM pg_catalog.jsonb_array_elements($3::pg_catalog.jsonb) WITH ORDINALITY AS e (value, ordinality)), \
         missing AS MATERIALIZED (SELECT g.name, g.n FROM given AS g \
           WHERE NOT EXISTS (SELECT FROM stored AS s WHERE s.kind = 'entity' AND s.name = g.name)), \
         entry AS ({OBSERVATION}, o.value AS said FROM given AS g CROSS JOIN LATERAL \
             pg_catalog.jsonb_array_elements_text(g.observations) WITH ORDINALITY AS o (value, ordinality) \
           WHERE {NEW_OBSERVATION} AND NOT EXISTS (SELECT FROM missing))"
    );
    let answer = "SELECT CASE WHEN EXISTS (SELECT FROM missing) \
        THEN (SELECT pg_catalog.json_build_object('missing', m.name) FROM missing AS m ORDER BY m.n LIMIT 1) \
        ELSE (SELECT pg_catalog.json_build_object('results', coalesce(pg_catalog.json_agg(\
          pg_catalog.json_build_object('entityName', g.name, 'addedObservations', \
            (SELECT coalesce(pg_catalog.json_agg(k.said ORDER BY k.m), '[]') FROM keyed AS k WHERE k.n = g.n)) \
          ORDER BY g.n), '[]')) FROM given AS g) END::pg_catalog.text FROM added AS a";
    adding(&given, answer, observations, &["entityName"], scope)
}

fn delete_entities(names: Vec<String>, scope: &Scope) -> Statement {
    let body = format!(
        "{}, doomed AS (SELECT s.id FROM stored AS s WHERE EXISTS (SELECT FROM named AS n \
           WHERE n.name = s.name OR n.name = s.from_name OR n.name = s.to_name)) {DELETED}",
        stored_of(3, Versions::All)
    );
    statement(&body, vec![known(names)], true, scope)
}

fn delete_observations(observations: &Json, scope: &Scope) -> Statement {
    let body = format!(
        "{}, doomed AS (SELECT s.id FROM stored AS s WHERE s.successor IS NULL AND s.kind = 'observation' \
           AND EXISTS (SELECT \
           FROM pg_catalog.jsonb_array_elements($4::pg_catalog.jsonb) AS e (value) \
           CROSS JOIN LATERAL pg_catalog.jsonb_array_elements_text(e.value -> 'observations') AS o (value) \
           WHERE s.name = (e.value ->> 'entityName') AND s.text = o.value)) {DELETED}",
        stored_of(3, Versions::All)
    );
    let names = names_of(observations, &["entityName"]);
    statement(&body, vec![Value::Texts(Some(names)), Value::Text(Some(observations.to_string()))], true, scope)
}

fn delete_relations(relations: &Json, scope: &Scope) -> Statement {
    let body = format!(
        "{}, doomed AS (SELECT s.id FROM stored AS s WHERE s.successor IS NULL AND s.kind = 'relation' \
           AND EXISTS (SELECT \
           FROM pg_catalog.jsonb_array_elements($4::pg_catalog.jsonb) AS e (value) \
           WHERE s.from_name = (e.value ->> 'from') AND s.to_name = (e.value ->> 'to') \
             AND s.relation_type = (e.value ->> 'relationType'))) {DELETED}",
        stored_of(3, Versions::All)
    );
    let names = names_of(relations, &["from", "to"]);
    statement(&body, vec![Value::Texts(Some(names)), Value::Text(Some(relations.to_string()))], true, scope)
}

/// The whole graph.
pub fn read_graph(scope: &Scope) -> Statement {
    let body = format!(
        "{}, {}, shown AS (SELECT DISTINCT s.name, 0 AS place FROM stored AS s WHERE s.kind = 'entity'), {}",
        sql::asked_whole(),
        sql::rows("stored", "asked", Versions::Latest),
        sql::graph("true")
    );
    statement(&body, Vec::new(), false, scope)
}

/// Relations of which a shown entity is an end.
const OF_SHOWN: &str = "EXISTS (SELECT FROM entity AS n WHERE n.name = r.from_name OR n.name = r.to_name)";

fn open_nodes(names: Vec<String>, scope: &Scope) -> Statement {
    let body = format!(
        "{}, shown AS (SELECT n.name, 0 AS place FROM named AS n), {}",
        stored_of(3, Versions::Latest),
        sql::graph(OF_SHOWN)
    );
    statement(&body, vec![known(names)], false, scope)
}

/// The relevant results of a search, the best first, and behind them the entries that contain the query as it is
/// written. A found relation is shown itself; its ends are shown if they are found, too.
fn search_nodes(mut arguments: Map<String, Json>, most: Option<u32>, scope: &Scope) -> Result<Statement> {
    let query = match required(arguments.remove("query"), "query")? {
        Json::String(query) => query,
        other => {
            let is = memory_search_core::json_fields::described(&other);
            return Err(Error::invalid(format!("query must be a text, not {is}")));
        }
    };
    let body = format!(
        "{containing}, {alike}, \
         found AS MATERIALIZED (SELECT {ROW}, f.rank FROM {{ext}}.memory_search_entries(memory_id => $1, query => $3, \
             k => least($4::pg_catalog.int4, \
               pg_catalog.current_setting('memory_search.highest_top_ke', true)::pg_catalog.int4), \
             filters => '{{\"metadata\": {{\"graph\": {{\"$in\": [\"entity\", \"observation\", \"relation\"]}}}}}}', \
             options => '{{\"relevantOnly\": true}}', store => $2) AS f \
           CROSS JOIN LATERAL (SELECT {ENTRY_OF_FOUND} AS value) AS e WHERE pg_catalog.btrim($3) <> ''), \
         shown AS MATERIALIZED (SELECT s.name, pg_catalog.min(s.place) AS place FROM (\
             SELECT f.name, f.rank AS place FROM found AS f \
             UNION ALL SELECT l.name, 1000000 FROM alike AS l) AS s \
           WHERE pg_catalog.cardinality({{ext}}.memory_entity_keys(ARRAY[s.name])) > 0 GROUP BY s.name), \
         {asked}, {opened}, \
         stored AS MATERIALIZED (SELECT o.* FROM opened AS o UNION SELECT f.id, f.at, f.kind, f.name, f.entity_type, \
           f.text, f.from_name, f.to_name, f.relation_type, f.successor FROM found AS f), \
         {graph}",
        containing = sql::asked_containing(),
        alike = sql::rows("alike", "asked_containing", Versions::Latest),
        ENTRY_OF_FOUND = ENTRY.replace("e.", "f."),
        asked = sql::asked_of("shown"),
        opened = sql::rows("opened", "asked", Versions::Latest),
        graph = sql::graph(&format!("{OF_SHOWN} OR EXISTS (SELECT FROM found AS f WHERE f.id = r.id)")),
    );
    let most = most.unwrap_or(MOST_RANKED).min(MOST_RANKED).to_string();
    Ok(statement(&body, vec![Value::Text(Some(query)), Value::Text(Some(most))], false, scope))
}
