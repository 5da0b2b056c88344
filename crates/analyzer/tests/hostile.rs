//! Texts that are hard to split take no longer than others.

use std::time::{Duration, Instant};

use memory_search_analyzer::tokens;

const LENGTH: usize = 1_000_000;
/// Without optimization and beside other work; a second of a text that takes a time square in its length is an hour.
const BOUND: Duration = Duration::from_secs(4);

#[test]
fn a_megabyte_of_signs_takes_no_longer_than_another() {
    let pieces = [
        "a_",
        "./",
        "~/",
        "A_",
        "a_b-c.",
        "<!--",
        "a.",
        "a.a.a.",
        "a@",
        "a@a@a@",
        "&",
        "a&",
        "\u{301}",
        "a",
        "aB",
        "abC",
        "a-",
        "a-1.2-",
        "a+",
        "a+b@",
        "https://",
        "http://a",
        "a://b/",
        "C:\\",
        "1.",
        "1-",
        "1.1.",
        "e\u{301}",
        "\u{200d}",
        "旅",
        "ก\u{0e31}",
        "\u{17d2}",
        "👍",
        "👍\u{200d}",
        "🇩",
        "C#",
        "C++",
        "a++b",
        "&#1",
        "/",
        "//a",
        "'",
        "ab/cd.ef-gh_ij ",
        "é",
        "é.",
        "한",
        "..",
        "._",
        "a._",
        "__",
        "a__",
    ];
    for piece in pieces {
        for text in [piece.repeat(LENGTH / piece.len()), format!("a{}", piece.repeat(LENGTH / piece.len()))] {
            let begin = Instant::now();
            let mut length = 0;
            tokens(&text, |token| {
                length += token.text.len();
                true
            });
            let time = begin.elapsed();
            assert!(time < BOUND, "{piece:?} takes {time:?}");
            assert!(length <= 8 * text.len() + 64, "{piece:?} has words of {length} bytes");
        }
    }
}
