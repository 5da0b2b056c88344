//! `follow --again`: determines what is wrong, and repairs it with the smallest sufficient step. If rows may differ,
//! all are copied again, into a new table next to the one that searches use.

use memory_search_client::log;

use crate::command_line::FollowArguments;
use crate::follow::identity::Identity;
use crate::follow::record::{self, Record};
use crate::follow::session::Session;
use crate::follow::source_checks::{self, SourceTable};
use crate::follow::source_url::SourceUrl;
use crate::follow::{
    adoption, carrying, columns, diagnosis, establishing, follower_checks, mapping, subscription, table,
};

/// Repairs a followed table.
pub async fn run(
    arguments: &FollowArguments,
    follower: &Session,
    source: &Session,
    url: &SourceUrl,
) -> Result<(), String> {
    let known = follower_checks::server(follower).await?;
    subscription::keep_out_of_log(follower, known.is_superuser).await?;
    let mut record = record::one(follower, arguments.table.as_deref()).await?;
    let mut found = diagnosis::of(&record, follower, Ok(source)).await?;
    let given = arguments.source.as_ref().map(|_| url.conninfo());
    if !found.needs_copy() && !arguments.copy && !chooses(arguments, &record) {
        subscription::reconnect(follower, &record.name, given.as_deref()).await?;
        record.source = url.shown();
        record.partitions.extend(found.further);
        follower.run(&record.statement()).await?;
        for trouble in &found.troubles {
            log::line(&format!("no copy is needed: {}", trouble.what));
        }
        return establishing::finish(follower, source, record, &known.extension).await;
    }
    if arguments.copy {
        log::line("all rows are copied anew, as --copy says");
    }
    found.troubles.retain(|trouble| trouble.needs_copy);
    for trouble in &found.troubles {
        log::line(&format!("all rows are copied anew: {}", trouble.what));
    }
    let old = record.clone();
    let there = source_checks::table(source, &old.relation()).await?;
    source_checks::server(source, &old.name).await?;
    follower_checks::room(follower, &old.name).await?;
    let record = renewed(arguments, &old, &there, source, follower, &known.extension, url).await?;

    let statements = table::statements(follower, &record, &there.key, &known.extension).await?;
    let mut all = match &old.before {
        // The last copy was not finished: searches still use the previous table.
        Some(_) => {
            let mut drop = table::without_embedding(&old, &old.relation());
            drop.push(format!("DROP TABLE {}", old.relation()));
            drop
        }
        None => adoption::set_aside(&old, record.before.as_deref().unwrap_or_default()),
    };
    all.extend(statements);
    all.extend(carrying::policies(follower, &old.relation(), &record.relation()).await?);
    let made = adoption::rehearse(follower, &record, &all, &known.extension).await?;
    carrying::refuse_to_lose(follower, &old, &record, &made).await?;
    subscription::remove_with_source(follower, source, &old).await?;
    follower.transact_patiently(&all).await?;
    establishing::run(follower, source, record, &url.conninfo(), &known.extension).await
}

/// Whether the command line chooses the copied columns, or those that are searched.
fn chooses(arguments: &FollowArguments, record: &Record) -> bool {
    arguments.columns.as_ref().is_some_and(|wanted| {
        let has: Vec<&str> = record.columns.iter().map(|column| column.name.as_str()).collect();
        !record.chosen || wanted.iter().any(|name| !has.contains(&name.as_str())) || wanted.len() > has.len()
    }) || says_mapping(arguments)
}

fn says_mapping(arguments: &FollowArguments) -> bool {
    let options =
        [&arguments.memory, &arguments.id, &arguments.text, &arguments.title, &arguments.embedding, &arguments.map];
    options.iter().any(|option| option.is_some()) || arguments.no_embedding
}

/// The record of the new copy.
async fn renewed(
    arguments: &FollowArguments,
    old: &Record,
    there: &SourceTable,
    source: &Session,
    follower: &Session,
    extension: &str,
    url: &SourceUrl,
) -> Result<Record, String> {
    let before: Vec<String> = old.columns.iter().map(|column| column.name.clone()).collect();
    let wanted = match (&arguments.columns, old.chosen) {
        (Some(wanted), _) => Some(wanted.clone()),
        (None, true) => Some(before),
        (None, false) => None,
    };
    let columns = columns::read(source, follower, &old.relation(), &there.key, wanted.as_deref()).await?;
    let mapping = if says_mapping(arguments) {
        mapping::of(arguments, &old.table, &there.key, &columns)?
    } else {
        old.mapping.clone()
    };
    let makes_embeddings = !arguments.no_embedding && mapping.get("embedding").is_none();
    let dimensions = if makes_embeddings && (old.dimensions.is_some() || says_mapping(arguments)) {
        table::dimensions(follower, extension).await
    } else {
        None
    };
    let (system, timeline) = source_checks::identity(source).await;
    let aside = establishing::shortened(&old.table, "_before");
    Ok(Record {
        source: url.shown(),
        system,
        timeline,
        columns,
        partitions: there.partitions.clone(),
        chosen: wanted.is_some(),
        mapping,
        dimensions,
        before: Some(old.before.clone().unwrap_or(aside)),
        // The new subscription is recorded when it is made.
        place: Identity::of(follower).await?,
        ..old.clone()
    })
}
