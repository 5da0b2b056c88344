//! An embedding as clients write it: a JSON array, an array literal of PostgreSQL, or the numbers alone.

use crate::error::{Error, ErrorKind, Result, shown};
use crate::vector::embedding;

/// The elements of `[0.1,0.2]`, `{0.1,0.2}`, `{"0.1","0.2"}` or `0.1,0.2`: the notations of a list of numbers by
/// drivers that do not know the argument's type. A number that no real holds becomes infinite, and the check reports
/// it, as it does NaN.
pub fn parse(text: &str) -> Result<Vec<f32>> {
    let inside = inside(text).ok_or_else(|| not_an_embedding(text))?;
    // Before room is made for them.
    embedding::check_length(inside.split(',').count())?;
    let elements: Option<Vec<f32>> =
        if inside.is_empty() { Some(Vec::new()) } else { inside.split(',').map(number).collect() };
    let elements = elements.ok_or_else(|| not_an_embedding(text))?;
    embedding::check(&elements)?;
    Ok(elements)
}

/// The text between the brackets.
fn inside(text: &str) -> Option<&str> {
    let text = text.trim();
    let between = |open, close| text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    // Without brackets a comma says that it is a list.
    let inside = between('[', ']').or_else(|| between('{', '}')).or_else(|| text.contains(',').then_some(text))?;
    Some(inside.trim())
}

fn number(text: &str) -> Option<f32> {
    let text = text.trim();
    let quoted = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    // The words inf and nan are read as well, and refused by their place.
    quoted.unwrap_or(text).trim().parse().ok()
}

fn not_an_embedding(text: &str) -> Error {
    Error::new(ErrorKind::InvalidText, format!("\"{}\" is not an embedding", shown(text)))
        .hint("Write a list of numbers, [0.1,0.2,0.3], or pass a vector, a halfvec or an array of numbers.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_in_every_form_that_drivers_give_it() {
        for text in [
            "[0.5,-1,2e-1]",
            "{0.5,-1,2e-1}",
            "{\"0.5\",\"-1\",\"0.2\"}",
            "[\"0.5\", \"-1\", \"0.2\"]",
            "0.5,-1,0.2",
            " [ 0.5 ,\n -1 , +0.2 ] ",
        ] {
            assert_eq!(parse(text).unwrap(), [0.5, -1.0, 0.2], "{text}");
        }
        assert_eq!(parse("[7]").unwrap(), [7.0]);
    }

    #[test]
    fn what_is_no_list_of_numbers_is_shown_with_what_to_write() {
        for text in [
            "",
            " ",
            "[",
            "]",
            "7",
            "kite",
            "[1,2}",
            "[1,2",
            "1,2]",
            "[1,,2]",
            "[1,2,]",
            ",",
            "[[1,2]]",
            "{{1},{2}}",
            "[1 2]",
            "{1,NULL}",
            "[1,null]",
            "[1,\"]",
            "[\"\"]",
            "[1,\"2]",
            "[0x1]",
            "[true]",
            "{\"a\": 1}",
            "[1,2]é",
            "é[1,2]",
            "é",
        ] {
            let refusal = parse(text).unwrap_err();
            assert_eq!(refusal.kind, ErrorKind::InvalidText, "{text}");
            assert!(refusal.message.ends_with("is not an embedding"), "{text}: {}", refusal.message);
            assert!(refusal.hint.as_deref().is_some_and(|hint| hint.contains("[0.1,0.2,0.3]")), "{text}");
        }
    }

    #[test]
    fn numbers_that_no_real_holds_are_refused_by_their_place() {
        for (text, element) in [
            ("[1,1e39]", "element 2 is inf"),
            ("[-1e400]", "element 1 is -inf"),
            ("[NaN]", "element 1 is NaN"),
            ("{1,\"nan\"}", "element 2 is NaN"),
            ("1,2,-Infinity", "element 3 is -inf"),
        ] {
            let refusal = parse(text).unwrap_err();
            assert_eq!(refusal.kind, ErrorKind::InvalidArgument, "{text}");
            assert!(refusal.message.contains(element), "{}", refusal.message);
            assert!(refusal.hint.is_some(), "{text}");
        }
        assert!(parse("{}").unwrap_err().message.contains("at least one dimension"));
        assert!(parse("[0,0]").unwrap_err().message.contains("no direction"));
    }
}
