//! Numbers in as many bytes as they need: seven bits a byte, lowest first; the high bit is set if more bytes follow
//! (LEB128).

/// Appends a number in 1 to 10 bytes.
pub fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes a number from the front; `None` if the bytes end within it, or it does not fit.
#[inline]
pub fn take(bytes: &mut &[u8]) -> Option<u64> {
    let (&first, rest) = bytes.split_first()?;
    *bytes = rest;
    match first < 0x80 {
        true => Some(u64::from(first)),
        false => take_more(bytes, u64::from(first & 0x7f)),
    }
}

#[inline]
fn take_more(bytes: &mut &[u8], mut value: u64) -> Option<u64> {
    for shift in (7..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u64::from(byte & 0x7f);
        if shift == 63 && bits > 1 {
            return None;
        }
        value |= bits << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Takes a number that counts something in memory.
#[inline]
pub fn take_usize(bytes: &mut &[u8]) -> Option<usize> {
    take(bytes).and_then(|value| usize::try_from(value).ok())
}

/// A signed number as an unsigned one, so that small numbers of either sign stay small.
pub fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63).cast_unsigned()
}

/// From [`zigzag`].
#[inline]
pub fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -((value & 1).cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: [u64; 9] = [0, 1, 127, 128, 16_383, 16_384, u32::MAX as u64, u64::MAX >> 1, u64::MAX];

    #[test]
    fn a_number_is_read_as_it_was_written() {
        for number in NUMBERS {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            bytes.push(7);
            let mut rest = &bytes[..];
            assert_eq!(take(&mut rest), Some(number));
            assert_eq!(rest, [7]);
            assert_eq!(zigzag(unzigzag(number)), number);
        }
        assert_eq!([0, -1, 1, -2, i64::MIN].map(zigzag), [0, 1, 2, 3, u64::MAX]);
    }

    #[test]
    fn a_number_that_is_cut_or_too_long_is_none() {
        for number in NUMBERS {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            assert_eq!(take(&mut &bytes[..bytes.len() - 1]), None, "{number}");
        }
        assert_eq!(take(&mut &[0xff; 20][..]), None);
        assert_eq!(take(&mut &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2][..]), None);
    }
}
