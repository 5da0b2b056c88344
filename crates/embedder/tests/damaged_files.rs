//! Files that are cut, garbled or of another kind are refused with a sentence.

use memory_search_embedder::{ModelError, StaticModel};
use proptest::prelude::*;
use safetensors::Dtype;
use serde_json::{Value, json};

use crate::tiny_models::*;

fn good_matrix() -> Vec<u8> {
    safetensors(&[f16_tensor("embedding.weight", &[7, 2], &LLAMA_ROWS)])
}

#[test]
fn a_matrix_file_cut_anywhere_is_refused() {
    let tokenizer = to_bytes(&llama_like());
    let quantised = safetensors(&[
        f32_tensor("embeddings", &[2, 2], &[3.0, 0.0, 0.0, 4.0]),
        i64_tensor("mapping", &[0, 1, 0, 1, 0, 1, 0]),
        f32_tensor("weights", &[7], &[1.0; 7]),
    ]);
    for file in [good_matrix(), quantised] {
        assert!(StaticModel::load(&file, &tokenizer, None).is_ok());
        for length in 0..file.len() {
            let message = refusal(&file[..length], &tokenizer, None);
            assert!(message.contains("not a complete safetensors file"));
        }
        let longer = [file, vec![0]].concat();
        assert!(refusal(&longer, &tokenizer, None).contains("safetensors"));
    }
}

#[test]
fn a_tokenizer_file_cut_anywhere_is_refused() {
    let file = to_bytes(&llama_like());
    let words = colours();
    for tokenizer in [&file, &words] {
        for length in 0..tokenizer.len() {
            let message = refusal(&good_matrix(), &tokenizer[..length], None);
            assert!(message.contains("tokenizer.json"), "{message}");
        }
    }
}

#[test]
fn a_matrix_that_shrinks_while_in_use_is_an_error() {
    use std::cell::RefCell;
    use std::rc::Rc;
    struct Shrinking(Rc<RefCell<usize>>, Vec<u8>);
    impl AsRef<[u8]> for Shrinking {
        fn as_ref(&self) -> &[u8] {
            &self.1[..*self.0.borrow()]
        }
    }
    let file = good_matrix();
    let length = Rc::new(RefCell::new(file.len()));
    let bytes = Shrinking(Rc::clone(&length), file);
    let model = StaticModel::load(bytes, &to_bytes(&llama_like()), None).unwrap();
    assert!(model.embed("ab").unwrap().is_some());
    *length.borrow_mut() -= 1;
    assert_eq!(model.embed("ab"), Err(ModelError::MatrixShrank));
}

