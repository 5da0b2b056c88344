//! The occurrences of a lexeme as a byte: two bits for each weight, D lowest, where no weight counts more than three.
//! 0 means that they do not fit and are stored separately.

use memory_search_core::text::document::Occurrences;

use crate::varint;

/// The byte for occurrences that are stored separately.
pub const ELSEWHERE: u8 = 0;

/// The byte of occurrences; [`ELSEWHERE`] if they do not fit.
pub fn to_byte(occurrences: Occurrences) -> u8 {
    let [d, c, b, a] = occurrences.by_weight;
    match d.max(c).max(b).max(a) <= 3 {
        true => (d | c << 2 | b << 4 | a << 6) as u8,
        false => ELSEWHERE,
    }
}

/// From [`to_byte`], if they fitted.
#[inline]
pub fn of_byte(byte: u8) -> Occurrences {
    let weight = |shift: u32| u16::from(byte >> shift & 3);
    Occurrences { by_weight: [weight(0), weight(2), weight(4), weight(6)] }
}

/// Appends the byte, and the occurrences if they did not fit.
pub fn put(out: &mut Vec<u8>, occurrences: Occurrences) {
    let byte = to_byte(occurrences);
    out.push(byte);
    if byte == ELSEWHERE {
        occurrences.by_weight.iter().for_each(|&count| varint::put(out, u64::from(count)));
    }
}

/// Takes what [`put`] wrote; `None` where the bytes end within it or hold another thing.
#[inline]
pub fn take(bytes: &mut &[u8]) -> Option<Occurrences> {
    let (&byte, rest) = bytes.split_first()?;
    *bytes = rest;
    match byte {
        ELSEWHERE => take_long(bytes),
        byte => Some(of_byte(byte)),
    }
}

#[cold]
fn take_long(bytes: &mut &[u8]) -> Option<Occurrences> {
    let mut by_weight = [0; 4];
    for count in &mut by_weight {
        *count = u16::try_from(varint::take(bytes)?).ok()?;
    }
    Some(Occurrences { by_weight })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_occurrences_are_read_as_they_were_written() {
        for by_weight in [[1, 0, 0, 0], [3, 3, 3, 3], [0, 0, 0, 1], [4, 0, 0, 0], [0, 0, 0, 0], [u16::MAX; 4]] {
            let mut bytes = Vec::new();
            put(&mut bytes, Occurrences { by_weight });
            let mut rest = &bytes[..];
            assert_eq!(take(&mut rest), Some(Occurrences { by_weight }));
            assert!(rest.is_empty());
            assert_eq!(take(&mut &bytes[..bytes.len() - 1]), None);
        }
        assert_eq!(to_byte(Occurrences { by_weight: [1, 0, 0, 2] }), 0b1000_0001);
    }
}
