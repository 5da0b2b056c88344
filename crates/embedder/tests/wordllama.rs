//! Models of the wordllama family.

use memory_search_embedder::{MAX_TEXT_BYTES, ModelFormat, StaticModel};

use crate::tiny_models::*;

#[test]
fn the_format_is_told_by_the_tensor_name() {
    let model = wordllama();
    assert_eq!(model.format(), ModelFormat::Wordllama);
    assert_eq!(model.dimensions(), 2);
    assert_eq!(model.vocabulary_size(), 7);
}

#[test]
fn an_embedding_is_the_mean_of_the_rows_scaled_to_length_one() {
    assert_direction(&wordllama(), "ab", &[-3.0, 4.0]);
    // ▁ab and ▁a: (-3, 4) + (2, 1)
    assert_direction(&wordllama(), "ab a", &[-0.5, 2.5]);
    // ▁, b, ▁, ▁a: two spaces are two tokens
    assert_direction(&wordllama(), "b  a", &[2.0, 3.0]);
}

#[test]
fn single_precision_and_int8_matrices_give_the_same_direction() {
    let bytes = LLAMA_ROWS.map(|n| (n * 2.0) as i8 as u8).to_vec();
    for tensor in [
        f32_tensor("embedding.weight", &[7, 2], &LLAMA_ROWS),
        ("embedding.weight", safetensors::Dtype::I8, vec![7, 2], bytes),
    ] {
        let file = safetensors(&[tensor]);
        let model = StaticModel::load(file, &to_bytes(&llama_like()), None).unwrap();
        assert_direction(&model, "ab a", &[-0.5, 2.5]);
    }
}

#[test]
fn an_empty_text_has_no_embedding() {
    assert_eq!(wordllama().embed("").unwrap(), None);
}

#[test]
fn an_unknown_character_counts_with_the_row_of_the_unknown_token() {
    // wordllama does not drop it, unlike model2vec: ▁, <unk>
    assert_direction(&wordllama(), "?", &[0.0, -0.5]);
}

#[test]
fn no_special_token_is_added_but_one_in_the_text_is_recognised() {
    assert_direction(&wordllama(), "ab<s>", &[6.0, 13.0]);
}

#[test]
fn rows_that_cancel_out_give_no_embedding() {
    let mut rows = LLAMA_ROWS;
    rows[8..12].copy_from_slice(&[-2.0, -1.0, 2.0, 1.0]); // b = -(▁a)
    rows[4..6].copy_from_slice(&[0.0, 0.0]); // ▁
    let file = safetensors(&[f16_tensor("embedding.weight", &[7, 2], &rows)]);
    let model = StaticModel::load(file, &to_bytes(&llama_like()), None).unwrap();
    assert_eq!(model.embed("a b").unwrap(), None);
}

#[test]
fn ids_beyond_the_matrix_use_its_last_row() {
    let file = safetensors(&[f16_tensor("embedding.weight", &[3, 2], &LLAMA_ROWS[..6])]);
    let model = StaticModel::load(file, &to_bytes(&llama_like()), None).unwrap();
    assert_direction(&model, "ab", &[0.0, 0.5]);
}

#[test]
fn merges_written_as_pairs_are_read_like_merges_written_as_text() {
    let mut json = llama_like();
    json["model"]["merges"] = serde_json::json!([["▁", "a"], ["▁a", "b"]]);
    let file = safetensors(&[f16_tensor("embedding.weight", &[7, 2], &LLAMA_ROWS)]);
    let model = StaticModel::load(file, &to_bytes(&json), None).unwrap();
    assert_direction(&model, "ab", &[-3.0, 4.0]);
}

#[test]
fn padding_and_truncation_settings_of_the_tokenizer_are_ignored() {
    let mut json = llama_like();
    json["truncation"] = serde_json::json!({
        "max_length": 1, "strategy": "LongestFirst", "stride": 0, "direction": "Right"
    });
    json["padding"] = serde_json::json!({
        "strategy": {"Fixed": 9}, "direction": "Right", "pad_to_multiple_of": null,
        "pad_id": 1, "pad_type_id": 0, "pad_token": "<s>"
    });
    let file = safetensors(&[f16_tensor("embedding.weight", &[7, 2], &LLAMA_ROWS)]);
    let model = StaticModel::load(file, &to_bytes(&json), None).unwrap();
    assert_direction(&model, "ab a", &[-0.5, 2.5]);
}

#[test]
fn text_after_the_limit_is_not_read() {
    let model = wordllama();
    let start = " ab".repeat(MAX_TEXT_BYTES / 3);
    let all = format!("{start}ab{}", "<s>".repeat(5000));
    let read = &all[..MAX_TEXT_BYTES];
    assert_eq!(model.embed(&all).unwrap(), model.embed(read).unwrap());
}

#[test]
fn a_character_across_the_limit_is_not_read() {
    let model = wordllama();
    let start = "a".repeat(MAX_TEXT_BYTES - 1);
    let all = format!("{start}\u{1F9FF}");
    assert_eq!(model.embed(&all).unwrap(), model.embed(&start).unwrap());
}

#[test]
fn not_a_number_in_the_matrix_is_reported_when_it_is_met() {
    let mut rows = LLAMA_ROWS;
    rows[13] = f32::NAN;
    let file = safetensors(&[f16_tensor("embedding.weight", &[7, 2], &rows)]);
    let model = StaticModel::load(file, &to_bytes(&llama_like()), None).unwrap();
    assert_direction(&model, "a", &[2.0, 1.0]);
    let message = model.embed("ab").unwrap_err().to_string();
    assert!(message.contains("not finite"), "{message}");
}
