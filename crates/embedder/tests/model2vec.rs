//! Models of the model2vec family.

use memory_search_embedder::{ModelFormat, StaticModel};
use safetensors::Dtype;

use crate::tiny_models::*;

const ROWS: [f32; 8] = [7.0, 7.0, 3.0, 0.0, 0.0, 4.0, -1.0, 2.0];

fn load(tensors: &[Tensor], config: Option<&[u8]>) -> StaticModel<Vec<u8>> {
    StaticModel::load(safetensors(tensors), &colours(), config).unwrap()
}

#[test]
fn the_format_is_told_by_the_tensor_name() {
    let model = model2vec();
    assert_eq!(model.format(), ModelFormat::Model2vec);
    assert_eq!(model.dimensions(), 2);
    assert_eq!(model.vocabulary_size(), 4);
}

#[test]
fn an_embedding_is_the_mean_of_the_rows_scaled_to_length_one() {
    assert_direction(&model2vec(), "red GREEN", &[3.0, 4.0]);
    assert_direction(&model2vec(), "red red green", &[6.0, 4.0]);
}

#[test]
fn the_result_has_length_one_even_if_the_config_says_not_to_normalise() {
    let tensors = [f32_tensor("embeddings", &[4, 2], &ROWS)];
    let model = load(&tensors, Some(br#"{"normalize": false}"#));
    assert_direction(&model, "red green", &[3.0, 4.0]);
}

#[test]
fn unknown_words_are_dropped() {
    assert_direction(&model2vec(), "red or green", &[3.0, 4.0]);
}

#[test]
fn empty_unknown_or_directionless_text_has_no_embedding() {
    for text in ["", "  \n", "mauve", "mauve mauve", "blue", "blue mauve"] {
        assert_eq!(model2vec().embed(text).unwrap(), None, "{text:?}");
    }
}

#[test]
fn max_length_counts_tokens_before_unknown_ones_are_dropped() {
    let tensors = [f32_tensor("embeddings", &[4, 2], &ROWS)];
    let model = load(&tensors, Some(br#"{"max_length": 2}"#));
    assert_direction(&model, "red ? green", &[3.0, 0.0]);
    assert_direction(&model, "red red green", &[3.0, 0.0]);
}

#[test]
fn max_length_also_limits_characters_by_the_median_length_of_a_token() {
    // [UNK] 5, red 3, green 5, blue 4: median 4.5, so 4 characters per token
    let tensors = [f32_tensor("embeddings", &[4, 2], &ROWS)];
    let model = load(&tensors, Some(br#"{"max_length": 2}"#));
    assert_direction(&model, "     red green", &[3.0, 0.0]);
    assert_eq!(model.embed("      red green").unwrap(), None);
}

#[test]
fn without_a_max_length_the_whole_text_is_read() {
    let tensors = [f32_tensor("embeddings", &[4, 2], &ROWS)];
    let text = format!("{}green", "red ".repeat(1000));
    let all = load(&tensors, Some(br#"{"max_length": null}"#));
    assert_direction(&all, &text, &[3000.0, 4.0]);
    assert_direction(&load(&tensors, None), &text, &[3.0, 0.0]);
}

#[test]
fn weights_scale_the_rows_of_tokens() {
    for weights in
        [f32_tensor("weights", &[4], &[1.0, 2.0, 0.5, 1.0]), f16_tensor("weights", &[4], &[1.0, 2.0, 0.5, 1.0])]
    {
        let model = load(&[f32_tensor("embeddings", &[4, 2], &ROWS), weights], None);
        assert_direction(&model, "red green", &[6.0, 2.0]);
    }
}

#[test]
fn weights_in_double_precision_are_read() {
    let bytes = [1.0_f64, 2.0, 0.5, 1.0].iter().flat_map(|n| n.to_le_bytes()).collect();
    let tensors = [f32_tensor("embeddings", &[4, 2], &ROWS), ("weights", Dtype::F64, vec![4], bytes)];
    assert_direction(&load(&tensors, None), "red green", &[6.0, 2.0]);
}

#[test]
fn a_mapping_gives_each_token_its_row_and_weights_stay_with_the_token() {
    let tensors = [
        f32_tensor("embeddings", &[2, 2], &[3.0, 0.0, 0.0, 4.0]),
        i64_tensor("mapping", &[0, 1, 0, 1]),
        f32_tensor("weights", &[4], &[1.0, 1.0, 2.0, 5.0]),
    ];
    let model = load(&tensors, None);
    assert_eq!(model.vocabulary_size(), 4);
    assert_direction(&model, "red green", &[6.0, 4.0]);
    assert_direction(&model, "blue", &[0.0, 20.0]);
}

#[test]
fn a_mapping_to_a_row_that_is_not_there_is_refused() {
    for row in [2, -1, i64::MAX] {
        let file = safetensors(&[
            f32_tensor("embeddings", &[2, 2], &[3.0, 0.0, 0.0, 4.0]),
            i64_tensor("mapping", &[0, 1, row, 1]),
        ]);
        let message = refusal(&file, &colours(), None);
        assert!(message.ends_with(&format!("it is a list with the number {row}")), "{message}");
    }
}

#[test]
fn weights_of_another_length_are_refused() {
    let file = safetensors(&[f32_tensor("embeddings", &[4, 2], &ROWS), f32_tensor("weights", &[3], &[1.0, 1.0, 1.0])]);
    let message = refusal(&file, &colours(), None);
    assert!(message.contains("a list of 4 numbers"), "{message}");
}

#[test]
fn a_tokenizer_of_another_model_is_refused() {
    let file = safetensors(&[f32_tensor("embeddings", &[3, 2], &ROWS[..6])]);
    let message = refusal(&file, &colours(), None);
    assert!(message.contains("has 4 tokens and the embedding matrix file 3"), "{message}");
}

#[test]
fn a_tokenizer_without_its_unknown_token_reports_the_text_it_cannot_read() {
    let file = safetensors(&[f32_tensor("embeddings", &[2, 2], &[3.0, 0.0, 0.0, 4.0])]);
    let model = StaticModel::load(file, &word_level(&["red", "green"]), None).unwrap();
    assert_direction(&model, "red", &[1.0, 0.0]);
    let message = model.embed("mauve").unwrap_err().to_string();
    assert!(message.contains("tokenizer.json is probably incomplete"));
    assert!(!message.contains("mauve"));
}
