//! Files of an encoder that are cut or garbled are refused with a sentence; nothing panics.

use memory_search_embedder::{EmbeddingModel, ModelFiles};
use proptest::prelude::*;

use crate::tiny_encoder::*;
use crate::tiny_models::no_files;

/// Loads and, if that works, embeds.
fn use_all(weights: &[u8], files: &ModelFiles<'_>) -> Result<(), String> {
    let model = EmbeddingModel::load(weights, files).map_err(|error| error.to_string())?;
    model.embed("red unaffable 日 [CLS]!", &mut || ()).map(|_| ()).map_err(|error| error.to_string())
}

#[test]
fn weights_cut_anywhere_are_refused() {
    let (weights, tokenizer, config) = (file(&tensors()), tokenizer(), config().to_string());
    let files = ModelFiles { tokenizer: &tokenizer, config: Some(config.as_bytes()), ..ModelFiles::default() };
    assert_eq!(use_all(&weights, &files), Ok(()));
    for length in (0..weights.len()).step_by(7) {
        let error = use_all(&weights[..length], &files).unwrap_err();
        assert!(error.contains("not a complete safetensors file"), "{length}: {error}");
    }
}

#[test]
fn weights_that_shrink_while_in_use_are_an_error() {
    use std::cell::Cell;
    struct Shrinking<'a>(&'a Cell<usize>, Vec<u8>);
    impl AsRef<[u8]> for Shrinking<'_> {
        fn as_ref(&self) -> &[u8] {
            &self.1[..self.0.get()]
        }
    }
    let weights = file(&tensors());
    let whole = weights.len();
    let length = Cell::new(whole);
    let model = load(Shrinking(&length, weights), &tokenizer(), &config()).unwrap();
    for shorter in [whole - 1, whole / 2, 9, 0] {
        length.set(shorter);
        let error = model.embed("red", &mut || ()).unwrap_err().to_string();
        assert!(error.contains("became shorter"), "{shorter}: {error}");
    }
}

#[test]
fn settings_cut_anywhere_are_refused() {
    let (weights, tokenizer, config) = (file(&tensors()), tokenizer(), config().to_string());
    for length in 0..config.len() {
        let config = Some(&config.as_bytes()[..length]);
        let error =
            use_all(&weights, &ModelFiles { tokenizer: &tokenizer, config, ..ModelFiles::default() }).unwrap_err();
        assert!(error.contains("config.json"), "{length}: {error}");
    }
    let error = use_all(&weights, &ModelFiles { tokenizer: &tokenizer, ..ModelFiles::default() }).unwrap_err();
    assert!(error.contains("there is none"), "{error}");
}

proptest! {
    #![proptest_config(no_files())]

    #[test]
    fn garbled_weights_never_panic(
        // Half of them in the header, which is the smaller part.
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), any::<u8>()), 1..4)
    ) {
        let (mut weights, tokenizer, config) = (file(&tensors()), tokenizer(), config().to_string());
        let header = 8 + u64::from_le_bytes(weights[..8].try_into().unwrap()) as usize;
        for (at, in_header, byte) in changes {
            let at = at.index(if in_header { header } else { weights.len() });
            weights[at] = byte;
        }
        let files = ModelFiles { tokenizer: &tokenizer, config: Some(config.as_bytes()), ..ModelFiles::default() };
        let _ = use_all(&weights, &files);
    }

    #[test]
    fn garbled_settings_and_tokenizers_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 32_u8..127), 1..4)
    ) {
        let weights = file(&tensors());
        let garbled = |file: &[u8]| {
            let mut file = file.to_vec();
            for (at, byte) in &changes {
                let at = at.index(file.len());
                file[at] = *byte;
            }
            file
        };
        let (tokenizer, config) = (tokenizer(), config().to_string().into_bytes());
        let (bad_tokenizer, bad_config) = (garbled(&tokenizer), garbled(&config));
        let _ = use_all(&weights, &ModelFiles { tokenizer: &bad_tokenizer, config: Some(&config), ..ModelFiles::default() });
        let _ = use_all(&weights, &ModelFiles { tokenizer: &tokenizer, config: Some(&bad_config), ..ModelFiles::default() });
        let companions = (garbled(br#"{"max_seq_length": 256}"#), garbled(br#"{"pooling_mode_mean_tokens": true}"#));
        let files = ModelFiles {
            tokenizer: &tokenizer,
            config: Some(&config),
            sentence_config: Some(&companions.0),
            pooling_config: Some(&companions.1),
            ..ModelFiles::default()
        };
        let _ = use_all(&weights, &files);
    }

    #[test]
    fn any_text_embeds_to_a_unit_vector_or_to_nothing(text in any::<String>(), known in "(un|aff|able|red|blue|!| |é|日){0,40}") {
        let model = encoder();
        for text in [text, known] {
            if let Some(vector) = model.embed(&text, &mut || ()).unwrap() {
                let square: f32 = vector.iter().map(|x| x * x).sum();
                prop_assert!((square - 1.0).abs() < 1e-5, "{}", square);
            }
        }
    }
}
