//! `unfollow`: leaves nothing behind, on either side.

use memory_search_client::database::statement::quoted;
use memory_search_client::log;

use crate::command_line::UnfollowArguments;
use crate::follow::record::{self, Record};
use crate::follow::session::{Session, literal};
use crate::follow::{adoption, copies, follower_checks, publication, subscription, table};

const CONTEXTS: &str = "pg_catalog.to_regclass($1) IS NOT NULL";

/// Removes the objects that `follow` made. It is an error if the source cannot be reached.
pub async fn run(
    arguments: &UnfollowArguments,
    follower: &Session,
    record: Record,
    source: Result<&Session, &String>,
) -> Result<(), String> {
    let is_copy = copies::difference(follower, &record).await?.is_some();
    // Only the end of the store needs it.
    let extension = if arguments.keep { String::new() } else { follower_checks::extension(follower).await? };
    refuse_to_lose_contexts(arguments, follower, &record).await?;
    let gone_source = match source {
        Ok(_) => None,
        Err(why) if arguments.source_is_gone => Some(why),
        Err(why) => {
            return Err(format!(
                "{why}. Nothing was removed. Hint: try again when the source answers; or, with --source-is-gone, \
                 remove what \
                 is on the follower: then {}",
                publication::left_behind(&record, subscription::oid(follower, &record.name).await?.as_deref())
            ));
        }
    };
    let subscription = match source {
        Ok(source) => {
            subscription::remove_with_source(follower, source, &record).await?;
            None
        }
        Err(_) => remove_here(follower, &record).await?,
    };
    remove_table(arguments, follower, &record, &extension).await?;
    let what = if arguments.keep { "its rows and its store stay as they are" } else { "table and store are gone" };
    log::line(&format!("{} is no longer followed; {what}", record.shown()));
    match gone_source {
        _ if is_copy => {
            log::line("publication and slot of the source were left alone: they are another follower's");
            Ok(())
        }
        None => Ok(()),
        Some(_) => Err(publication::left_behind(&record, subscription.as_deref())),
    }
}

/// A copy of a follower may be in a database with another subscription of the same name.
async fn remove_here(follower: &Session, record: &Record) -> Result<Option<String>, String> {
    let oid = subscription::oid(follower, &record.name).await?;
    match (&record.place.subscription, oid) {
        (Some(was), Some(is)) if *was != is => Ok(None),
        _ => subscription::remove(follower, record).await,
    }
}

async fn refuse_to_lose_contexts(
    arguments: &UnfollowArguments,
    follower: &Session,
    record: &Record,
) -> Result<(), String> {
    if arguments.keep || arguments.force {
        return Ok(());
    }
    let contexts = format!("{}.contexts", quoted(&record.store));
    if follower.is(CONTEXTS, &[&contexts]).await?
        && follower.is(&format!("EXISTS (SELECT FROM {contexts})"), &[]).await?
    {
        return Err(format!(
            "store {} has contexts, which are nowhere else. Hint: --keep keeps rows and store; --force removes them, \
             too",
            record.store
        ));
    }
    Ok(())
}

async fn remove_table(
    arguments: &UnfollowArguments,
    follower: &Session,
    record: &Record,
    extension: &str,
) -> Result<(), String> {
    let mut statements = table::without_embedding(record, &record.relation());
    if arguments.keep {
        statements.push(format!("COMMENT ON TABLE {} IS NULL", record.relation()));
        return follower.transact_patiently(&statements).await;
    }
    // A schema with the store's name may be another store by now.
    let mut is_ours = adoption::is_adopted(follower, record).await?;
    if let Some(before) = record.before_relation() {
        is_ours |= adoption::is_over(follower, record, &before).await?;
    }
    if !is_ours && follower.is(table::SCHEMA_EXISTS, &[&record.store]).await? {
        log::line(&format!("schema {} stays, as it is no store over {}", record.store, record.shown()));
    }
    if is_ours {
        statements.push(format!("SELECT {extension}.memory_drop_store({}, true)", literal(&record.store)));
    }
    if let Some(before) = &record.before {
        statements.push(format!("DROP TABLE IF EXISTS {}.{}", quoted(&record.schema), quoted(before)));
    }
    statements.push(format!("DROP TABLE {}", record.relation()));
    follower.transact_patiently(&statements).await?;
    if record.made_schema
        && let Err(why) = follower.run(&format!("DROP SCHEMA IF EXISTS {}", quoted(&record.schema))).await
    {
        log::line(&format!("schema {} stays, as there is something else in it: {why}", record.schema));
    }
    Ok(())
}

/// The table of the arguments.
pub async fn meant(arguments: &UnfollowArguments, follower: &Session) -> Result<Record, String> {
    record::one(follower, arguments.table.as_deref()).await
}
