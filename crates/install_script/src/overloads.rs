//! For each function with arguments that drivers send as other types, adds an overload with the same name, defaults and
//! C function that accepts these (ADR-0030).

use crate::argument_types;

/// Arguments of type text that are ids, which clients also have as uuid or as whole numbers.
const IDS: &[&str] =
    &["memory_id", "user_id", "agent_id", "session_id", "entry_id", "entry_key", "from_entry", "to_entry"];

struct Argument<'a> {
    name: &'a str,
    spelled: &'a str,
    default: Option<&'a str>,
}

/// The wider overload of each function that needs one, with its comment.
pub fn sql(script: &str) -> Result<String, String> {
    let mut sql =
        String::from("\n-- The functions for arguments of these types; each calls the C function of its namesake.\n");
    for function in script.split("\nCREATE FUNCTION \"").skip(1) {
        sql += &wider_function(function).ok_or_else(|| format!("not read: CREATE FUNCTION \"{function}"))?;
    }
    Ok(sql)
}

/// The overload for `f"(\n  "a" TEXT,\n  "b" INT DEFAULT NULL\n) RETURNS ...;`. `None` if the function already accepts
/// all types.
fn wider_function(function: &str) -> Option<String> {
    let (name, rest) = function.split_once('"')?;
    let (arguments, rest) = rest.strip_prefix("(\n").and_then(|rest| rest.split_once("\n) RETURNS"))?;
    let (returns, _) = rest.split_once(";\n")?;
    let arguments: Vec<Argument> = arguments.lines().map(argument).collect::<Option<_>>()?;
    let types: Vec<String> =
        arguments.iter().enumerate().map(|(place, argument)| wider_type(place, argument)).collect();
    let first = arguments.first()?;
    // A literal for the first argument selects one of the two: text and timestamptz are the preferred types of their
    // categories. A function whose first argument has another type gets no overload, and neither does one whose text
    // arguments are no ids.
    let decides = matches!(first.spelled, "TEXT" | "timestamp with time zone");
    let decided_by = IDS.contains(&first.name) || first.spelled != "TEXT";
    let is_wider =
        decided_by || arguments.iter().zip(&types).skip(1).any(|(argument, type_)| argument.spelled != type_);
    if !decides || !is_wider {
        return Some(String::new());
    }
    let lines: Vec<String> = arguments
        .iter()
        .zip(&types)
        .enumerate()
        .map(|(place, (argument, type_))| match argument.default {
            // Without it, a call that omits the argument would match both functions.
            Some(default) if place > 0 => format!("  \"{}\" {type_} DEFAULT {default}", argument.name),
            _ => format!("  \"{}\" {type_}", argument.name),
        })
        .collect();
    Some(format!(
        "\nCREATE FUNCTION \"{name}\"(\n{}\n) RETURNS{returns};\nCOMMENT ON FUNCTION @extschema@.{name}(\n  {}\n) IS\n  \
         '{name} for clients that send other types: json, bigint, text, ids of other types';\n",
        lines.join(",\n"),
        types.join(",\n  ")
    ))
}

/// `  "top_ke" INT DEFAULT NULL,`
fn argument(line: &str) -> Option<Argument<'_>> {
    let (name, rest) = line.trim().trim_end_matches(',').strip_prefix('"')?.split_once("\" ")?;
    let (spelled, default) = match rest.split_once(" DEFAULT ") {
        Some((spelled, default)) => (spelled, Some(default)),
        None => (rest, None),
    };
    Some(Argument { name, spelled, default })
}

fn wider_type(place: usize, argument: &Argument) -> String {
    let keeps = argument.spelled == "TEXT" && place > 0 && !IDS.contains(&argument.name);
    let wider = if keeps { None } else { argument_types::wider(argument.spelled) };
    wider.unwrap_or_else(|| argument.spelled.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(arguments: &str) -> String {
        let function =
            format!("\nCREATE FUNCTION \"f\"(\n{arguments}\n) RETURNS INT\nLANGUAGE c\nAS 'M', 'f_wrapper';\n");
        let sql = sql(&function).unwrap();
        sql.split_once("namesake.\n").unwrap().1.to_string()
    }

    #[test]
    fn ids_json_counts_and_times_are_wider_in_the_overload_and_texts_stay() {
        let sql = of(
            "  \"memory_id\" TEXT,\n  \"query\" TEXT,\n  \"k\" INT DEFAULT NULL,\n  \"ids\" uuid[] DEFAULT NULL,\n  \"store\" TEXT DEFAULT NULL",
        );
        assert!(sql.starts_with(
            "\nCREATE FUNCTION \"f\"(\n  \"memory_id\" @extschema@.memory_text,\n  \"query\" TEXT,\n  \
             \"k\" @extschema@.memory_int4 DEFAULT NULL,\n  \"ids\" @extschema@.memory_uuid[] DEFAULT NULL,\n  \
             \"store\" TEXT DEFAULT NULL\n) RETURNS INT\nLANGUAGE c\nAS 'M', 'f_wrapper';\nCOMMENT ON FUNCTION @extschema@.f(\n"
        ), "{sql}");
    }

    #[test]
    fn the_first_argument_is_required_so_that_a_call_without_it_has_one_function() {
        let sql = of("  \"before\" timestamp with time zone DEFAULT now(),\n  \"max_rows\" bigint DEFAULT NULL");
        assert!(
            sql.contains("(\n  \"before\" @extschema@.memory_timestamptz,\n  \"max_rows\" bigint DEFAULT NULL\n)"),
            "{sql}"
        );
    }

    #[test]
    fn a_function_that_accepts_all_types_or_would_be_ambiguous_has_no_overload() {
        for arguments in [
            "  \"store\" TEXT DEFAULT NULL",
            "  \"store\" TEXT,\n  \"role\" TEXT",
            "  \"name\" TEXT DEFAULT 'openai'",
            "  \"request\" jsonb",
            "  \"index\" regclass",
        ] {
            assert_eq!(of(arguments), "", "{arguments}");
        }
    }

    #[test]
    fn another_form_is_an_error() {
        assert!(sql("\nCREATE FUNCTION \"f\"() RETURNS INT;\n").unwrap_err().starts_with("not read"));
    }
}
