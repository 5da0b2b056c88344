//! tokio-postgres: it prepares every statement, asks for the types of its arguments, and sends them in binary.

use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, Config, NoTls};

use crate::value::Value;
use crate::{Case, Outcome};

/// All cases, each in a transaction that is rolled back.
pub async fn ask_all(url: &str, cases: &[Case]) -> Result<Vec<Outcome>, Box<dyn std::error::Error>> {
    let (mut client, connection) = url.parse::<Config>()?.connect(NoTls).await?;
    tokio::spawn(connection);
    let mut outcomes = Vec::new();
    for case in cases {
        outcomes.push(match ask(&mut client, case).await {
            Ok(answer) => Outcome::Answer(answer),
            Err(error) => Outcome::Error(shown(&error)),
        });
    }
    Ok(outcomes)
}

async fn ask(client: &mut Client, case: &Case) -> Result<Option<String>, tokio_postgres::Error> {
    let transaction = client.transaction().await?;
    let values = case.values();
    let arguments: Vec<&(dyn ToSql + Sync)> = values.iter().map(Value::to_sql).collect();
    let row = transaction.query_one(&case.sql(), &arguments).await?;
    let answer = row.try_get(0)?;
    transaction.rollback().await?;
    Ok(answer)
}

fn shown(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(said) => format!("{} | {} | {}", said.code().code(), said.message(), said.hint().unwrap_or("")),
        None => match std::error::Error::source(error) {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        },
    }
}

/// `None` of the argument's type.
#[derive(Debug)]
struct Null;

impl ToSql for Null {
    fn to_sql(&self, _: &Type, _: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        Ok(IsNull::Yes)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl Value {
    fn to_sql(&self) -> &(dyn ToSql + Sync) {
        match self {
            Value::Text(value) => value,
            Value::Int(value) => value,
            Value::Bigint(value) => value,
            Value::Bool(value) => value,
            Value::Null => &Null,
            Value::Json(value) => value,
            Value::Reals(value) => value,
            Value::Ints(value) => value,
            Value::Decimals(value) => value,
            Value::Texts(value) => value,
            Value::Uuid(value) => value,
            Value::Uuids(value) => value,
            Value::Time(value) => value,
            Value::Naive(value) => value,
            Value::Date(value) => value,
        }
    }
}