#[test]
fn a_matrix_file_with_other_tensors_names_what_it_holds() {
    let tokenizer = to_bytes(&llama_like());
    let one = safetensors(&[f32_tensor("bert.pooler", &[1, 1], &[1.0])]);
    let message = refusal(&one, &tokenizer, None);
    assert!(message.ends_with(r#"it holds "bert.pooler""#), "{message}");
    let none = safetensors(&[]);
    assert!(refusal(&none, &tokenizer, None).ends_with("no tensor at all"));
    let both = safetensors(&[
        f16_tensor("embedding.weight", &[7, 2], &LLAMA_ROWS),
        f16_tensor("embeddings", &[7, 2], &LLAMA_ROWS),
    ]);
    assert!(refusal(&both, &tokenizer, None).contains("exactly one"));
}

#[test]
fn a_table_of_wrong_rank_size_or_type_says_what_was_expected() {
    let name = "embedding.weight";
    for (tensor, found) in [
        (f16_tensor(name, &[14], &LLAMA_ROWS), "[14]"),
        (f16_tensor(name, &[7, 2, 1], &LLAMA_ROWS), "[7, 2, 1]"),
        (f16_tensor(name, &[0, 2], &[]), "[0, 2]"),
        (f16_tensor(name, &[7, 0], &[]), "[7, 0]"),
        (f16_tensor(name, &[1, 16_001], &[0.0; 16_001]), "16001"),
        (i64_tensor(name, &[1, 2]), "I64"),
        ((name, Dtype::BF16, vec![7, 2], vec![0; 28]), "BF16"),
    ] {
        let message = refusal(&safetensors(&[tensor]), &to_bytes(&llama_like()), None);
        assert!(message.contains("1 to 16000 columns of type F16, F32, F64 or I8"), "{message}");
        assert!(message.contains(found), "{message}");
    }
}

#[test]
fn a_matrix_as_wide_as_allowed_loads() {
    let tensor = f16_tensor("embedding.weight", &[1, 16_000], &[0.5; 16_000]);
    let file = safetensors(&[tensor]);
    let model = StaticModel::load(file, &to_bytes(&llama_like()), None).unwrap();
    assert_eq!(model.embed("a").unwrap().unwrap().len(), 16_000);
}

#[test]
fn a_tokenizer_of_another_kind_says_what_is_wrong() {
    let with = |change: fn(&mut Value)| {
        let mut json = llama_like();
        change(&mut json);
        to_bytes(&json)
    };
    for (tokenizer, expected) in [
        (b"\x00\x01".to_vec(), "expected value"),
        (b"[]".to_vec(), "expected a map"),
        (b"{}".to_vec(), "it has no \"model\""),
        (b"{\"model\": 3}".to_vec(), "expected a map"),
        (b"{\"model\": {\"type\": \"Magic\"}}".to_vec(), "of type \"Magic\""),
        (with(|t| t["model"]["vocab"] = Value::Null), "no \"vocab\""),
        (with(|t| t["model"]["merges"] = Value::Null), "no \"merges\""),
        (with(|t| t["model"]["vocab"]["a"] = json!(-1)), "\"vocab\""),
        (with(|t| t["model"]["merges"][0] = json!("a")), "two tokens"),
        (with(|t| t["model"]["merges"][0] = json!("a b")), "not in \"vocab\""),
        (with(|t| t["model"]["merges"][0] = json!(["▁"])), "length 1"),
        (with(|t| t["normalizer"] = json!({"type": "Magic"})), "normalizer"),
        (with(|t| t["added_tokens"] = json!(["<s>"])), "added_tokens"),
    ] {
        let message = refusal(&good_matrix(), &tokenizer, None);
        assert!(message.contains("tokenizer.json") && message.contains(expected), "{expected:?} is not in {message:?}");
    }
}

#[test]
fn merges_that_contradict_the_subword_prefix_are_refused() {
    let mut json = llama_like();
    json["model"]["continuing_subword_prefix"] = json!("##########");
    let message = refusal(&good_matrix(), &to_bytes(&json), None);
    assert!(message.contains("not in \"vocab\""), "{message}");
}

#[test]
fn a_config_file_of_another_kind_is_refused_for_model2vec_only() {
    let file = safetensors(&[f32_tensor("embeddings", &[4, 1], &[1.0; 4])]);
    let message = refusal(&file, &colours(), Some(b"[1]"));
    assert!(message.contains("config.json"), "{message}");
    let tokenizer = to_bytes(&llama_like());
    assert!(StaticModel::load(good_matrix(), &tokenizer, Some(b"[1]")).is_ok());
}

proptest! {
    #![proptest_config(no_files())]

    #[test]
    fn a_matrix_file_with_garbled_bytes_never_panics(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)
    ) {
        let mut file = good_matrix();
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        if let Ok(model) = StaticModel::load(file, &to_bytes(&llama_like()), None) {
            let _ = model.embed("ab a b <s> ?");
        }
    }

    #[test]
    fn a_tokenizer_file_with_garbled_bytes_never_panics(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 32_u8..127), 1..4)
    ) {
        for mut file in [to_bytes(&llama_like()), colours()] {
            for (at, byte) in &changes {
                let at = at.index(file.len());
                file[at] = *byte;
            }
            if let Ok(model) = StaticModel::load(good_matrix(), &file, None) {
                let _ = model.embed("ab a b <s> ?");
            }
        }
    }
}
