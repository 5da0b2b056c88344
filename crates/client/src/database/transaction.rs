//! A call is one transaction, in which all fixed arguments are set: role, user, bounds. Row-level security does the
//! rest, so that no argument of a model can reach other rows.

use std::time::Duration;

use tokio_postgres::Client;

use crate::database::connections::{Connections, WAIT};
use crate::database::error::DatabaseError;
use crate::database::running::Running;
use crate::database::scope::{Bounds, Caller};
use crate::database::statement::{Statement, quoted};

/// The setting for which non-table relations a statement may read. Minor versions before August 2024 do not have it.
pub const RESTRICT_KINDS: &str = "restrict_nonsystem_relation_kind";

/// Sets the fixed arguments until the transaction ends.
const FIX: &str = "SELECT pg_catalog.set_config(name, value, true) \
    FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2)) AS fixed (name, value) \
    WHERE name OPERATOR(pg_catalog.<>) $3 OR pg_catalog.current_setting(name, true) IS NOT NULL";

/// Waits until no other transaction holds this lock, and holds it until the transaction ends.
const AWAIT_TURN: &str = "SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended($1, 0))";

/// The schema of the extension, and whether the transaction runs with the role of the login.
const EXTENSION: &str = "SELECT n.nspname::pg_catalog.text, current_user OPERATOR(pg_catalog.=) session_user \
    FROM pg_catalog.pg_extension x \
    JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) x.extnamespace \
    WHERE x.extname OPERATOR(pg_catalog.=) 'memory_search'";

/// The store's relations with rows to which no policy applies for the current role; for a view, the relations below it.
const UNBOUND: &str = "SELECT pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.relname) \
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace \
    WHERE n.nspname OPERATOR(pg_catalog.=) coalesce($1, \
        nullif(pg_catalog.current_setting('memory_search.store', true), ''), 'memory')::pg_catalog.name \
      AND c.relname OPERATOR(pg_catalog.=) ANY ('{entries,contexts}'::pg_catalog.name[]) \
      AND NOT pg_catalog.row_security_active(c.oid) \
      AND NOT (c.relkind OPERATOR(pg_catalog.=) 'v' AND coalesce((SELECT pg_catalog.bool_and( \
            pg_catalog.row_security_active(t.oid)) \
          FROM pg_catalog.pg_rewrite r JOIN pg_catalog.pg_depend d ON d.objid OPERATOR(pg_catalog.=) r.oid \
            AND d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass \
            AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass \
          JOIN pg_catalog.pg_class t ON t.oid OPERATOR(pg_catalog.=) d.refobjid \
            AND t.oid OPERATOR(pg_catalog.<>) c.oid \
          WHERE r.ev_class OPERATOR(pg_catalog.=) c.oid), false)) \
    LIMIT 1";

/// The progress of a transaction, which decides whether it can be repeated.
enum Failure {
    /// Nothing can have been done.
    Before(DatabaseError),
    /// The commit was sent.
    During(DatabaseError),
    /// The server did not answer within the time of a statement, and the commit was not sent.
    Silent(Duration),
}

/// The time in which the server answers.
#[derive(Clone, Copy)]
struct Patience(Duration);

impl Patience {
    /// The server ends statements that take too long; but it cannot if the connection to it is lost.
    fn of(bounds: &Bounds) -> Self {
        Patience(Duration::from_millis(bounds.timeout_millis) + WAIT)
    }

    async fn with<T, Why: Into<Failure>>(self, answer: impl Future<Output = Result<T, Why>>) -> Result<T, Failure> {
        match tokio::time::timeout(self.0, answer).await {
            Ok(outcome) => outcome.map_err(Into::into),
            Err(_) => Err(Failure::Silent(self.0)),
        }
    }
}

fn silent(waited: Duration) -> DatabaseError {
    DatabaseError::Unreachable(format!("it did not answer for {} seconds", waited.as_secs()))
}

impl From<DatabaseError> for Failure {
    fn from(error: DatabaseError) -> Self {
        Failure::Before(error)
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        Failure::Before(error.into())
    }
}

/// Runs `statement` in its own transaction and returns its text; if that is null, the transaction is rolled back.
///
/// A dead connection is replaced once. That is safe as long as no commit was sent.
pub async fn run(
    connections: &Connections,
    caller: &Caller,
    bounds: &Bounds,
    statement: &Statement,
) -> Result<Option<String>, DatabaseError> {
    run_in_turn(connections, caller, bounds, statement, None).await
}

/// Like [`run`], but the transactions with the same `turn` run one after another: each begins when the previous one has
/// ended, and sees its changes.
pub async fn run_in_turn(
    connections: &Connections,
    caller: &Caller,
    bounds: &Bounds,
    statement: &Statement,
    turn: Option<&str>,
) -> Result<Option<String>, DatabaseError> {
    let mut tried_again = false;
    loop {
        let running = connections.get().await?;
        let Some(connection) = running.connection() else { return Err(DatabaseError::Cancelled) };
        let outcome = attempt(connection, caller, bounds, statement, turn).await;
        match outcome {
            Ok(text) => {
                running.finished();
                return Ok(text);
            }
            Err(Failure::Before(error)) => {
                roll_back(running).await;
                if !error.is_of_connection() || tried_again {
                    return Err(error);
                }
                tried_again = true;
            }
            // The statement may still run, so it is cancelled.
            Err(Failure::Silent(waited)) => return Err(silent(waited)),
            Err(Failure::During(error)) => {
                running.broken();
                return Err(if error.is_of_connection() && statement.writes {
                    DatabaseError::Uncertain
                } else {
                    error
                });
            }
        }
    }
}

