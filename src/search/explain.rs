//! Why each candidate ranks where it does, and why an entry is missing.

use memory_search_core::output::explanation::{self, Explained};
use memory_search_core::rank::choices::Strategy;
use memory_search_core::request::search_request::SearchRequest;
use memory_search_core::{Result, error};

use crate::pg::interrupt;
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::search::pipeline::{self, Inputs};
use crate::search::scope::Scope;

/// Explains a search: a row a candidate, or the row of `entry_id` alone. Never empty: where there
/// is no candidate, one row says why.
pub fn explain(request: SearchRequest, entry_id: Option<String>) -> Result<Vec<Explained>> {
    pipeline::run(request, |reader, scope, inputs| {
        let settled = pipeline::settle(reader, scope, inputs)?;
        let mut rows = explanation::rows(scope.plan, settled, &interrupt::check);
        match entry_id {
            Some(id) => {
                let id = scope.store.ids.entry.value(&id).unwrap_or(id);
                rows.retain(|row| row.entry_id.as_deref() == Some(id.as_str()));
                if rows.is_empty() {
                    let outcome = why_missing(reader, scope, inputs, &id)?;
                    rows.push(Explained { entry_id: Some(id), outcome, ..Explained::default() });
                }
            }
            None if rows.is_empty() => {
                rows.push(Explained { outcome: why_empty(reader, scope, inputs)?, ..Explained::default() });
            }
            None => {}
        }
        add_texts(reader, scope, &mut rows)?;
        Ok(rows)
    })
}

/// Why the search has no candidate at all.
fn why_empty(reader: &Reader<'_>, scope: &Scope<'_>, inputs: &Inputs) -> Result<String> {
    if scope.plan.top_ke == 0 {
        return Ok("top_ke is 0: no entries were asked for".to_owned());
    }
    let mut statement = Statement::default();
    let visible = scope.visible_entries(&mut statement);
    let conditions = scope.filter_conditions(&mut statement);
    let counts: String = conditions
        .iter()
        .map(|(_, condition)| format!(", pg_catalog.count(*) FILTER (WHERE ({condition}) IS NOT TRUE)"))
        .collect();
    let all: Vec<String> = conditions.iter().map(|(_, condition)| format!("({condition})")).collect();
    let all = if all.is_empty() { "true".to_owned() } else { all.join(" AND ") };
    let statement = statement.with(format!(
        "SELECT pg_catalog.count(*), pg_catalog.count(*) FILTER (WHERE {all}), pg_catalog.count(e.embedding){counts} \
         FROM {} e WHERE {visible}",
        scope.store.relation("entries")
    ));
    let mut counts = Vec::new();
    reader.rows(&statement, |row| {
        counts = (1..=conditions.len() as i32 + 3).map(|column| row.integer(column).unwrap_or(0)).collect();
        Ok(())
    })?;
    let (stored, passing) = (counts.first().copied().unwrap_or(0), counts.get(1).copied().unwrap_or(0));
    let memory = error::shown(&scope.plan.memory_id);
    if stored == 0 {
        return Ok(format!("memory \"{memory}\" holds no entry that is visible to you"));
    }
    let removed: Vec<String> = conditions
        .iter()
        .zip(counts.iter().skip(3))
        .filter(|(_, count)| **count > 0)
        .map(|((name, _), count)| format!("{name} removes {count}"))
        .collect();
    if passing == 0 {
        return Ok(format!("of {stored} entries in memory \"{memory}\", {}", removed.join(", ")));
    }
    let those = if passing < stored { " that pass the filters" } else { "" };
    let (mut meaning, words) = (missing_meaning(scope, inputs).to_owned(), missing_words(scope, inputs));
    if let (Some(embedder), Some(1..), true) = (scope.embedder, counts.get(2), inputs.vector().is_some()) {
        meaning = format!("no embedding that can be compared is by {}", error::shown(embedder));
    }
    Ok(format!("none of {passing} entries in memory \"{memory}\"{those} has a signal: {meaning}, {words}"))
}

