//! Turns the follower's empty table into one that is searched: publication, subscription, first copy, store. Each step
//! tests whether it is done, so that an interrupted run continues.

use memory_search_client::database::statement::quoted;
use memory_search_client::log;

use crate::command_line::FollowArguments;
use crate::follow::identity::Identity;
use crate::follow::record::{self, Record};
use crate::follow::session::Session;
use crate::follow::source_url::SourceUrl;
use crate::follow::{
    adoption, columns, follower_checks, mapping, place, publication, source_checks, subscription, table,
};

const ROWS: &str = "SELECT CASE WHEN reltuples >= 0 THEN reltuples::bigint::text END FROM pg_catalog.pg_class \
    WHERE oid = pg_catalog.to_regclass($1)";

const STARTED: &str = "SELECT extract(epoch FROM pg_catalog.pg_postmaster_start_time())::text";

/// Follows a table that is not followed yet. A failure before the copy begins leaves nothing behind.
pub async fn first(
    arguments: &FollowArguments,
    follower: &Session,
    source: &Session,
    url: &SourceUrl,
) -> Result<(), String> {
    let named = arguments.table.as_deref().ok_or("which table? Hint: --table NAME")?;
    // Otherwise making the slot would wait for the transaction that makes the subscription: for ever.
    if source.value(STARTED, &[]).await? == follower.value(STARTED, &[]).await? {
        return Err(
            "source and follower are the same server. Hint: adopt the table where it is, by memory_adopt_table".into(),
        );
    }
    let known = follower_checks::server(follower).await?;
    follower_checks::room(follower, "").await?;
    source_checks::server(source, "").await?;
    let there = source_checks::table(source, named).await?;
    let (system, timeline) = source_checks::identity(source).await;
    let mut record = Record {
        name: arguments.name.clone().unwrap_or_else(|| default_name(&there.table)),
        store: arguments.store.clone().unwrap_or_else(|| default_store(&there.table)),
        schema: there.schema,
        table: there.table,
        source: url.shown(),
        system,
        timeline,
        columns: Vec::new(),
        partitions: there.partitions,
        chosen: arguments.columns.is_some(),
        mapping: serde_json::Value::Null,
        language: arguments.language.clone(),
        dimensions: None,
        before: None,
        made_schema: false,
        place: Identity::of(follower).await?,
    };
    check_name(&record.name)?;
    if record::all(follower).await?.iter().any(|followed| followed.shown() == record.shown()) {
        return Err(format!("{} is followed already. Hint: follow --status, or follow --again", record.shown()));
    }
    if !known.is_superuser && !url.has_password() {
        return Err("the follower's role is no superuser, so PostgreSQL needs a password in the subscription. Hint: \
                    set MEMORY_SEARCH_SOURCE_PASSWORD"
            .into());
    }
    record.columns =
        columns::read(source, follower, &record.relation(), &there.key, arguments.columns.as_deref()).await?;
    record.mapping = mapping::of(arguments, &record.table, &there.key, &record.columns)?;
    record.made_schema = !follower.is(table::SCHEMA_EXISTS, &[&record.schema]).await?;
    follower_checks::names(follower, &record).await?;
    follower_checks::names_on_source(source, &record).await?;
    if record.mapping.get("embedding").is_none() && !arguments.no_embedding {
        record.dimensions = table::dimensions(follower, &known.extension).await;
        for column in record.columns.iter().filter(|column| column.is_vector()) {
            log::line(&format!(
                "column {name} holds vectors, which are not searched: the follower makes its own. --embedding {name} \
                 searches \
                 by them, with questions that the same model embeds",
                name = column.name
            ));
        }
    }
    log::line(&format!("entries of store {} are made of: {}", record.store, record.mapping));
    subscription::keep_out_of_log(follower, known.is_superuser).await?;

    let made = table::statements(follower, &record, &there.key, &known.extension).await?;
    adoption::rehearse(follower, &record, &made, &known.extension).await?;
    follower.transact(&made).await?;
    let mut is_published = false;
    let begun = async {
        publication::create(source, &record).await?;
        is_published = true;
        subscription::create(follower, source, &record, &url.conninfo()).await
    };
    if let Err(why) = begun.await {
        let undone = undo(follower, source, &record, is_published).await;
        return Err(match undone {
            Ok(()) => format!("{why}. Nothing is left of the attempt"),
            Err(left) => format!("{why}. Besides, not all of the attempt could be removed: {left}"),
        });
    }
    finish(follower, source, record, &known.extension).await
}

