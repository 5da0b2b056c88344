//! Any text gives a vector of length 1 or nothing.

use memory_search_embedder::StaticModel;
use proptest::prelude::*;

use crate::tiny_models::*;

fn check(model: &StaticModel<Vec<u8>>, text: &str) -> Result<(), TestCaseError> {
    if let Some(vector) = model.embed(text).unwrap() {
        prop_assert_eq!(vector.len(), model.dimensions());
        let square: f32 = vector.iter().map(|x| x * x).sum();
        prop_assert!((square - 1.0).abs() < 1e-5, "{}", square);
    }
    // Embedding twice gives the same vector: there is no hidden state.
    prop_assert_eq!(model.embed(text).unwrap(), model.embed(text).unwrap());
    Ok(())
}

proptest! {
    #![proptest_config(no_files())]

    #[test]
    fn any_text_embeds_to_a_unit_vector_or_to_nothing(text in any::<String>()) {
        check(&wordllama(), &text)?;
        check(&model2vec(), &text)?;
    }

    #[test]
    fn text_of_known_tokens_embeds_to_a_unit_vector_or_to_nothing(
        text in "(a|b|ab| |<s>|▁|red|green|blue|\u{0}|é|🧿){0,200}"
    ) {
        check(&wordllama(), &text)?;
        check(&model2vec(), &text)?;
    }
}

#[test]
fn text_of_every_kind_of_character_embeds() {
    let model = wordllama();
    for text in ["\0", "\u{FFFF}", "\u{10FFFF}", "\r\n\t", "e\u{301}", "\u{202E}a"] {
        assert!(model.embed(text).unwrap().is_some(), "{text:?}");
    }
}
