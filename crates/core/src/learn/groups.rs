//! Groups of questions that resemble each other. Questions of one group are never split: otherwise the weights would be
//! measured on a question that resembles one from which they were learned.

use std::collections::HashMap;

use super::judged::JudgedQuestion;

/// The number of the group of each question, from 0 on, and how many there are. Two questions are in one group if they
/// have the same words in the same order, with any signs between them, or if the same entry helped; so do those that
/// others join.
pub fn of(questions: &[JudgedQuestion]) -> (Vec<usize>, usize) {
    let mut leader: Vec<usize> = (0..questions.len()).collect();
    let mut first_with: HashMap<String, usize> = HashMap::new();
    for (at, question) in questions.iter().enumerate() {
        let words = std::iter::once(format!("words {}", words_of(&question.query)));
        for key in words.chain(question.helpful.iter().map(|id| format!("entry {id}"))) {
            let other = *first_with.entry(key).or_insert(at);
            let (one, other) = (found(&mut leader, at), found(&mut leader, other));
            leader[one.max(other)] = one.min(other);
        }
    }
    let mut numbers: HashMap<usize, usize> = HashMap::new();
    let groups = (0..questions.len())
        .map(|at| {
            let next = numbers.len();
            *numbers.entry(found(&mut leader, at)).or_insert(next)
        })
        .collect();
    (groups, numbers.len())
}

/// The first question of the group that a question belongs to.
fn found(leader: &mut [usize], mut at: usize) -> usize {
    while leader[at] != at {
        leader[at] = leader[leader[at]];
        at = leader[at];
    }
    at
}

fn words_of(query: &str) -> String {
    let lower = query.to_lowercase();
    lower
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}
