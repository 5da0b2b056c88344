//! Explains why each candidate ranks where it does, and why an entry is missing.

use std::collections::HashSet;

use memory_search_core::output::explanation::{self, Explained};
use memory_search_core::rank::by_entry::{ByEntry, EntryKey, by_memory};
use memory_search_core::rank::choices::{Strategy, WordMatch};
use memory_search_core::rank::outcome::Settled;
use memory_search_core::request::search_request::SearchRequest;
use memory_search_core::text::document::Document;
use memory_search_core::text::query_lexemes::Meaning;
use memory_search_core::timestamp::{self, Micros};
use memory_search_core::{Error, Result, error};

use crate::pg::interrupt;
use crate::pg::param::Param;
use crate::pg::row::Row;
use crate::pg::spi::{Reader, Statement};
use crate::search::derived_from;
use crate::search::explained_passages;
use crate::search::pipeline::{self, Inputs};
use crate::search::row_words::{self, RowJudge, RowWords};
use crate::search::scope::{Scope, VALIDITY};
use crate::search::scopes::Scopes;
use crate::search::searched::Searched;
use crate::search::source::distance;

/// An explained candidate, with the id of its memory.
pub type ExplainedIn = (Explained, Option<String>);

/// Explains a search: one row for each candidate, or only the rows of `entry_id`. Never empty: if
/// there is no candidate, one row says why.
pub fn explain(request: SearchRequest, entry_id: Option<String>) -> Result<Vec<ExplainedIn>> {
    pipeline::run(request, |reader, scopes, inputs| {
        if scopes.page.is_some() {
            return Err(Error::invalid("options.cursor asks for a page, and memory_explain shows all candidates")
                .hint(format!("Leave it out; a search in pages ranks {} candidates at least.", scopes.plan.top_ke)));
        }
        let is_of_one = entry_id.is_some();
        let settled = pipeline::settle(reader, scopes, inputs)?;
        let by_words = words_were_looked_for(scopes, &settled);
        let mut rows = explanation::rows(scopes.plan, settled, inputs.taken(), &interrupt::check);
        match entry_id {
            Some(id) => {
                let id = scopes.memories.first().and_then(|scope| scope.store.ids.entry.value(&id)).unwrap_or(id);
                rows.retain(|row| row.entry_id.as_deref() == Some(id.as_str()));
                if rows.is_empty() {
                    rows.push(missing(reader, scopes, inputs, by_words, id)?);
                }
            }
            None if rows.is_empty() => {
                rows.push(Explained { outcome: why_empty(reader, scopes, inputs)?, ..Explained::default() });
            }
            None => {}
        }
        add_texts(reader, scopes, &mut rows)?;
        // Each row takes a look-up, so passages and sources are added only to the entry that was asked for, or to entries
        // that the search returns.
        let shown = if is_of_one { rows.len() } else { rows.len().min(scopes.plan.top_ke) };
        explained_passages::add_passages(reader, scopes, inputs.vector(), &mut rows[..shown])?;
        derived_from::add_sources(reader, scopes, &mut rows[..shown])?;
        let memory_of = |row: &Explained| row.memory.map(|memory| scopes.memory(memory).memory_id.to_string());
        Ok(rows.into_iter().map(|row| (memory_of(&row), row)).map(|(memory_id, row)| (row, memory_id)).collect())
    })
}

/// The reason why a search without places for entries has none.
const NOTHING_ASKED: &str = "top_ke is 0: no entries were asked for";

/// Whether the search had a step that looks for words: the strategy `semantic` has one only if meaning finds nothing.
fn words_were_looked_for(scopes: &Scopes<'_>, settled: &Settled) -> bool {
    let found_by_meaning = match settled.ranked.first() {
        Some((best, _)) => best.strategy == Strategy::Semantic,
        None => !settled.below_floor.is_empty(),
    };
    scopes.plan.strategy != Strategy::Semantic || scopes.plan.fallback && !found_by_meaning
}

/// The name, among the filters, of the query's demands on words.
const DEMANDS: &str = "phrases and excluded words of the query";

/// The query's demands on the words of rows that a statement reads.
struct Demanded<'a> {
    judge: Option<RowJudge<'a>>,
    /// The number of the first column with words.
    first: i32,
}

