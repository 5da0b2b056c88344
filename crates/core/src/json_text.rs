//! JSON arguments as clients send them.

/// The object in a JSON string, or else the text unchanged. If a user has already written JSON, a driver that encodes
/// JSON makes a string of it, and no argument is a string.
pub fn unquoted(text: String) -> String {
    if !text.starts_with('"') {
        return text;
    }
    match serde_json::from_str::<String>(&text) {
        Ok(inner) if inner.trim_start().starts_with('{') => inner,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_in_a_string_is_taken_out() {
        assert_eq!(unquoted(r#""{\"userId\": \"a\\\"b\"}""#.into()), r#"{"userId": "a\"b"}"#);
        assert_eq!(unquoted(r#""\n {}""#.into()), "\n {}");
    }

    #[test]
    fn all_else_stays_for_the_message_that_refuses_it() {
        for text in ["{}", "[1]", "null", "7", r#""auto""#, r#""[1]""#, r#""\"{}\"""#, "\"", ""] {
            assert_eq!(unquoted(text.into()), text);
        }
    }

    #[test]
    fn what_is_broken_inside_is_taken_out_and_refused_as_json() {
        assert_eq!(unquoted(r#""{\"a\"""#.into()), r#"{"a""#);
    }
}
