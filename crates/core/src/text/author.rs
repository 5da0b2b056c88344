//! The author of an entry, from its text ("Caroline: I went there yesterday").

/// The characters of an entry's text that are searched for its author.
pub const OPENING_CHARACTERS: usize = 64;
/// The longest name, in characters: a longer text before a colon is a sentence.
const LONGEST_NAME: usize = 40;

/// The author of an entry: from its text, else its user, else its agent.
pub fn author_of(opening: &str, user_id: Option<String>, agent_id: Option<String>) -> Option<String> {
    speaker(opening).map(str::to_owned).or(user_id).or(agent_id)
}

/// A colon, or the wide one of Chinese and Japanese texts, which no space follows.
const COLONS: [char; 2] = [':', '：'];

/// The name at the start of a text, before a colon and a space.
pub fn speaker(opening: &str) -> Option<&str> {
    let opening = opening.trim_start();
    let colon = opening.find(COLONS)?;
    let (name, rest) = opening.split_at(colon);
    let mut after = rest.chars();
    let is_wide = after.next() == Some(COLONS[1]);
    let is_name = name.chars().count() <= LONGEST_NAME
        && !name.contains('\n')
        && name.chars().any(char::is_alphabetic)
        && (is_wide || after.next().is_none_or(char::is_whitespace));
    is_name.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_before_a_colon_is_the_speaker() {
        assert_eq!(speaker("Caroline: I went there."), Some("Caroline"));
        assert_eq!(speaker("Dr. Anna-Maria O'Neill: yes"), Some("Dr. Anna-Maria O'Neill"));
        assert_eq!(speaker("  李娜: 好"), Some("李娜"));
        assert_eq!(speaker("李雷：你好"), Some("李雷"));
        assert_eq!(speaker("Kevin:\nlook"), Some("Kevin"));
    }

    #[test]
    fn what_is_no_name_before_a_colon_is_nobody() {
        for text in ["no colon", "https://example.org", "12:30 lunch", "12: thirty", "a\nb: c", ": x"] {
            assert_eq!(speaker(text), None, "{text}");
        }
        assert_eq!(speaker("this is a whole sentence that ends in a colon and goes on: so"), None);
    }

    #[test]
    fn what_the_text_says_goes_before_what_the_ids_say() {
        let ids = || (Some("user-7".to_owned()), Some("bot".to_owned()));
        assert_eq!(author_of("Ana: hello", ids().0, ids().1).as_deref(), Some("Ana"));
        assert_eq!(author_of("hello", ids().0, ids().1).as_deref(), Some("user-7"));
        assert_eq!(author_of("hello", None, ids().1).as_deref(), Some("bot"));
        assert_eq!(author_of("hello", None, None), None);
    }
}
