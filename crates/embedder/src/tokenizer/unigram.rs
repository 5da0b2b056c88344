//! Unigram models of tokenizer.json, as SentencePiece trains them: they cut a text into the pieces whose scores have
//! the greatest sum. The ids are the same as in the library's own model, which takes far more memory (see `pieces`).

use crate::ModelError;
use crate::tokenizer::json::{Fields, field, unusable};
use crate::tokenizer::pieces::Pieces;

/// The penalty of an unknown character below the worst piece, in SentencePiece.
const PENALTY_OF_UNKNOWN: f64 = 10.0;

/// A Unigram model.
pub(super) struct Unigram {
    pub(super) pieces: Pieces,
    unknown: Option<u32>,
    /// Unknown characters become tokens of their bytes.
    by_bytes: bool,
}

/// The best way to cut the text before a place.
#[derive(Clone, Copy)]
struct Best {
    score: f64,
    /// The start of its last piece; `None` as long as no piece ends here.
    start: Option<u32>,
    /// Its last piece; `None` for an unknown character.
    id: Option<u32>,
}

impl Unigram {
    /// Builds the model from the fields of tokenizer.json's `model`.
    pub(super) fn read(model: &Fields<'_>) -> Result<Self, ModelError> {
        let pieces: Pieces = field(model, "vocab")?.ok_or_else(|| unusable("\"model\" has no \"vocab\""))?;
        let unknown: Option<u32> = field(model, "unk_id")?;
        if let Some(id) = unknown.filter(|&id| id as usize >= pieces.len()) {
            return Err(unusable(format!("\"unk_id\" is {id}; \"vocab\" has {} pieces", pieces.len())));
        }
        Ok(Self { pieces, unknown, by_bytes: field(model, "byte_fallback")?.unwrap_or(false) })
    }

    /// The tokens of a text: each with its id and its number of bytes. `None` if a character is unknown, and the model
    /// has no token for that.
    pub(super) fn tokens(&self, text: &str) -> Option<Vec<(u32, usize)>> {
        let best = self.best_ends(text);
        // From the end of the text to its beginning; characters side by side that are unknown make one token.
        let mut tokens = Vec::new();
        let mut end = text.len();
        let mut end_of_unknown = None;
        while end > 0 {
            let start = best[end].start? as usize;
            match best[end].id {
                Some(id) => {
                    if let Some(end_of_unknown) = end_of_unknown.take() {
                        self.push_unknown(&text[end..end_of_unknown], &mut tokens)?;
                    }
                    tokens.push((id, end - start));
                }
                None => {
                    end_of_unknown.get_or_insert(end);
                }
            }
            end = start;
        }
        if let Some(end_of_unknown) = end_of_unknown {
            self.push_unknown(&text[..end_of_unknown], &mut tokens)?;
        }
        tokens.reverse();
        Some(tokens)
    }

    /// For each place of the text the best way to cut the text before it.
    fn best_ends(&self, text: &str) -> Vec<Best> {
        let mut best = vec![Best { score: 0.0, start: None, id: None }; text.len() + 1];
        for (place, character) in text.char_indices() {
            let before = best[place].score;
            // A text's length is bounded far below what 32 bits count.
            let start = u32::try_from(place).ok();
            let mut offer = |bytes: usize, score: f64, id: Option<u32>| {
                let end = &mut best[place + bytes];
                if end.start.is_none() || before + score > end.score {
                    *end = Best { score: before + score, start, id };
                }
            };
            let mut is_known = false;
            self.pieces.beginning(&text.as_bytes()[place..], |found| {
                is_known |= found.bytes == character.len_utf8();
                // The piece for unknown characters may also occur in a text, and then counts as a piece.
                offer(found.bytes, found.score, Some(found.id).filter(|&id| Some(id) != self.unknown));
            });
            if !is_known {
                offer(character.len_utf8(), self.pieces.least - PENALTY_OF_UNKNOWN, None);
            }
        }
        best
    }

