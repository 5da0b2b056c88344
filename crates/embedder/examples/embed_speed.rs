//! Prints the costs of a model: time to load, private memory, time per text.
//!
//! `cargo run --release -p memory-search-embedder --example embed_speed -- MODEL_DIRECTORY [TOKENS...]`
//!
//! The directory holds one `*.safetensors` file, the tokenizer's `*.json` (its
//! name contains "tokenizer"), and for model2vec and encoders `config.json`. The
//! weights are read to the heap here, where a server would map them; their size
//! is shown apart. An encoder is also timed with texts of so many tokens. It needs
//! Linux, which says how much memory the process has.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use memory_search_embedder::{EmbeddingModel, MAX_TEXT_BYTES, ModelFiles};

const TWENTY_WORDS: &str = "Ada said on Monday that the quick brown fox had jumped over \
    her lazy dog again while nobody was watching";

const ROUNDS: usize = 100;

fn main() -> Result<(), Box<dyn Error>> {
    let directory = PathBuf::from(std::env::args().nth(1).ok_or("give a model directory")?);
    let matrix = fs::read(find(&directory, |n| n.ends_with(".safetensors"))?)?;
    let matrix_kib = matrix.len() / 1024;
    let tokenizer_path = find(&directory, |n| n.contains("tokenizer") && n.ends_with(".json"))?;
    let config = fs::read(directory.join("config.json")).ok();
    let prompts = fs::read(directory.join("prompts.json")).ok();
    let before = private_kib()?;

    let start = Instant::now();
    let tokenizer = fs::read(tokenizer_path)?;
    let (config, prompts) = (config.as_deref(), prompts.as_deref());
    let files = ModelFiles { tokenizer: &tokenizer, config, prompts, ..ModelFiles::default() };
    let model = EmbeddingModel::load(matrix, &files)?;
    drop(tokenizer);
    let (kind, each_of) = match &model {
        EmbeddingModel::Static(model) => (format!("{:?}, {} tokens", model.format(), model.vocabulary_size()), 20_000),
        EmbeddingModel::Encoder(_) => ("encoder".to_owned(), 200),
    };
    println!("{kind}, {} dimensions, weights {matrix_kib} KiB", model.dimensions());
    println!("load            {:8.1} ms", millis(start.elapsed()));
    report("after load", before)?;

    let texts: Vec<String> = (0..each_of).map(|n| format!("{TWENTY_WORDS} {n}")).collect();
    let before_texts = private_kib()?;
    let start = Instant::now();
    for text in &texts {
        model.embed(text, &mut || ())?;
    }
    let each = millis(start.elapsed()) / texts.len() as f64;
    println!("20-word text    {:8.1} µs", each * 1000.0);
    report(&format!("growth over {each_of} different texts"), before_texts)?;

    if let EmbeddingModel::Encoder(_) = model {
        // One token each, and two around a text.
        let wanted: Vec<usize> = std::env::args().skip(2).map(|tokens| tokens.parse()).collect::<Result<_, _>>()?;
        for tokens in if wanted.is_empty() { vec![8, 16, 32, 64, 128, 256] } else { wanted } {
            let text = vec!["the"; tokens.saturating_sub(2)].join(" ");
            let mut least = f64::INFINITY;
            for _ in 0..ROUNDS {
                let start = Instant::now();
                model.embed(&text, &mut || ())?;
                least = least.min(millis(start.elapsed()));
            }
            println!("{tokens:3} tokens      {least:8.2} ms, the least of {ROUNDS}");
        }
    }

    for (name, unit) in [
        ("words", TWENTY_WORDS),
        ("one letter, no spaces", "a"),
        ("letters, no spaces", "thequickbrownfoxjumps"),
        ("spaces only", " "),
        ("CJK, no spaces", "日本語のテキスト"),
        ("characters falling back to bytes", "\u{1F9FF}"),
        ("special tokens", "<s>"),
        ("mask tokens", " [MASK]"),
    ] {
        let text = unit.repeat(MAX_TEXT_BYTES / unit.len());
        let start = Instant::now();
        model.embed(&text, &mut || ())?;
        println!("32 KiB of {name}: {:.1} ms", millis(start.elapsed()));
    }
    report("growth since load, in all", before)?;
    println!("threads         {:6}", fs::read_dir("/proc/self/task")?.count());
    Ok(())
}

fn find(directory: &Path, wanted: impl Fn(&str) -> bool) -> Result<PathBuf, Box<dyn Error>> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.file_name().and_then(|n| n.to_str()).is_some_and(&wanted) {
            return Ok(path);
        }
    }
    Err(format!("{}: a model file is missing", directory.display()).into())
}

/// Pages that belong to this process alone and are not backed by a file.
fn private_kib() -> Result<i64, Box<dyn Error>> {
    let rollup = fs::read_to_string("/proc/self/smaps_rollup")?;
    let line = rollup.lines().find(|l| l.starts_with("Anonymous:"));
    let number = line.and_then(|l| l.split_whitespace().nth(1));
    Ok(number.ok_or("smaps_rollup has no Anonymous line")?.parse()?)
}

fn report(what: &str, before: i64) -> Result<(), Box<dyn Error>> {
    println!("private memory, {what}: {:+} KiB", private_kib()? - before);
    Ok(())
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
