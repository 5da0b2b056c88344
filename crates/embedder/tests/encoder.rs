//! BERT encoders compute the embeddings that the papers define, from the tokens of BERT's tokeniser.

use memory_search_embedder::{EmbeddingModel, MAX_TEXT_BYTES};
use serde_json::json;

use crate::tiny_encoder::*;

fn embed(model: &EmbeddingModel<Vec<u8>>, text: &str) -> Option<Vec<f32>> {
    model.embed(text, &mut || ()).unwrap()
}

/// The text's embedding is the embedding of these token ids between [CLS] and [SEP].
fn assert_tokens(text: &str, ids: &[usize]) {
    let ids = [&[2], ids, &[3]].concat();
    let (ours, defined) = (embed(&encoder(), text).expect("a vector"), by_definition(&tensors(), &ids));
    assert_eq!(ours.len(), WIDTH);
    for (ours, defined) in ours.iter().zip(defined) {
        assert!((f64::from(*ours) - defined).abs() < 2e-6, "{text:?}: {ours} instead of {defined}");
    }
}

#[test]
fn an_embedding_agrees_with_the_definition() {
    assert_tokens("red", &[7]);
    assert_tokens("red blue red", &[7, 8, 7]);
    assert_tokens("blue red !", &[8, 7, 9]);
    assert_tokens("red blue red blue red blue red", &[7, 8, 7, 8, 7, 8, 7]);
}

/// Tensors with positions for 130 tokens.
fn long_tensors() -> Tensors {
    const MANY: usize = 130;
    let mut tensors = tensors();
    let positions: Vec<f32> = (0..MANY * WIDTH).map(|at| (at * 37 % 101) as f32 / 50.0 - 1.0).collect();
    tensors.insert("embeddings.position_embeddings.weight".into(), (vec![MANY, WIDTH], positions));
    tensors
}

/// Whether more than 64 tokens are multiplied by integers: the instructions that `integers/vnni.rs` lists.
fn has_integers() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vnni");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// Tokens are computed with in panels of 16, three panels at once: lengths around the ends of panels.
#[test]
fn an_embedding_of_many_tokens_agrees_with_the_definition() {
    let tensors = long_tensors();
    let model = load(file(&tensors), &tokenizer(), &config()).unwrap();
    for length in [13, 14, 15, 30, 31, 47, 62, 63, 79, 94, 95, 128] {
        let words: Vec<usize> = (0..length).map(|at| 7 + at * at % 3).collect();
        let text: Vec<&str> = words.iter().map(|&word| VOCABULARY[word]).collect();
        let (ours, ids) = (embed(&model, &text.join(" ")).expect("a vector"), [&[2], &words[..], &[3]].concat());
        for (ours, defined) in ours.iter().zip(by_definition(&tensors, &ids)) {
            let most = if length + 2 > 64 && has_integers() { 1e-4 } else { 2e-6 };
            assert!((f64::from(*ours) - defined).abs() < most, "{length} words: {ours} instead of {defined}");
        }
    }
}

#[test]
fn words_are_cut_into_the_longest_pieces_that_are_known() {
    assert_tokens("unaffable", &[4, 5, 6]);
    assert_tokens("unable", &[4, 6]);
    // A word with an unknown rest is unknown as a whole.
    assert_tokens("red unred", &[7, 1]);
}

#[test]
fn case_accents_and_punctuation_are_as_berts() {
    assert_tokens("UNAFFABLE!Red", &[4, 5, 6, 9, 7]);
    assert_tokens("réd\tblüe\n", &[7, 8]);
    assert_tokens("re\u{0}d", &[7]);
    // Each ideograph is a word, here an unknown one.
    assert_tokens("red日本blue", &[7, 1, 1, 8]);
}

#[test]
fn as_many_tokens_are_read_as_there_are_positions() {
    let read = embed(&encoder(), &"red ".repeat(POSITIONS - 2));
    assert_eq!(embed(&encoder(), &"red ".repeat(POSITIONS - 1)), read);
    assert_eq!(embed(&encoder(), &"red ".repeat(MAX_TEXT_BYTES)), read);
    assert_ne!(embed(&encoder(), &"red ".repeat(POSITIONS - 3)), read);
}

