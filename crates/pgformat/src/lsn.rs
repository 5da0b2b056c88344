//! A position in the write-ahead log in PostgreSQL's notation: `0/3000060`.

/// The most digits of each half: it has 32 bits.
const DIGITS: usize = 8;

/// The number of a position; `None` if the text is no position.
#[must_use]
pub fn read(text: &str) -> Option<u64> {
    let (high, low) = text.split_once('/')?;
    Some(half(high)? << 32 | half(low)?)
}

fn half(text: &str) -> Option<u64> {
    // A sign, which Rust's number parser accepts, is no digit.
    let is_hexadecimal = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hexadecimal || text.len() > DIGITS {
        return None;
    }
    u64::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn both_halves_are_hexadecimal_numbers_of_32_bits() {
        assert_eq!(read("0/0"), Some(0));
        assert_eq!(read("0/3000060"), Some(0x0300_0060));
        assert_eq!(read("1A/00ff00AA"), Some(0x1A_00FF_00AA));
        assert_eq!(read("FFFFFFFF/FFFFFFFF"), Some(u64::MAX));
    }

    #[test]
    fn a_text_that_postgresql_refuses_is_no_position() {
        for text in
            ["", "/", "0", "0/", "/0", "0/+1", "-1/0", "0/1 ", " 0/1", "0/1/2", "0x1/0", "100000000/0", "0/g", "0/é"]
        {
            assert_eq!(read(text), None, "{text:?}");
        }
    }
}