/// Makes publication and subscription for an existing table, then everything else.
pub async fn run(
    follower: &Session,
    source: &Session,
    record: Record,
    conninfo: &str,
    extension: &str,
) -> Result<(), String> {
    publication::create(source, &record).await?;
    subscription::create(follower, source, &record, conninfo).await?;
    finish(follower, source, record, extension).await
}

/// Waits for the copy, makes the store if it does not exist, and reports how far behind it is.
pub async fn finish(follower: &Session, source: &Session, record: Record, extension: &str) -> Result<(), String> {
    let oid = subscription::oid(follower, &record.name).await?.ok_or("the subscription is gone")?;
    let mut record = record;
    if record.place.subscription.as_ref() != Some(&oid) {
        record.place.subscription = Some(oid.clone());
        follower.run(&record.statement()).await?;
    }
    let rows = source.value(ROWS, &[&record.relation()]).await?.and_then(|text| text.parse().ok());
    subscription::copied(follower, &record, &oid, rows).await?;
    let record = if adoption::is_adopted(follower, &record).await? {
        record
    } else {
        adoption::adopt(follower, &record, extension).await?
    };
    let now = place::of_source(source).await?;
    let behind = match place::reach(follower, &record.name, &now, std::time::Duration::from_secs(10)).await? {
        Some(took) => format!("it reached the LSN of the source within {} ms", took.as_millis()),
        None => {
            "it has not yet reached the LSN at which the source was 10 s ago: memory-search follow --status".to_owned()
        }
    };
    log::line(&format!("{} is followed, and searched as store {}; {behind}", record.shown(), record.store));
    Ok(())
}

/// Removes the objects that this run made. If a publication, a subscription or a slot could not be made, its name
/// belongs to another program that was faster, and so does the object: PostgreSQL makes a subscription with its slot,
/// or neither.
async fn undo(follower: &Session, source: &Session, record: &Record, is_published: bool) -> Result<(), String> {
    // A follower that no longer answers may have made all of it.
    subscription::oid(follower, &record.name).await?;
    let on_source = if is_published {
        match publication::drop(source, record).await {
            Ok(()) if publication::has_slot(source, record).await? => Err(format!(
                "the source has a replication slot {} now, which another program or this attempt made",
                record.name
            )),
            outcome => outcome,
        }
    } else {
        Ok(())
    };
    let mut statements = table::without_embedding(record, &record.relation());
    statements.push(format!("DROP TABLE IF EXISTS {}", record.relation()));
    if record.made_schema {
        statements.push(format!("DROP SCHEMA IF EXISTS {}", quoted(&record.schema)));
    }
    follower.transact(&statements).await?;
    on_source
}

/// A name with a suffix, within the most bytes of a name.
pub fn shortened(name: &str, ending: &str) -> String {
    let mut end = name.len().min(63 - ending.len());
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{ending}", &name[..end])
}

/// A slot's name has lower-case letters, digits and underscores, and objects next to the table have a longer name by a
/// suffix.
fn default_name(table: &str) -> String {
    let plain: String = table
        .to_ascii_lowercase()
        .chars()
        .map(|c| if c.is_ascii_lowercase() || c.is_ascii_digit() { c } else { '_' })
        .collect();
    format!("memory_search_{}", &plain[..plain.len().min(36)])
}

fn default_store(table: &str) -> String {
    format!("{}_memory", shortened(table, "").chars().take(40).collect::<String>())
}

fn check_name(name: &str) -> Result<(), String> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.is_empty() || name.len() > 50 || !name.chars().all(is_plain) {
        return Err(format!(
            "--name: \"{name}\" cannot name a replication slot. Hint: 1 to 50 lower-case letters, digits and \
             underscores"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tables_name_gives_one_for_a_slot() {
        for table in ["documents", "Order Lines", "ü", &"x".repeat(63)] {
            check_name(&default_name(table)).unwrap();
        }
        assert!(check_name("Documents").unwrap_err().contains("--name"));
    }

    #[test]
    fn a_name_is_shortened_between_characters() {
        assert_eq!(shortened("documents", "_before"), "documents_before");
        assert!(shortened(&"ü".repeat(31), "_before").len() <= 63);
    }
}