#[test]
fn a_text_without_a_known_token_has_no_embedding() {
    for text in ["", "  ", "\u{0}", "green", "green 🧿 日本"] {
        assert_eq!(embed(&encoder(), text), None, "{text:?}");
    }
}

#[test]
fn weights_at_any_alignment_give_the_same_embedding() {
    struct Shifted(Vec<u8>, usize);
    impl AsRef<[u8]> for Shifted {
        fn as_ref(&self) -> &[u8] {
            &self.0[self.1..]
        }
    }
    for shift in 0..4 {
        let bytes = [vec![0; shift], file(&tensors())].concat();
        let model = load(Shifted(bytes, shift), &tokenizer(), &config()).unwrap();
        assert_eq!(model.embed("red blue", &mut || ()).unwrap(), embed(&encoder(), "red blue"));
    }
}

#[test]
fn the_callers_pause_is_called_before_each_layer_and_within() {
    let mut pauses = 0;
    encoder().embed("red", &mut || pauses += 1).unwrap();
    // After each of the six products and each head, and between layers.
    assert_eq!(pauses, 1 + LAYERS * (6 + HEADS + 1));
    let left = std::panic::catch_unwind(|| encoder().embed("red", &mut || panic!("cancelled")));
    assert!(left.is_err());
}

#[test]
fn a_model_says_its_dimension() {
    assert_eq!(encoder().dimensions(), WIDTH);
}

#[test]
fn a_missing_or_misshapen_tensor_is_named_with_the_expected_shape() {
    for name in tensors().keys() {
        if name == "embeddings.word_embeddings.weight" {
            continue; // This tensor identifies the family.
        }
        let mut without = tensors();
        without.remove(name);
        let error = load(file(&without), &tokenizer(), &config()).err().unwrap();
        assert!(error.contains(name) && error.contains("missing"), "{error}");

        let mut misshapen = tensors();
        misshapen.insert(name.clone(), (vec![2, 3], vec![0.0; 6]));
        let error = load(file(&misshapen), &tokenizer(), &config()).err().unwrap();
        assert!(error.contains(name) && error.contains("[2, 3]"), "{error}");
    }
}

#[test]
fn a_tokenizer_of_another_model_is_refused() {
    let mut more_words = tensors();
    let rows = VOCABULARY.len() + 1;
    more_words.insert("embeddings.word_embeddings.weight".into(), (vec![rows, WIDTH], vec![0.5; rows * WIDTH]));
    let error = load(file(&more_words), &tokenizer(), &config()).err().unwrap();
    assert!(error.contains("10 tokens") && error.contains("11"), "{error}");
    let renamed = String::from_utf8(tokenizer()).unwrap().replace("[SEP]", "[END]");
    let error = load(file(&tensors()), renamed.as_bytes(), &config()).err().unwrap();
    assert!(error.contains("[SEP]"), "{error}");
}

#[test]
fn a_config_that_does_not_fit_the_weights_is_refused() {
    for (key, value) in [("hidden_size", 24), ("intermediate_size", 21), ("num_hidden_layers", 3)] {
        let mut config = config();
        config[key] = json!(value);
        let error = load(file(&tensors()), &tokenizer(), &config).err().unwrap();
        assert!(error.contains("tensor"), "{key}: {error}");
    }
}

#[test]
fn numbers_that_are_not_finite_are_reported() {
    for number in [f32::NAN, f32::INFINITY] {
        let mut damaged = tensors();
        damaged.get_mut("encoder.layer.1.output.dense.weight").unwrap().1[5] = number;
        let model = load(file(&damaged), &tokenizer(), &config()).unwrap();
        let error = model.embed("red", &mut || ()).unwrap_err().to_string();
        assert!(error.contains("not finite"), "{number}: {error}");
        for tensor in ["encoder.layer.0.attention.self.value.weight", "encoder.layer.1.output.dense.weight"] {
            let mut damaged = long_tensors();
            damaged.get_mut(tensor).unwrap().1[5] = number;
            let model = load(file(&damaged), &tokenizer(), &config()).unwrap();
            let error = model.embed(&"red ".repeat(100), &mut || ()).unwrap_err().to_string();
            assert!(error.contains("not finite"), "{number} in {tensor}, many tokens: {error}");
        }
    }
}
