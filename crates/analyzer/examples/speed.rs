//! Measures how long the analyzer takes for each line of a file. Without a file, it splits hard texts of a megabyte
//! each.
//!
//!     cargo run --release -p memory-search-analyzer --example speed -- FILE

use std::hint::black_box;
use std::time::{Duration, Instant};

use memory_search_analyzer::tokens;

/// The number of times that each text is split; the fastest counts.
const ROUNDS: usize = 15;
const HARD: [&str; 22] = [
    "a_",
    "./",
    "~/",
    "A_",
    "a_b-c.",
    "<!--",
    "a.",
    "a@",
    "&",
    "\u{301}",
    "a",
    "a-",
    "aB",
    "a+",
    "a&",
    "https://",
    "x/y-z.1.2-",
    "1.",
    "e\u{301}",
    "旅",
    "👍\u{200d}",
    "C:\\",
];

fn main() {
    match std::env::args().nth(1) {
        Some(file) => of_file(&std::fs::read_to_string(file).expect("a file of texts")),
        None => {
            for piece in HARD {
                let text = piece.repeat(1_000_000 / piece.len());
                println!("{:>8.1} ms  {piece}", fastest(&text).as_secs_f64() * 1e3);
            }
        }
    }
}

fn of_file(texts: &str) {
    let mut times: Vec<(Duration, usize)> = texts.lines().map(|text| (fastest(text), text.len())).collect();
    let bytes: usize = times.iter().map(|(_, bytes)| bytes).sum();
    let total: Duration = times.iter().map(|(time, _)| *time).sum();
    times.sort();
    let of = |part: usize| times.get((times.len() * part / 100).min(times.len() - 1)).copied().unwrap_or_default();
    for part in [50, 90, 99, 100] {
        let (time, bytes) = of(part);
        println!("{part:>3} %: {:>8.2} us ({bytes} bytes)", time.as_secs_f64() * 1e6);
    }
    println!("{} texts, {bytes} bytes, {:.0} MB/s", times.len(), bytes as f64 / total.as_secs_f64() / 1e6);
}

fn fastest(text: &str) -> Duration {
    let one = || {
        let begin = Instant::now();
        let mut sum = 0;
        tokens(text, |token| {
            sum += token.text.len() + token.kind as usize;
            true
        });
        black_box(sum);
        begin.elapsed()
    };
    (0..ROUNDS).map(|_| one()).min().unwrap_or_default()
}
