//! An array in the binary form of drivers, which `array_recv` reads and `array_send` writes. All numbers are
//! big-endian: dimensions, a flag, the type of the elements; for each dimension its length and lower bound; for each
//! element its length in bytes, or -1 for null, and the bytes.

/// The OID of the type `real`.
pub const REAL: u32 = 700;
/// The OID of the type `double precision`.
pub const DOUBLE: u32 = 701;

const HEADER_BYTES: usize = 12;
const DIMENSION_BYTES: usize = 8;

/// The reason why bytes are no list of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// They end too early or too late, or their lengths contradict each other.
    Malformed,
    /// Elements of this type, neither `real` nor `double precision`.
    ElementType(u32),
    /// The number of dimensions, if it is not the one of a list.
    Dimensions(i32),
    /// An element is null.
    Null,
}

/// The elements of a `real[]` or a `double precision[]` of one dimension; empty for an empty array.
pub fn reals(message: &[u8]) -> Result<Vec<f32>, Refusal> {
    let (dimensions, rest) = number(message)?;
    let (_has_nulls, rest) = number(rest)?;
    let (element_type, rest) = number(rest)?;
    let element_type = element_type as u32;
    if element_type != REAL && element_type != DOUBLE {
        return Err(Refusal::ElementType(element_type));
    }
    match dimensions {
        0 if rest.is_empty() => return Ok(Vec::new()),
        0 => return Err(Refusal::Malformed),
        1 => {}
        _ => return Err(Refusal::Dimensions(dimensions)),
    }
    let (count, rest) = number(rest)?;
    let (_lower_bound, mut rest) = number(rest)?;
    let count = usize::try_from(count).map_err(|_| Refusal::Malformed)?;
    // Each element has at least a length: no more memory is reserved than the message is long.
    if count > rest.len() / 4 {
        return Err(Refusal::Malformed);
    }
    let mut elements = Vec::with_capacity(count);
    for _ in 0..count {
        let (length, after) = number(rest)?;
        if length == -1 {
            return Err(Refusal::Null);
        }
        let (element, after) = match element_type {
            REAL if length == 4 => after.split_first_chunk().map(|(bytes, after)| (f32::from_be_bytes(*bytes), after)),
            DOUBLE if length == 8 => {
                after.split_first_chunk().map(|(bytes, after)| (f64::from_be_bytes(*bytes) as f32, after))
            }
            _ => None,
        }
        .ok_or(Refusal::Malformed)?;
        elements.push(element);
        rest = after;
    }
    if rest.is_empty() { Ok(elements) } else { Err(Refusal::Malformed) }
}

/// A `real[]` with these elements.
pub fn of_reals(elements: &[f32]) -> Vec<u8> {
    let mut message = Vec::with_capacity(HEADER_BYTES + DIMENSION_BYTES + elements.len() * 8);
    for word in [1, 0, REAL, elements.len() as u32, 1] {
        message.extend(word.to_be_bytes());
    }
    for element in elements {
        message.extend(4u32.to_be_bytes());
        message.extend(element.to_be_bytes());
    }
    message
}

fn number(bytes: &[u8]) -> Result<(i32, &[u8]), Refusal> {
    bytes.split_first_chunk().map(|(first, rest)| (i32::from_be_bytes(*first), rest)).ok_or(Refusal::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[i32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_be_bytes()).collect()
    }
    const ONE: i32 = 0x3f80_0000;

    #[test]
    fn a_list_of_numbers_comes_back_as_it_was_sent() {
        for elements in [vec![0.5, -1.0, 3e-8], vec![f32::MAX], vec![]] {
            assert_eq!(reals(&of_reals(&elements)), Ok(elements));
        }
        assert_eq!(reals(&words(&[0, 0, 700])), Ok(vec![]));
        let mut doubles = words(&[1, 0, 701, 1, 1, 8]);
        doubles.extend(0.25f64.to_be_bytes());
        assert_eq!(reals(&doubles), Ok(vec![0.25]));
    }

    #[test]
    fn bytes_that_are_no_list_of_numbers_are_refused_with_the_reason() {
        assert_eq!(reals(&words(&[1, 0, 25, 1, 1, 4, ONE])), Err(Refusal::ElementType(25)));
        assert_eq!(reals(&words(&[2, 0, 700, 1, 1, 1, 1, 4, ONE])), Err(Refusal::Dimensions(2)));
        assert_eq!(reals(&words(&[1, 1, 700, 1, 1, -1])), Err(Refusal::Null));
    }

    #[test]
    fn bytes_that_contradict_themselves_are_refused_and_reserve_nothing() {
        let whole = words(&[1, 0, 700, 2, 1, 4, ONE, 4, ONE]);
        assert!(reals(&whole).is_ok());
        for length in 0..whole.len() {
            assert_eq!(reals(&whole[..length]), Err(Refusal::Malformed), "{length}");
        }
        for wrong in [
            &[1, 0, 700, i32::MAX, 1][..],
            &[1, 0, 700, -1, 1],
            &[1, 0, 700, 1, 1, 8, ONE, ONE],
            &[1, 0, 701, 1, 1, 4, ONE],
            &[1, 0, 700, 1, 1, -2, ONE],
            &[1, 0, 700, 1, 1, 4, ONE, ONE],
            &[0, 0, 700, 1],
        ] {
            assert_eq!(reals(&words(wrong)), Err(Refusal::Malformed), "{wrong:?}");
        }
    }
}
