//! Prints the cosine of the embeddings of two texts: 1 for the same meaning, about 0 for nothing in common.
//!
//! ```sh
//! cargo run -p memory-search-embedder --example cosine -- FOLDER TEXT TEXT
//! ```
//!
//! The folder holds a model as it is published (the crate brings none): `model.safetensors` and `tokenizer.json`; for
//! model2vec and encoders also `config.json`; for encoders, if they have them, `sentence_bert_config.json`,
//! `1_Pooling/config.json`, `config_sentence_transformers.json` and `prompts.json`. Both texts are embedded as
//! passages.

use std::error::Error;
use std::fs;
use std::path::Path;

use memory_search_embedder::{EmbeddingModel, ModelFiles};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, one, other] = &arguments[..] else { return Err("usage: cosine FOLDER TEXT TEXT".into()) };
    let folder = Path::new(folder);
    let read = |name: &str| fs::read(folder.join(name)).map_err(|error| format!("{name} of {folder:?}: {error}"));
    let (weights, tokenizer) = (read("model.safetensors")?, read("tokenizer.json")?);
    // A missing file is allowed; an error of reading one must not silently give another model.
    let beside = |name: &str| match folder.join(name).exists() {
        true => read(name).map(Some),
        false => Ok(None),
    };
    let (config, sentence) = (beside("config.json")?, beside("sentence_bert_config.json")?);
    let pooling = beside("1_Pooling/config.json")?;
    let (sentence_transformers, prompts) = (beside("config_sentence_transformers.json")?, beside("prompts.json")?);
    let files = ModelFiles {
        name: folder.file_name().and_then(|name| name.to_str()).unwrap_or_default(),
        tokenizer: &tokenizer,
        config: config.as_deref(),
        sentence_config: sentence.as_deref(),
        pooling_config: pooling.as_deref(),
        sentence_transformers_config: sentence_transformers.as_deref(),
        prompts: prompts.as_deref(),
        ..ModelFiles::default()
    };
    let model = EmbeddingModel::load(weights, &files)?;
    let embed = |text: &str| -> Result<Vec<f32>, Box<dyn Error>> {
        model.embed(text, &mut || ())?.ok_or_else(|| format!("{text:?} has no meaning to the model").into())
    };
    let (one, other) = (embed(one)?, embed(other)?);
    // Vectors have length 1: their product is the cosine.
    let cosine: f32 = one.iter().zip(&other).map(|(x, y)| x * y).sum();
    println!("{cosine:.3} of {} dimensions", model.dimensions());
    Ok(())
}
