//! The functions that make `search_vector` of a store's own tables. They are in the store's schema and not the
//! extension's, so that the tables live, are dumped and are restored without it. In their place an expression as long as
//! they are would be parsed and prepared anew by every statement that inserts; PL/pgSQL keeps what it made of them.
//!
//! The bodies name nothing but `pg_catalog`, hold no literal that a setting reads in another way, and are the same in
//! every store whose language has the same letters of its own: the language is an argument, so that the column depends on
//! it.

use memory_search_core::Result;
use memory_search_core::limits::{METADATA_CHARACTERS, RAW_ENTRY_CHARACTERS, SUMMARY_CHARACTERS, TAGS_CHARACTERS};

use crate::pg::identifier::{QualifiedName, QuotedIdentifier};
use crate::pg::param::Param;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;
use crate::store::definition::text_preparation::{Alphabet, Preparation};

const CREATE_OF_ENTRY: &str = include_str!("words_functions/create_of_entry.sql");
const CREATE_OF_CONTEXT: &str = include_str!("words_functions/create_of_context.sql");
const BODY_OF_ENTRY: &str = include_str!("words_functions/body_of_entry.sql");
const BODY_OF_CONTEXT: &str = include_str!("words_functions/body_of_context.sql");
const FIND: &str = include_str!("words_functions/find.sql");

/// Whether the caller may make a function in PL/pgSQL, as SQL.
const CAN_BE_MADE: &str = "EXISTS (SELECT FROM pg_catalog.pg_language l \
    WHERE l.lanname OPERATOR(pg_catalog.=) 'plpgsql' AND l.lanpltrusted \
      AND pg_catalog.has_language_privilege(l.oid, 'USAGE'))";

// A text that fits a summary's bound fits an entry's.
const _: () = assert!(SUMMARY_CHARACTERS <= RAW_ENTRY_CHARACTERS);

/// Whose words a function makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordsOf {
    /// `words_of_entry`, for the table `entries`.
    Entry,
    /// `words_of_context`, for the table `contexts`.
    Context,
}

/// A function that a column `search_vector` calls.
pub struct WordsFunction {
    /// Its name and the types of its arguments, as GRANT and DROP take them.
    pub signature: QualifiedName,
    pub of: WordsOf,
    /// Whether it is what this version makes.
    pub is_unchanged: bool,
}

impl WordsOf {
    /// Its name and the types of its arguments, without the schema.
    pub fn signature(self) -> &'static str {
        match self {
            WordsOf::Entry => {
                "words_of_entry(pg_catalog.regconfig, pg_catalog.text, pg_catalog.text, pg_catalog.text[], \
                 pg_catalog.jsonb)"
            }
            WordsOf::Context => "words_of_context(pg_catalog.regconfig, pg_catalog.text)",
        }
    }

    /// The statements that make the function.
    pub fn create(self, schema: &QuotedIdentifier, preparation: Preparation) -> String {
        let signature = self.signature();
        let what = match self {
            WordsOf::Entry => "the lexemes of an entry, which entries.search_vector holds",
            WordsOf::Context => "the lexemes of a context, which contexts.search_vector holds",
        };
        // Default privileges may keep new functions from those who may insert.
        format!(
            "{}COMMENT ON FUNCTION {schema}.{signature} IS 'memory_search: {what}';\n\
             GRANT EXECUTE ON FUNCTION {schema}.{signature} TO PUBLIC;\n",
            self.define("CREATE FUNCTION", schema, preparation)
        )
    }

    fn define(self, create: &str, schema: &QuotedIdentifier, preparation: Preparation) -> String {
        let template = match self {
            WordsOf::Entry => CREATE_OF_ENTRY,
            WordsOf::Context => CREATE_OF_CONTEXT,
        };
        filled(template, &[("{create}", create), ("{schema}", schema), ("{body}", &self.body(preparation))])
    }

    /// The statements that make it in the place of another one, and every row's words by it; `language` is the name of the
    /// text search configuration.
    pub fn make_anew(self, schema: &QuotedIdentifier, language: &str) -> String {
        let (table, column) = match self {
            WordsOf::Entry => ("entries", "raw_entry"),
            WordsOf::Context => ("contexts", "context"),
        };
        let create = self.define("CREATE OR REPLACE FUNCTION", schema, preparation_in(language));
        format!("{create}UPDATE {schema}.{table} SET {column} = {column};")
    }

    /// The call of it that gives a row's words; `language` is a string literal.
    pub fn call(self, schema: &QuotedIdentifier, language: &str) -> String {
        let (name, columns) = match self {
            WordsOf::Entry => ("words_of_entry", "summary, raw_entry, tags, metadata"),
            WordsOf::Context => ("words_of_context", "context"),
        };
        format!("{schema}.{name}({language}::pg_catalog.regconfig, {columns})")
    }

    fn body(self, preparation: Preparation) -> String {
        let template = match self {
            WordsOf::Entry => BODY_OF_ENTRY,
            WordsOf::Context => BODY_OF_CONTEXT,
        };
        let bounds = [
            ("{summary_characters}", SUMMARY_CHARACTERS.to_string()),
            ("{raw_entry_characters}", RAW_ENTRY_CHARACTERS.to_string()),
            ("{tags_characters}", TAGS_CHARACTERS.to_string()),
            ("{metadata_characters}", METADATA_CHARACTERS.to_string()),
        ];
        let marks: Vec<(&str, &str)> = bounds.iter().map(|(mark, bound)| (*mark, bound.as_str())).collect();
        let lines = template.lines().map(|line| {
            let text = line.trim_start();
            indented(&filled(&with_steps(text, preparation), &marks), line.len() - text.len())
        });
        lines.collect()
    }
}

