//! Prints the tokens of its arguments.

use memory_search_analyzer::tokens;

fn main() {
    for text in std::env::args().skip(1) {
        let mut line = String::new();
        tokens(&text, |token| {
            line.push_str(&format!(" {:?}:{}", token.kind, token.text));
            true
        });
        println!("{text} =>{line}");
    }
}
