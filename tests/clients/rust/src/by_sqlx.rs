//! sqlx: it tells the server the types of its arguments.

use sqlx::postgres::{PgArguments, PgConnectOptions, PgConnection};
use sqlx::query::QueryScalar;
use sqlx::{Connection, Postgres};

use crate::value::Value;
use crate::{Case, Outcome};

/// All cases, each in a transaction that is rolled back.
pub async fn ask_all(url: &str, cases: &[Case], prepared: bool) -> Result<Vec<Outcome>, Box<dyn std::error::Error>> {
    let options: PgConnectOptions = url.parse()?;
    let mut connection = PgConnection::connect_with(&options).await?;
    let mut outcomes = Vec::new();
    for case in cases {
        outcomes.push(match ask(&mut connection, case, prepared).await {
            Ok(answer) => Outcome::Answer(answer),
            Err(error) => Outcome::Error(shown(&error)),
        });
    }
    Ok(outcomes)
}

async fn ask(connection: &mut PgConnection, case: &Case, prepared: bool) -> Result<Option<String>, sqlx::Error> {
    let mut transaction = connection.begin().await?;
    let sql = case.sql();
    let asked = sqlx::query_scalar::<_, Option<String>>(&sql).persistent(prepared);
    let answer = case.values().into_iter().fold(asked, bind).fetch_one(&mut *transaction).await?;
    transaction.rollback().await?;
    Ok(answer)
}

type Asked<'q> = QueryScalar<'q, Postgres, Option<String>, PgArguments>;

fn bind(asked: Asked<'_>, value: Value) -> Asked<'_> {
    match value {
        Value::Text(value) => asked.bind(value),
        Value::Int(value) => asked.bind(value),
        Value::Bigint(value) => asked.bind(value),
        Value::Bool(value) => asked.bind(value),
        Value::Null => asked.bind(None::<String>),
        Value::Json(value) => asked.bind(value),
        Value::Reals(value) => asked.bind(value),
        Value::Ints(value) => asked.bind(value),
        Value::Decimals(value) => asked.bind(value),
        Value::Texts(value) => asked.bind(value),
        Value::Uuid(value) => asked.bind(value),
        Value::Uuids(value) => asked.bind(value),
        Value::Time(value) => asked.bind(value),
        Value::Naive(value) => asked.bind(value),
        Value::Date(value) => asked.bind(value),
    }
}

fn shown(error: &sqlx::Error) -> String {
    match error.as_database_error().and_then(|said| said.try_downcast_ref::<sqlx::postgres::PgDatabaseError>()) {
        Some(said) => format!("{} | {} | {}", said.code(), said.message(), said.hint().unwrap_or("")),
        None => error.to_string(),
    }
}
