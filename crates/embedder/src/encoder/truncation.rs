//! The part of the texts of a pair that is read if they are too long.

/// The numbers of tokens at the beginning of two texts that are kept, at most `most` together. The longer text gets the
/// room that the shorter one leaves; if both are longer than half, both are cut to half. This is `longest_first` of
/// Hugging Face's tokenizers, by which sentence-transformers' `CrossEncoder` cuts a pair.
pub(super) fn longest_first(one: usize, two: usize, most: usize) -> (usize, usize) {
    if one + two <= most {
        return (one, two);
    }
    let shorter = one.min(two).min(most / 2);
    let longer = most - shorter;
    if one > two { (longer, shorter) } else { (shorter, longer) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_text_is_cut_first_and_then_both_are() {
        assert_eq!(longest_first(3, 4, 7), (3, 4));
        assert_eq!(longest_first(3, 400, 9), (3, 6));
        assert_eq!(longest_first(400, 3, 9), (6, 3));
        assert_eq!(longest_first(400, 5, 9), (5, 4));
        assert_eq!(longest_first(5, 400, 9), (4, 5));
        assert_eq!(longest_first(400, 400, 9), (4, 5), "the second has the odd token");
        assert_eq!(longest_first(0, 400, 9), (0, 9));
        assert_eq!(longest_first(2, 2, 1), (0, 1));
        assert_eq!(longest_first(1, 1, 0), (0, 0));
    }

    /// Removes one token after another, as in the definition: from the longer text, or from the first one if both have
    /// the same length.
    #[test]
    fn it_agrees_with_the_removal_of_one_token_after_another() {
        for (one, two, most) in (0..900).map(|at| (at % 9, at / 9 % 10, at / 90)) {
            let (mut left, mut right) = (one, two);
            while left + right > most {
                if left >= right { left -= 1 } else { right -= 1 }
            }
            let (ours, theirs) = longest_first(one, two, most);
            assert_eq!(ours + theirs, left + right);
            // If both are cut, the odd token stays with the longer text.
            assert!(ours.abs_diff(left) <= 1, "{one} {two} {most}: {ours} instead of {left}");
        }
    }
}
