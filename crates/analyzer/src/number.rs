//! Numbers of several parts: decimals, exponents, versions.

use crate::token::Kind;

/// The kind of number that a text is, if it is a number with a dot or an exponent.
pub fn number(text: &[u8]) -> Option<Kind> {
    let (dots, rest) = dotted_number(text);
    match (dots, rest) {
        (0, b"") => None,
        (1, b"") => Some(Kind::Float),
        (0 | 1, [b'e' | b'E', exponent @ ..]) if rest.len() < text.len() => {
            let digits = exponent.strip_prefix(b"-").unwrap_or(exponent);
            (!digits.is_empty() && digits.iter().all(u8::is_ascii_digit)).then_some(Kind::SFloat)
        }
        (_, b"") => Some(Kind::Version),
        _ => None,
    }
}

/// The number of dots between the digits at the beginning, and the rest of the text after these.
pub fn dotted_number(text: &[u8]) -> (usize, &[u8]) {
    let mut rest = behind_digits(text);
    let mut dots = 0;
    if rest.len() == text.len() {
        return (0, text);
    }
    while let [b'.', behind @ ..] = rest {
        let further = behind_digits(behind);
        if further.len() == behind.len() {
            break;
        }
        (dots, rest) = (dots + 1, further);
    }
    (dots, rest)
}

fn behind_digits(text: &[u8]) -> &[u8] {
    &text[text.iter().take_while(|byte| byte.is_ascii_digit()).count()..]
}
