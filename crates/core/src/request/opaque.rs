//! Texts that callers keep and give back unchanged: the notation of cursors, and their check.

/// A few digits that almost always differ if texts differ (FNV-1a). They protect cursors against mistakes; an attacker
/// who changes a cursor gains nothing.
pub fn fingerprint(text: &str) -> String {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{:08x}", (hash >> 32) ^ (hash & 0xffff_ffff))
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Base 64 for URLs, without padding.
pub fn encoded(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group.iter().enumerate().fold(0_u32, |bits, (at, byte)| bits | u32::from(*byte) << (16 - 8 * at));
        for digit in 0..=group.len() {
            text.push(char::from(DIGITS[(bits >> (18 - 6 * digit)) as usize & 63]));
        }
    }
    text
}

/// The bytes of a text from [`encoded`]; `None` for any other text.
pub fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    for group in text.as_bytes().chunks(4) {
        let mut bits = 0_u32;
        for (at, digit) in group.iter().enumerate() {
            let value = DIGITS.iter().position(|known| known == digit)?;
            bits |= (value as u32) << (18 - 6 * at);
        }
        bytes.extend(&bits.to_be_bytes()[1..group.len()]);
    }
    // Bytes have only one text: a suffix, or unused bits that are set, make it another text.
    (encoded(&bytes) == text).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_of_bytes_is_encoded() {
        for length in 0..=9 {
            let bytes: Vec<u8> = (0..length).map(|n| (n * 37 + 250) as u8).collect();
            let text = encoded(&bytes);
            for more in ["A", "AA", "AAA", "B", "B="] {
                assert_ne!(decoded(&format!("{text}{more}")), Some(bytes.clone()), "{text}{more}");
            }
            assert_eq!(decoded(&text), Some(bytes));
        }
    }
}
