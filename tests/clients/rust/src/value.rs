//! The value of each kind in Rust.

use chrono::{DateTime, NaiveDate, NaiveDateTime, Utc};
use rust_decimal::Decimal;
use serde_json::Value as Json;
use uuid::Uuid;

/// One argument, of the type that a program would have it in.
pub enum Value {
    Text(String),
    Int(i32),
    Bigint(i64),
    Bool(bool),
    Null,
    Json(Json),
    Reals(Vec<f32>),
    Ints(Vec<i32>),
    Decimals(Vec<Decimal>),
    Texts(Vec<String>),
    Uuid(Uuid),
    Uuids(Vec<Uuid>),
    Time(DateTime<Utc>),
    Naive(NaiveDateTime),
    Date(NaiveDate),
}

impl Value {
    /// Panics on what cases.py does not have.
    pub fn of(kind: &str, given: &Json) -> Value {
        let text = || given.as_str().expect("a text").to_string();
        let number = || given.as_i64().expect("a number");
        match kind {
            "text" => Value::Text(text()),
            "int" => Value::Int(number() as i32),
            "bigint" => Value::Bigint(number()),
            "bool" => Value::Bool(given.as_bool().expect("a truth")),
            "null" => Value::Null,
            "json" | "jsonb" => Value::Json(given.clone()),
            "floats" => Value::Reals(serde_json::from_value(given.clone()).expect("numbers")),
            "ints" => Value::Ints(serde_json::from_value(given.clone()).expect("numbers")),
            "decimals" => Value::Decimals(texts(given).iter().map(|text| text.parse().expect("a decimal")).collect()),
            "texts" => Value::Texts(texts(given)),
            "uuid" => Value::Uuid(text().parse().expect("a uuid")),
            "uuids" => Value::Uuids(texts(given).iter().map(|text| text.parse().expect("a uuid")).collect()),
            "time" => Value::Time(text().parse::<NaiveDateTime>().expect("a time").and_utc()),
            "naive" => Value::Naive(text().parse().expect("a time")),
            "date" => Value::Date(text().parse().expect("a date")),
            _ => panic!("no such kind: {kind}"),
        }
    }
}

fn texts(given: &Json) -> Vec<String> {
    serde_json::from_value(given.clone()).expect("texts")
}