fn missing_meaning(scope: &Scope<'_>, inputs: &Inputs) -> &'static str {
    match inputs.vector() {
        _ if scope.plan.strategy == Strategy::Keyword => "meaning was not looked for (strategy keyword)",
        None => "the query has no embedding",
        Some(_) => "no entry has an embedding",
    }
}

fn missing_words(scope: &Scope<'_>, inputs: &Inputs) -> &'static str {
    match scope.plan.strategy {
        Strategy::Semantic if !scope.plan.fallback => "words were not looked for (strategy semantic)",
        _ if inputs.lexemes.is_empty() => "the query holds no searchable word",
        _ => "no word of the query occurs",
    }
}

/// Why one entry is not among the candidates.
fn why_missing(reader: &Reader<'_>, scope: &Scope<'_>, inputs: &Inputs, id: &str) -> Result<String> {
    let mut statement = Statement::default();
    let visible = scope.visible_entries(&mut statement);
    let conditions = scope.filter_conditions(&mut statement);
    let of_memory = scope.of_memory(&mut statement, "e");
    let is_deleted = scope.is_deleted(&mut statement);
    let is_superseded = scope.was_corrected(&mut statement, "e");
    let stands_again = scope.stands_again(&mut statement, "e");
    let by_another = match scope.embedder.filter(|_| scope.store.names_embedders) {
        Some(embedder) => {
            let embedder = statement.bind(Param::text(embedder));
            format!("CASE WHEN e.embedding_model OPERATOR(pg_catalog.<>) {embedder} THEN e.embedding_model END")
        }
        None => "NULL::pg_catalog.text".to_owned(),
    };
    let id = statement.bind(Param::text(id));
    let passes: String = conditions.iter().map(|(_, condition)| format!(", ({condition}) IS TRUE")).collect();
    let statement = statement.with(format!(
        "SELECT {is_deleted}, ({visible}) IS TRUE, e.embedding IS NOT NULL, \
                CASE WHEN {is_superseded} AND NOT ({stands_again}) THEN e.superseded_by::pg_catalog.text END, \
                {by_another}{passes} \
         FROM {} e WHERE {of_memory} AND e.entry_id::pg_catalog.text OPERATOR(pg_catalog.=) {id}",
        scope.store.relation("entries")
    ));
    let found = reader.first(&statement, |row| {
        let names = conditions.iter().zip(6..);
        let removed_by: Vec<&str> = names
            .filter(|(_, column)| row.boolean(*column) != Some(true))
            .map(|((name, _), _)| name.as_str())
            .collect();
        let (superseded_by, by_another) = (row.text(4)?, row.text(5)?);
        Ok(match (row.boolean(1), row.boolean(2)) {
            (Some(true), Some(false)) => "deleted".to_owned(),
            (_, Some(false)) if superseded_by.is_some() && !scope.plan.include_superseded => {
                format!("superseded by {}", superseded_by.unwrap_or_default())
            }
            (_, Some(false)) => "not visible at the time of the search: expired, or created later".to_owned(),
            _ if !removed_by.is_empty() => format!("removed by the filters: {}", removed_by.join(", ")),
            // It may hold a word and still be behind the best of those that do.
            _ if row.boolean(3) != Some(true)
                && !inputs.lexemes.is_empty()
                && scope.plan.strategy != Strategy::Semantic =>
            {
                "has no embedding, and not enough words of the query".to_owned()
            }
            _ if row.boolean(3) != Some(true) => format!("has no embedding, and {}", missing_words(scope, inputs)),
            _ if inputs.vector().is_none() => {
                format!("{}, and {}", missing_meaning(scope, inputs), missing_words(scope, inputs))
            }
            _ if by_another.is_some() => format!(
                "its embedding is by {}, the query's by {}: they are not compared, and {}",
                error::shown(&by_another.unwrap_or_default()),
                error::shown(scope.embedder.unwrap_or_default()),
                missing_words(scope, inputs)
            ),
            _ => format!(
                "not among the best {} of any signal: raise options.candidates to rank it",
                scope.plan.candidates
            ),
        })
    })?;
    Ok(found.unwrap_or_else(|| {
        format!("memory \"{}\" has no such entry that is visible to you", error::shown(&scope.plan.memory_id))
    }))
}

fn add_texts(reader: &Reader<'_>, scope: &Scope<'_>, rows: &mut [Explained]) -> Result<()> {
    let mut statement = Statement::default();
    let of_memory = scope.of_memory(&mut statement, "e");
    let ids = statement.bind(Param::Texts(rows.iter().filter_map(|row| row.entry_id.clone()).collect()));
    let statement = statement.with(format!(
        "SELECT e.entry_id::pg_catalog.text, pg_catalog.left(COALESCE(e.summary, e.raw_entry), 60) FROM {} e \
         WHERE {of_memory} \
           AND e.entry_id::pg_catalog.text OPERATOR(pg_catalog.=) ANY ({ids})",
        scope.store.relation("entries")
    ));
    let mut texts = std::collections::HashMap::new();
    reader.rows(&statement, |row| {
        texts.insert(row.required_text(1)?, row.text(2)?);
        Ok(())
    })?;
    for row in rows {
        row.entry = row.entry_id.as_ref().and_then(|id| texts.get(id).cloned()).flatten();
    }
    Ok(())
}
