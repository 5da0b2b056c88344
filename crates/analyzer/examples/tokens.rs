//! Prints the tokens of its arguments or, without arguments, of each line of its input.

use memory_search_analyzer::tokens;

fn main() {
    let texts: Vec<String> = std::env::args().skip(1).collect();
    for text in &texts {
        println!("{text} =>{}", shown(text));
    }
    if texts.is_empty() {
        for line in std::io::stdin().lines() {
            println!("{}", shown(&line.expect("lines of text")));
        }
    }
}

fn shown(text: &str) -> String {
    let mut line = String::new();
    tokens(text, |token| {
        line.push_str(&format!(" {:?}:{}", token.kind, token.text));
        true
    });
    line
}
