//! Comparison with vectors that Python's wordllama 0.4.0 and sentence-transformers' all-MiniLM-L6-v2 made.

use std::env;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use half::f16;
use memory_search_embedder::{EmbeddingModel, ModelFiles, StaticModel};
use serde_json::Value;

const SETS: [&str; 4] = ["locomo", "scifact", "longmemeval_mini", "msmarco_dl19_pool"];
const TEXTS_PER_SET: usize = 250;
const LEAST_COSINE: f64 = 0.999;
/// Half of the texts are multiplied by integers, where the processor has the instructions.
const LEAST_COSINE_OF_ENCODER: f64 = 0.99999;
/// An encoder takes a thousand times as long for a text.
const TEXTS_PER_SET_OF_ENCODER: usize = 10;

#[test]
#[ignore = "needs MEMORY_SEARCH_MODEL_DIR (wordllama's two files) and MEMORY_SEARCH_EVAL_DIR"]
fn a_thousand_texts_embed_as_in_pythons_wordllama() {
    let model_directory = directory("MEMORY_SEARCH_MODEL_DIR");
    let matrix = fs::read(model_directory.join("l2_supercat_256.safetensors")).unwrap();
    let tokenizer = fs::read(model_directory.join("l2_supercat_tokenizer_config.json")).unwrap();
    let model = StaticModel::load(matrix, &tokenizer, None).unwrap();
    compare("wordllama256", TEXTS_PER_SET, LEAST_COSINE, model.dimensions(), |text| model.embed(text).unwrap());
}

#[test]
#[ignore = "needs MEMORY_SEARCH_MINILM_DIR (all-MiniLM-L6-v2) and MEMORY_SEARCH_EVAL_DIR"]
fn texts_embed_as_in_pythons_minilm() {
    let folder = directory("MEMORY_SEARCH_MINILM_DIR");
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    let (tokenizer, config) = (read("tokenizer.json"), read("config.json"));
    let (sentence_config, pooling_config) = (read("sentence_bert_config.json"), read("1_Pooling/config.json"));
    let files = ModelFiles {
        tokenizer: &tokenizer,
        config: Some(&config),
        sentence_config: Some(&sentence_config),
        pooling_config: Some(&pooling_config),
        ..ModelFiles::default()
    };
    let model = EmbeddingModel::load(read("model.safetensors"), &files).unwrap();
    let embed = |text: &str| model.embed(text, &mut || ()).unwrap();
    compare("minilm", TEXTS_PER_SET_OF_ENCODER, LEAST_COSINE_OF_ENCODER, model.dimensions(), embed);
}

/// Embeds texts from all parts of each set, and compares with the vectors beside them.
fn compare(
    name: &str,
    texts_per_set: usize,
    least_cosine: f64,
    dimensions: usize,
    embed: impl Fn(&str) -> Option<Vec<f32>>,
) {
    let eval = directory("MEMORY_SEARCH_EVAL_DIR");
    let mut compared = 0;
    let mut least = f64::INFINITY;
    for set in SETS {
        let vectors = Npy::read(&eval.join(set).join(format!("entries.{name}.npy")));
        assert_eq!(vectors.columns, dimensions);
        let texts = contents(&eval.join(set).join("entries.jsonl"));
        assert_eq!(texts.len(), vectors.rows);
        assert!(texts.len() >= texts_per_set);
        for row in (0..texts_per_set).map(|n| n * texts.len() / texts_per_set) {
            let ours = embed(&texts[row]).expect("a vector");
            let cosine = cosine(&ours, &vectors.row(row));
            assert!(cosine > least_cosine, "{set}, entry {row}: {cosine}");
            least = least.min(cosine);
            compared += 1;
        }
    }
    println!("{compared} texts compared, smallest cosine {least:.7}");
}

fn directory(variable: &str) -> PathBuf {
    match env::var_os(variable) {
        Some(path) => PathBuf::from(path),
        None => panic!("set {variable} to a directory; without it nothing is compared"),
    }
}

fn contents(path: &Path) -> Vec<String> {
    BufReader::new(File::open(path).unwrap())
        .lines()
        .map(|line| {
            let entry: Value = serde_json::from_str(&line.unwrap()).unwrap();
            entry["content"].as_str().unwrap().to_owned()
        })
        .collect()
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        let products = a.iter().zip(b).map(|(&x, &y)| f64::from(x) * f64::from(y));
        products.sum()
    };
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// A two-dimensional table of halves in NumPy's format, version 1
/// (<https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>).
struct Npy {
    rows: usize,
    columns: usize,
    halves: Vec<f16>,
}

impl Npy {
    fn read(path: &Path) -> Self {
        let file = fs::read(path).unwrap();
        assert_eq!(&file[..8], b"\x93NUMPY\x01\x00");
        let data = 10 + usize::from(u16::from_le_bytes([file[8], file[9]]));
        let header = std::str::from_utf8(&file[10..data]).unwrap();
        assert!(header.contains("'<f2'") && header.contains("'fortran_order': False"));
        let (_, shape) = header.split_once('(').unwrap();
        let (shape, _) = shape.split_once(')').unwrap();
        let shape: Vec<usize> = shape.split(',').map(|n| n.trim().parse().unwrap()).collect();
        let halves: Vec<f16> = file[data..].chunks_exact(2).map(|b| f16::from_le_bytes([b[0], b[1]])).collect();
        assert_eq!(halves.len(), shape[0] * shape[1]);
        Self { rows: shape[0], columns: shape[1], halves }
    }

    fn row(&self, row: usize) -> Vec<f32> {
        let start = row * self.columns;
        let halves = &self.halves[start..start + self.columns];
        halves.iter().map(|h| h.to_f32()).collect()
    }
}
