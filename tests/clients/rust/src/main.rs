//! The cases by tokio-postgres or sqlx: `memory-search-clients tokio|sqlx URL [unprepared]`, cases as JSON on standard
//! input, for each of them its answer or the error on standard output.

mod by_sqlx;
mod by_tokio_postgres;
mod value;

use std::io::Read;

use serde::{Deserialize, Serialize};

use value::Value;

/// A question with one text for an answer.
#[derive(Deserialize)]
pub struct Case {
    sql: String,
    arguments: Vec<(String, serde_json::Value)>,
}

/// The outcome of a case.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Answer(Option<String>),
    Error(String),
}

impl Case {
    /// With the kinds in a comment: sqlx takes a statement with the same words for one with the same types.
    fn sql(&self) -> String {
        let kinds: Vec<&str> = self.arguments.iter().map(|(kind, _)| kind.as_str()).collect();
        let asked = format!("/* {} */ {}", kinds.join(" "), self.sql);
        (0..kinds.len()).fold(asked, |sql, place| sql.replace(&format!("{{{place}}}"), &format!("${}", place + 1)))
    }

    fn values(&self) -> Vec<Value> {
        self.arguments.iter().map(|(kind, given)| Value::of(kind, given)).collect()
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [driver, url, ..] = words.as_slice() else { return Err("tokio or sqlx, and a URL".into()) };
    let mut cases = String::new();
    std::io::stdin().read_to_string(&mut cases)?;
    let cases: Vec<Case> = serde_json::from_str(&cases)?;
    let outcomes = match driver.as_str() {
        "tokio" => by_tokio_postgres::ask_all(url, &cases).await?,
        _ => by_sqlx::ask_all(url, &cases, words.len() == 2).await?,
    };
    println!("{}", serde_json::to_string(&outcomes)?);
    Ok(())
}