async fn roll_back(running: Running) {
    let is_rolled_back = match running.connection() {
        Some(connection) => {
            matches!(tokio::time::timeout(WAIT, connection.batch_execute("ROLLBACK")).await, Ok(Ok(())))
        }
        None => false,
    };
    if is_rolled_back { running.finished() } else { running.broken() }
}

async fn attempt(
    client: &Client,
    caller: &Caller,
    bounds: &Bounds,
    statement: &Statement,
    turn: Option<&str>,
) -> Result<Option<String>, Failure> {
    // Read-only if nothing is to be written: then a function of the store's owner, such as an embedder, cannot write
    // either.
    let reads = bounds.read_only || !statement.writes;
    let patience = Patience::of(bounds);
    let begin = client.batch_execute(match (reads, turn) {
        (true, _) => "BEGIN READ ONLY",
        (false, None) => "BEGIN READ WRITE",
        // A snapshot taken before the wait would miss the changes that were waited for.
        (false, Some(_)) => "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
    });
    patience.with(begin).await?;
    patience.with(fix(client, caller, bounds)).await?;
    let schema = patience.with(extension_schema(client, caller)).await?;
    if caller.user.is_some() {
        patience.with(refuse_unbound(client, caller)).await?;
    }
    if let Some(turn) = turn {
        patience.with(client.query_typed(AWAIT_TURN, &[(&turn, tokio_postgres::types::Type::TEXT)])).await?;
    }
    let mut sql = statement.sql.replace("{ext}", &quoted(&schema));
    if let Some(store) = &caller.store {
        // The name comes last, so that nothing within it is replaced.
        sql = sql.replace("{store}", &quoted(store));
    }
    let values: Vec<_> = statement.values.iter().map(|value| value.typed()).collect();
    let row = patience.with(client.query_typed_opt(&sql, &values)).await?;
    let text: Option<String> = match row {
        Some(row) => row.try_get(0)?,
        None => None,
    };
    if text.is_none() {
        patience.with(client.batch_execute("ROLLBACK")).await?;
        return Ok(None);
    }
    match patience.with(client.batch_execute("COMMIT")).await {
        Ok(()) => Ok(text),
        Err(Failure::Silent(waited)) => Err(Failure::During(silent(waited))),
        Err(Failure::Before(error) | Failure::During(error)) => Err(Failure::During(error)),
    }
}

async fn fix(client: &Client, caller: &Caller, bounds: &Bounds) -> Result<(), DatabaseError> {
    let mut fixed = vec![("statement_timeout", bounds.timeout_millis.to_string()), ("TimeZone", "UTC".to_owned())];
    if let Some(most) = bounds.max_entries {
        fixed.push(("memory_search.max_top_ke", most.to_string()));
    }
    if let Some(user) = &caller.user {
        fixed.push((&bounds.user_setting, user.clone()));
    }
    fixed.extend(bounds.settings.iter().map(|(name, value)| (*name, (*value).to_owned())));
    // The role comes last: the settings before it are set by the login.
    if let Some(role) = &caller.role {
        fixed.push(("role", role.clone()));
    }
    let (names, values): (Vec<&str>, Vec<String>) = fixed.into_iter().unzip();
    let (text, texts) = (tokio_postgres::types::Type::TEXT, tokio_postgres::types::Type::TEXT_ARRAY);
    client.query_typed(FIX, &[(&names, texts.clone()), (&values, texts), (&RESTRICT_KINDS, text)]).await?;
    Ok(())
}

/// The schema of the extension. A role that is not taken on is refused here: only the server knows its login's name.
async fn extension_schema(client: &Client, caller: &Caller) -> Result<String, DatabaseError> {
    let Some(row) = client.query_typed_opt(EXTENSION, &[]).await? else {
        return Err(DatabaseError::refused(
            "42704",
            "the extension memory_search is not in this database",
            "CREATE EXTENSION memory_search CASCADE, in the database that DATABASE_URL names.",
        ));
    };
    if let (Some(role), true) = (&caller.role, row.try_get(1)?) {
        return Err(DatabaseError::refused(
            "42501",
            format!("the role \"{role}\" cannot be taken on: it is the login's own role"),
            "Name a role that the login's role is a member of.",
        ));
    }
    Ok(row.try_get(0)?)
}

/// Refuses a fixed user who is not bound by a policy: the setting would silently have no effect.
async fn refuse_unbound(client: &Client, caller: &Caller) -> Result<(), DatabaseError> {
    let store = [(&caller.store as &(dyn tokio_postgres::types::ToSql + Sync), tokio_postgres::types::Type::TEXT)];
    let Some(row) = client.query_typed_opt(UNBOUND, &store).await? else { return Ok(()) };
    let relation: String = row.try_get(0)?;
    Err(DatabaseError::refused(
        "42501",
        format!(
            "a user is fixed, but no row-level security binds this role in {relation}: the rows of all users would be \
             visible"
        ),
        "Run memory_enable_row_security on the store, and connect as a role that it binds, not as a superuser or the \
         owner.",
    ))
}