/// How texts are prepared in a language.
fn preparation_in(language: &str) -> Preparation {
    Preparation::WithFolding(Alphabet::of_configuration(language))
}

/// The text search configuration that a call of a function names, the only literal in it.
fn language_of_call(call: &str) -> &str {
    call.rsplit_once("'::").map_or("", |(before, _)| before.rsplit('\'').next().unwrap_or_default())
}

/// A line of a body, in which `{is_to_prepare:X}` and `{prepare:X}` stand for what is done with a variable X, and `{fold}`
/// for what adds words without their accents.
fn with_steps(line: &str, preparation: Preparation) -> String {
    if line == "{fold}" {
        return preparation.folding_statements();
    }
    let steps = [
        ("{is_to_prepare:", preparation.is_to_prepare().to_owned()),
        ("{prepare:", preparation.statements()),
        ("{may_fold:", Preparation::MAY_FOLD.to_owned()),
    ];
    let mut filled_in = line.to_owned();
    for (mark, step) in &steps {
        while let Some((before, (variable, after))) =
            filled_in.split_once(*mark).and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
        {
            filled_in = format!("{before}{}{after}", filled(step, &[("{text}", variable)]));
        }
    }
    filled_in
}

fn indented(text: &str, width: usize) -> String {
    if text.is_empty() {
        return "\n".to_owned();
    }
    text.lines().map(|line| format!("{:width$}{line}\n", "")).collect()
}

/// Whether the caller may make them: somebody may have dropped PL/pgSQL, or keeps it to himself.
pub fn can_be_made(reader: &Reader<'_>) -> Result<bool> {
    let statement = Statement::default().with(format!("SELECT {CAN_BE_MADE}"));
    Ok(reader.first(&statement, |row| Ok(row.boolean(1)))?.flatten() == Some(true))
}

/// Those that the tables of a schema call. A store made where PL/pgSQL was not to be had has none.
pub fn of_schema(reader: &Reader<'_>, schema: &QuotedIdentifier) -> Result<Vec<WordsFunction>> {
    let mut statement = Statement::default();
    let schema = statement.bind(Param::text(schema));
    let statement = statement.with(filled(FIND, &[("{schema}", &schema)]));
    let mut found = Vec::new();
    reader.rows(&statement, |row| {
        let of = if row.required_text(2)? == "entries" { WordsOf::Entry } else { WordsOf::Context };
        let preparation = preparation_in(language_of_call(&row.required_text(5)?));
        let is_unchanged = row.boolean(4) == Some(true) && row.text(3)? == Some(of.body(preparation));
        found.push(WordsFunction { signature: QualifiedName::read(row, 1)?, of, is_unchanged });
        Ok(())
    })?;
    Ok(found)
}

/// The signatures of those that a role may not call; `public` is everybody. A role that does not exist may call none.
pub fn not_for(reader: &Reader<'_>, schema: &QuotedIdentifier, role: &str) -> Result<Vec<QualifiedName>> {
    let mut missing = Vec::new();
    for function in of_schema(reader, schema)? {
        let mut statement = Statement::default();
        let (role, signature) = (statement.bind(Param::text(role)), statement.bind(Param::text(&function.signature)));
        // Of a name the function would raise an error of its own.
        let statement = statement.with(format!(
            "SELECT pg_catalog.has_function_privilege(r.oid, {signature}::pg_catalog.regprocedure, 'EXECUTE') \
             FROM (SELECT r.oid FROM pg_catalog.pg_roles r WHERE r.rolname OPERATOR(pg_catalog.=) {role} \
                   UNION ALL SELECT 0 WHERE {role} OPERATOR(pg_catalog.=) 'public') r (oid)"
        ));
        if reader.first(&statement, |row| Ok(row.boolean(1)))?.flatten() != Some(true) {
            missing.push(function.signature);
        }
    }
    Ok(missing)
}