    /// The tokens of characters that are no pieces, in reverse order.
    fn push_unknown(&self, text: &str, tokens: &mut Vec<(u32, usize)>) -> Option<()> {
        if let Some(id) = self.pieces.id(text) {
            tokens.push((id, text.len()));
            return Some(());
        }
        if self.by_bytes {
            let byte = |byte: u8| self.pieces.id(&format!("<0x{byte:02X}>")).map(|id| (id, 1));
            if let Some(bytes) = text.bytes().rev().map(byte).collect::<Option<Vec<_>>>() {
                tokens.extend(bytes);
                return Some(());
            }
        }
        tokens.push((self.unknown?, text.len()));
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;
    use tokenizers::Model;

    use super::*;

    fn ours(pieces: &[(String, f64)], unknown: Option<u32>, by_bytes: bool) -> Unigram {
        let model = json!({"vocab": pieces, "unk_id": unknown, "byte_fallback": by_bytes}).to_string();
        Unigram::read(&serde_json::from_str(&model).unwrap()).unwrap()
    }

    /// The library's model is the oracle.
    fn compare(pieces: &[(String, f64)], unknown: Option<u32>, by_bytes: bool, text: &str) {
        let unknown_place = unknown.map(|id| id as usize);
        let theirs = tokenizers::models::unigram::Unigram::from(pieces.to_vec(), unknown_place, by_bytes).unwrap();
        let model = ours(pieces, unknown, by_bytes);
        let ids = |tokens: Vec<tokenizers::Token>| tokens.into_iter().map(|token| token.id).collect::<Vec<_>>();
        let tokens = model.tokens(text);
        if let Some(tokens) = &tokens {
            assert_eq!(tokens.iter().map(|token| token.1).sum::<usize>(), text.len());
        }
        match theirs.tokenize(text).ok().map(ids) {
            Some(ids) => assert_eq!(tokens.unwrap().iter().map(|token| token.0).collect::<Vec<_>>(), ids, "{text:?}"),
            // It also refuses texts that known pieces, or bytes, cover.
            None => assert_eq!(unknown, None),
        }
        for (piece, _) in pieces {
            assert_eq!(model.pieces.id(piece), theirs.token_to_id(piece), "{piece:?}");
        }
        for id in 0..=pieces.len() as u32 {
            assert_eq!(model.pieces.piece(id).map(str::to_owned), theirs.id_to_token(id), "{id}");
        }
    }

    fn listed(pieces: &[(&str, f64)]) -> Vec<(String, f64)> {
        pieces.iter().map(|(piece, score)| ((*piece).to_owned(), *score)).collect()
    }

    #[test]
    fn the_scores_of_the_pieces_add_up_to_most() {
        let pieces = listed(&[("<unk>", 0.0), ("a", -1.0), ("b", -1.0), ("ab", -3.0), ("abc", -0.5), ("日本", -2.0)]);
        let model = ours(&pieces, Some(0), false);
        assert_eq!(model.tokens("ab"), Some(vec![(1, 1), (2, 1)]));
        assert_eq!(model.tokens("abc"), Some(vec![(4, 3)]));
        assert_eq!(model.tokens("日本a日"), Some(vec![(5, 6), (1, 1), (0, 3)]));
        assert_eq!(model.tokens("xyza"), Some(vec![(0, 3), (1, 1)]), "unknown characters side by side are one token");
        assert_eq!(model.tokens(""), Some(vec![]));
        assert_eq!(ours(&pieces, None, false).tokens("x"), None);
    }

    #[test]
    fn a_number_of_the_unknown_piece_out_of_range_is_refused() {
        let model = json!({"vocab": [["a", 0.0]], "unk_id": 1}).to_string();
        let error = Unigram::read(&serde_json::from_str(&model).unwrap()).err().unwrap().to_string();
        assert!(error.contains("\"unk_id\" is 1"), "{error}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn token_ids_are_the_same_as_the_librarys(
            pieces in prop::collection::vec(("[ab▁日é🧿\u{0}]{0,4}|<0x[69]1>", -20.0..20.0_f64), 1..30),
            unknown in any::<prop::sample::Index>(),
            has_unknown in any::<bool>(),
            by_bytes in any::<bool>(),
            text in "[abc▁日é🧿本\u{0}]{0,30}",
        ) {
            let unknown = has_unknown.then(|| unknown.index(pieces.len()) as u32);
            compare(&pieces, unknown, by_bytes, &text);
        }
    }
}