impl<'a> Demanded<'a> {
    fn of(scope: &Scope<'a>, first: usize) -> Result<Demanded<'a>> {
        let judge = scope.demands.map(|demands| RowJudge::of(scope.store, demands)).transpose()?;
        Ok(Demanded { judge, first: first as i32 })
    }

    fn columns(&self, scope: &Scope<'_>) -> String {
        match &self.judge {
            Some(_) => format!(", {}", row_words::columns(scope.store, Searched::Entries)),
            None => String::new(),
        }
    }

    fn is_met_by(&mut self, row: &Row<'_>) -> Result<bool> {
        self.judge.as_mut().map_or(Ok(true), |judge| judge.meets(row, self.first))
    }
}

/// The reason why the search has no candidate at all.
fn why_empty(reader: &Reader<'_>, scopes: &Scopes<'_>, inputs: &Inputs) -> Result<String> {
    if scopes.plan.top_ke == 0 {
        return Ok(NOTHING_ASKED.to_owned());
    }
    if scopes.memories.is_empty() {
        return Ok("no memory is searched: none was named, or none that you see begins so".to_owned());
    }
    let (mut names, mut counts): (Vec<String>, Vec<i64>) = (Vec::new(), Vec::new());
    for scope in &scopes.memories {
        let mut statement = Statement::default();
        let visible = scope.visible_entries(&mut statement);
        let conditions = scope.filter_conditions(&mut statement);
        let passes: String = conditions.iter().map(|(_, condition)| format!(", ({condition}) IS TRUE")).collect();
        let mut demanded = Demanded::of(scope, conditions.len() + 2)?;
        let statement = statement.with(format!(
            "SELECT e.embedding IS NOT NULL{passes}{} FROM {} e WHERE {visible}",
            demanded.columns(scope),
            scope.store.relation("entries")
        ));
        counts.resize(conditions.len() + 4, 0);
        reader.scan(&statement, |row| {
            let (mut passes_all, columns) = (true, 2..conditions.len() as i32 + 2);
            for (column, sum) in columns.zip(&mut counts[3..]) {
                let passes = row.boolean(column) == Some(true);
                *sum += i64::from(!passes);
                passes_all &= passes;
            }
            let is_met = demanded.is_met_by(&row)?;
            counts[conditions.len() + 3] += i64::from(!is_met);
            counts[0] += 1;
            counts[1] += i64::from(passes_all && is_met);
            counts[2] += i64::from(row.boolean(1) == Some(true));
            Ok(())
        })?;
        names = conditions.into_iter().map(|(name, _)| name).chain([DEMANDS.to_owned()]).collect();
    }
    let (stored, passing) = (counts.first().copied().unwrap_or(0), counts.get(1).copied().unwrap_or(0));
    let memories = scopes.name();
    if stored == 0 {
        let holds = if scopes.memories.len() == 1 { "holds" } else { "hold" };
        return Ok(format!("{memories} {holds} no entry that is visible to you"));
    }
    let removed: Vec<String> = names
        .iter()
        .zip(counts.iter().skip(3))
        .filter(|(_, count)| **count > 0)
        .map(|(name, count)| format!("{name} removes {count}"))
        .collect();
    if passing == 0 {
        return Ok(format!("of {stored} entries in {memories}, {}", removed.join(", ")));
    }
    let those = if passing < stored { " that pass the filters" } else { "" };
    let (mut meaning, words) = (missing_meaning(scopes, inputs).to_owned(), missing_words(scopes, inputs));
    if let (Some(embedder), Some(1..), true) = (scopes.embedder, counts.get(2), inputs.vector().is_some()) {
        meaning = format!("no embedding that can be compared is by {}", error::shown(embedder));
    }
    Ok(format!("none of {passing} entries in {memories}{those} has a signal: {meaning}, {words}"))
}

fn missing_meaning(scopes: &Scopes<'_>, inputs: &Inputs) -> &'static str {
    match inputs.vector() {
        _ if scopes.plan.strategy == Strategy::Keyword => "meaning was not looked for (strategy keyword)",
        None => "the query has no embedding",
        Some(_) => "no entry has an embedding",
    }
}

const WORDS_NOT_SOUGHT: &str = "words were not looked for (strategy semantic)";
const NO_QUERY_WORD: &str = "the query holds no searchable word";

fn missing_words(scopes: &Scopes<'_>, inputs: &Inputs) -> &'static str {
    match scopes.plan.strategy {
        Strategy::Semantic if !scopes.plan.fallback => WORDS_NOT_SOUGHT,
        _ if inputs.lexemes.is_empty() => NO_QUERY_WORD,
        _ => "no word of the query occurs",
    }
}

/// A row that says why an entry is not among the candidates.
fn missing(reader: &Reader<'_>, scopes: &Scopes<'_>, inputs: &Inputs, by_words: bool, id: String) -> Result<Explained> {
    for (memory, scope) in scopes.numbered() {
        if let Some(outcome) = why_missing(reader, scopes, scope, inputs, by_words, &id)? {
            return Ok(Explained { memory: Some(memory), entry_id: Some(id), outcome, ..Explained::default() });
        }
    }
    let have = if scopes.memories.len() == 1 { "has" } else { "have" };
    let outcome = format!("{} {have} no such entry that is visible to you", scopes.name());
    Ok(Explained { entry_id: Some(id), outcome, ..Explained::default() })
}

/// The reason why one entry is not among the candidates; `None` if the memory has no such entry. `by_words`: whether
/// words were looked for.
fn why_missing(
    reader: &Reader<'_>,
    scopes: &Scopes<'_>,
    scope: &Scope<'_>,
    inputs: &Inputs,
    by_words: bool,
    id_text: &str,
) -> Result<Option<String>> {
    let mut statement = Statement::default();
    let visible = scope.visible_entries(&mut statement);
    let conditions = scope.filter_conditions(&mut statement);
    let of_memory = scope.of_memory(&mut statement, "e");
    let is_deleted = scope.is_deleted(&mut statement);
    let is_superseded = scope.was_corrected(&mut statement, "e");
    let stands_again = scope.stands_again(&mut statement, "e");
    let by_another = match scope.embedder.filter(|_| !scope.store.is_view) {
        Some(embedder) => {
            let embedder = statement.bind(Param::text(embedder));
            format!("CASE WHEN e.embedding_model OPERATOR(pg_catalog.<>) {embedder} THEN e.embedding_model END")
        }
        None => "NULL::pg_catalog.text".to_owned(),
    };
    let (id, interval) = (statement.bind(Param::text(id_text)), scope.store.interval("e"));
    let passes: String = conditions.iter().map(|(_, condition)| format!(", ({condition}) IS TRUE")).collect();
    let mut demanded = Demanded::of(scope, conditions.len() + 8)?;
    let words = demanded.columns(scope);
    let statement = statement.with(format!(
        "SELECT {is_deleted}, ({visible}) IS TRUE, e.embedding IS NOT NULL, \
                CASE WHEN {is_superseded} AND NOT ({stands_again}) THEN e.superseded_by::pg_catalog.text END, \
                {by_another}, {interval}{passes}{words} \
         FROM {} e WHERE {of_memory} AND e.entry_id::pg_catalog.text OPERATOR(pg_catalog.=) {id}",
        scope.store.relation("entries")
    ));
    let words_held = words_held(reader, scope, inputs, id_text)?;
    let is_comparable = inputs.vector().map_or(Ok(true), |vector| is_comparable(reader, scope, vector, id_text))?;
    let and_its_words = |subject| match by_words {
        true => by_its_words(scope, inputs, words_held, subject),
        false => WORDS_NOT_SOUGHT.to_owned(),
    };
    reader.first(&statement, |row| {
        let names = conditions.iter().zip(8..);
        let mut removed_by: Vec<&str> = names
            .filter(|(_, column)| row.boolean(*column) != Some(true))
            .map(|((name, _), _)| name.as_str())
            .collect();
        if !demanded.is_met_by(&row)? {
            removed_by.push(DEMANDS);
        }
        let (superseded_by, by_another) = (row.text(4)?, row.text(5)?);
        Ok(match (row.boolean(1), row.boolean(2)) {
            (Some(true), Some(false)) => "deleted".to_owned(),
            (_, Some(false)) if superseded_by.is_some() && !scope.plan.include_superseded => {
                format!("superseded by {}", superseded_by.unwrap_or_default())
            }
            (_, Some(false)) => "not visible at the time of the search: expired, or created later".to_owned(),
            _ if removed_by.contains(&VALIDITY) => {
                let asked = scope.plan.validity.in_words(scope.now);
                format!("not valid {asked}: {}", in_words(row.timestamp(6), row.timestamp(7)))
            }
            _ if !removed_by.is_empty() => format!("removed by the filters: {}", removed_by.join(", ")),
            _ if scope.plan.top_ke == 0 => NOTHING_ASKED.to_owned(),
            _ if scope.plan.strategy == Strategy::Recent => {
                "not among the newest entries that were asked for: raise top_ke".to_owned()
            }
            _ if row.boolean(3) != Some(true) => format!("has no embedding, and {}", and_its_words("")),
            _ if inputs.vector().is_none() => {
                format!("{}, and {}", missing_meaning(scopes, inputs), and_its_words("it "))
            }
            _ if by_another.is_some() => format!(
                "its embedding is by {}, the query's by {}: they are not compared, and {}",
                error::shown(&by_another.unwrap_or_default()),
                error::shown(scope.embedder.unwrap_or_default()),
                and_its_words("it ")
            ),
            _ if !is_comparable => format!(
                "its embedding has no direction, or other dimensions than the query's: they are not compared, and {}",
                and_its_words("it ")
            ),
            _ => format!(
                "not among the best {} of any signal: raise options.candidates to rank it",
                scope.plan.candidates
            ),
        })
    })
}

/// The number of the query's words that an entry holds.
fn words_held(reader: &Reader<'_>, scope: &Scope<'_>, inputs: &Inputs, id: &str) -> Result<usize> {
    if inputs.lexemes.is_empty() {
        return Ok(0);
    }
    let mut words = RowWords::of(scope.store, Searched::Entries)?;
    let mut statement = Statement::default();
    let of_memory = scope.of_memory(&mut statement, "e");
    let id = statement.bind(Param::text(id));
    let statement = statement.with(format!(
        "SELECT {} FROM {} e WHERE {of_memory} AND e.entry_id::pg_catalog.text OPERATOR(pg_catalog.=) {id}",
        row_words::columns(scope.store, Searched::Entries),
        scope.store.relation("entries")
    ));
    let meanings: Vec<Meaning> = inputs.lexemes.meanings().collect();
    let held = reader.first(&statement, |row| {
        words.read(&row, 1, |words| {
            let mut held = HashSet::new();
            for index in 0..words.lexeme_count() {
                let lexeme = std::str::from_utf8(words.lexeme(index)?).ok();
                held.extend(lexeme.and_then(|lexeme| inputs.lexemes.find(lexeme)).map(|number| meanings[number].word));
            }
            Ok(held.len())
        })
    })?;
    Ok(held.flatten().unwrap_or(0))
}

/// Whether an entry has a distance to the query's vector.
fn is_comparable(reader: &Reader<'_>, scope: &Scope<'_>, vector: &[f32], id: &str) -> Result<bool> {
    let mut statement = Statement::default();
    let distance = distance::columns(scope, Searched::Entries, vector, &mut statement);
    let of_memory = scope.of_memory(&mut statement, "e");
    let id = statement.bind(Param::text(id));
    let statement = statement.with(format!(
        "SELECT {} FROM {} e WHERE {of_memory} AND e.entry_id::pg_catalog.text OPERATOR(pg_catalog.=) {id}",
        distance.sql,
        scope.store.relation("entries")
    ));
    let found = reader.first(&statement, |row| Ok(row.number(1)))?;
    Ok(found.flatten().is_some_and(|distance| !distance.is_nan()))
}

/// Why an entry is not among the candidates by words, by the number of the query's words that it holds. `subject`: a
/// word for the entry, if the clause before is about something else.
fn by_its_words(scope: &Scope<'_>, inputs: &Inputs, held: usize, subject: &str) -> String {
    match held {
        _ if inputs.lexemes.is_empty() => NO_QUERY_WORD.to_owned(),
        0 => match subject.is_empty() {
            true => "no word of the query".to_owned(),
            false => format!("{subject}has no word of the query"),
        },
        held if scope.plan.word_match == WordMatch::All && held < inputs.lexemes.words() => match subject.is_empty() {
            true => "not enough words of the query".to_owned(),
            false => format!("{subject}has not enough words of the query"),
        },
        _ => format!(
            "{subject}is not among the best {} by words: raise options.candidates to rank it",
            scope.plan.candidates
        ),
    }
}

/// The interval in which an entry holds, in words.
fn in_words(from: Option<Micros>, until: Option<Micros>) -> String {
    let ends = [("from", from), ("until", until)];
    let ends: Vec<String> = ends
        .into_iter()
        .filter_map(|(word, instant)| instant.map(|instant| format!("{word} {}", timestamp::format(instant))))
        .collect();
    format!("it holds {}", ends.join(" "))
}

fn add_texts(reader: &Reader<'_>, scopes: &Scopes<'_>, rows: &mut [Explained]) -> Result<()> {
    let keys = |row: &Explained| Some((row.memory?, row.entry_id.clone()?));
    let named: Vec<(u32, String)> = rows.iter().filter_map(keys).collect();
    let mut texts = ByEntry::default();
    for (memory, ids) in by_memory(named.iter().map(|(memory, id)| EntryKey { memory: *memory, id })) {
        let scope = scopes.memory(memory);
        let mut statement = Statement::default();
        let of_memory = scope.of_memory(&mut statement, "e");
        let ids = statement.bind(Param::Texts(ids));
        let statement = statement.with(format!(
            "SELECT e.entry_id::pg_catalog.text, pg_catalog.left(COALESCE(e.summary, e.raw_entry), 60) FROM {} e \
             WHERE {of_memory} \
               AND e.entry_id::pg_catalog.text OPERATOR(pg_catalog.=) ANY ({ids})",
            scope.store.relation("entries")
        ));
        reader.rows(&statement, |row| {
            texts.insert(memory, row.required_text(1)?, row.text(2)?);
            Ok(())
        })?;
    }
    for row in rows {
        let key = row.memory.zip(row.entry_id.as_deref()).map(|(memory, id)| EntryKey { memory, id });
        row.entry = key.and_then(|key| texts.get(key).cloned()).flatten();
    }
    Ok(())
}
