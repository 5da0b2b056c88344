//! An entity: its names, the entities that occur with it, and the entries that name it, in the order of time.

use maud::{Markup, html};
use memory_search_client::database::error::DatabaseError;
use memory_search_client::database::reading::Reading;
use memory_search_core::text::entity_key::entity_key;
use serde_json::Value;

use crate::asked::Asked;
use crate::markup::layout::{Page, failure};
use crate::markup::texts::{beginning, count, time};
use crate::pages::entries::list;
use crate::pages::here::Here;
use crate::pages::links::unread;
use crate::statements::ROWS_OF_PAGE;
use crate::statements::entities::{self as statements, MOST_ENTITIES};

/// The number of other entities that are shown at once; the rest is folded up.
const FIRST: usize = 30;

/// The page.
pub async fn page(reading: &Reading, asked: &Asked) -> Result<Page, DatabaseError> {
    let here = Here::of(asked, &["entity", "cursor"])?;
    let (store, memory, name) = (here.store, here.memory, asked.required("entity")?);
    let Some(key) = entity_key(name) else { return Ok(nothing(&here, name)) };
    let (about, names, entries) = (
        statements::entity(store, memory, name),
        statements::aliases(store, memory),
        statements::entries_about(store, memory, name, asked.get("cursor")),
    );
    let (about, names, entries) = tokio::join!(
        reading.of_store(store, &about),
        reading.of_store(store, &names),
        reading.of_store(store, &entries)
    );
    // Without the aliases it is unknown which names are one entity, and the page would deny an entity that exists.
    let known = match (&about, &names) {
        (Err(error), _) => Err(error),
        (_, Err(error)) if error.code() != "55000" => Err(error),
        (Ok(about), names) => Ok(Entity::of(&key, about, names.as_ref().unwrap_or(&Value::Null))),
    };
    let entity = match known {
        Ok(entity) => entity,
        Err(error) => {
            let content = html! { (heading(name)) (failure(error)) };
            let page = Page::new("Entity", here.place("entity"), content);
            return Ok(if about.is_err() { page.after(&about) } else { page.after(&names) });
        }
    };
    if entity.entries == 0 && entity.aliases.is_empty() {
        return Ok(nothing(&here, name));
    }
    let content = html! {
        (heading(entity.name))
        (facts(&entity, names.as_ref().err()))
        (beside(&here, &entity.beside))
        section aria-labelledby="about" {
            h2 #about { "Entries, the oldest first" }
            @match &entries {
                Ok(rows) => {
                    @let rows = rows.as_array().map(Vec::as_slice).unwrap_or_default();
                    @let page = &rows[..rows.len().min(ROWS_OF_PAGE)];
                    (list(&here, page))
                    @if let (true, Some(last)) = (rows.len() > ROWS_OF_PAGE, page.last()) {
                        @let cursor = last["cursor"].as_str().unwrap_or_default();
                        p { a href=(here.to("entity", &[("entity", name), ("cursor", cursor)])) { "Newer entries" } }
                    }
                }
                Err(error) => (failure(error)),
            }
        }
    };
    Ok(Page::new(beginning(entity.name, 60), here.place("entity"), content).after(&entries))
}

/// An entity with its names and counts.
struct Entity<'a> {
    /// The name that its other names stand for, or as entries write it.
    name: &'a str,
    /// Its other names.
    aliases: Vec<&'a str>,
    /// The number of entries that name it.
    entries: i64,
    first_seen: &'a Value,
    last_seen: &'a Value,
    /// The other entities of these entries, the most frequent first.
    beside: Vec<&'a Value>,
}

impl<'a> Entity<'a> {
    /// The entity that `key` names, by the answers of the two statements.
    fn of(key: &'a str, about: &'a Value, aliases: &'a Value) -> Self {
        let aliases = || aliases.as_array().into_iter().flatten();
        let stands_for = aliases().find(|alias| alias["alias"] == key).and_then(|alias| alias["entity"].as_str());
        let name = stands_for.unwrap_or(key);
        let own = entity_key(name).unwrap_or_default();
        let is_own = |name: &Value| name.as_str().and_then(entity_key).as_deref() == Some(&*own);
        let counts = about["counts"].as_array().map(Vec::as_slice).unwrap_or_default();
        let counted = counts.iter().find(|count| is_own(&count["entity"]));
        let of_aliases = aliases().filter(|alias| is_own(&alias["entity"]));
        Entity {
            name: counted.and_then(|count| count["entity"].as_str()).unwrap_or(name),
            aliases: of_aliases.filter_map(|alias| alias["alias"].as_str()).collect(),
            entries: counted.and_then(|count| count["entries"].as_i64()).unwrap_or(0),
            first_seen: &about["first_seen"],
            last_seen: &about["last_seen"],
            beside: counts.iter().filter(|count| !is_own(&count["entity"])).collect(),
        }
    }
}

fn heading(name: &str) -> Markup {
    html! { h1 { (beginning(name, 200)) } }
}

/// A page for a name that this memory does not know.
fn nothing(here: &Here<'_>, name: &str) -> Page {
    let content = html! {
        h1 { "No such entity" }
        p.notice {
            "No entry that this role sees names “" (beginning(name, 200)) "” in this memory. Names are compared "
            "without case and accents, and have at most 200 characters."
        }
        p { a href=(here.to("entities", &[])) { "All entities of this memory" } }
    };
    Page::new("Entity", here.place("entity"), content).about_nothing()
}

fn facts(entity: &Entity<'_>, refused: Option<&DatabaseError>) -> Markup {
    html! {
        dl.facts {
            @if !entity.aliases.is_empty() {
                div {
                    dt { "other names" }
                    dd { ul.about { @for alias in &entity.aliases { li { (alias) } } } }
                }
            }
            div { dt { "entries" } dd { (count(&entity.entries.into())) } }
            @if entity.entries > 0 {
                div { dt { "first seen" } dd { (time(entity.first_seen)) } }
                div { dt { "last seen" } dd { (time(entity.last_seen)) } }
            }
        }
        @if let Some(error) = refused { (unread(error, "other names")) }
    }
}

fn beside(here: &Here<'_>, others: &[&Value]) -> Markup {
    let (first, rest) = others.split_at(others.len().min(FIRST));
    html! {
        section aria-labelledby="beside" {
            h2 #beside { "Occurs with" }
            @if first.is_empty() { p.faint { "The entries name nothing else." } }
            @else { p.faint { "How many of these entries name the other entity, too." } (links(here, first)) }
            @if !rest.is_empty() {
                details {
                    summary { (rest.len()) " more" }
                    (links(here, rest))
                    @if others.len() + 1 >= MOST_ENTITIES { p.faint { "Others, which occur less, are left out." } }
                }
            }
        }
    }
}

fn links(here: &Here<'_>, others: &[&Value]) -> Markup {
    html! {
        ul.about {
            @for other in others {
                @let name = other["entity"].as_str().unwrap_or_default();
                li.entity { a href=(here.entity(name)) { (beginning(name, 60)) } " " (count(&other["entries"])) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_alias_is_the_entity_that_it_stands_for() {
        let about = json!({"counts": [{"entity": "Bo", "entries": 3}, {"entity": "Ánn", "entries": 3}]});
        let aliases = json!([{"alias": "the boss", "entity": "Ánn"}, {"alias": "x", "entity": "Bo"}]);
        for key in ["the boss", "ann"] {
            let entity = Entity::of(key, &about, &aliases);
            assert_eq!((entity.name, entity.entries, entity.aliases), ("Ánn", 3, vec!["the boss"]));
            assert_eq!(entity.beside, [&about["counts"][0]]);
        }
    }

    #[test]
    fn an_unknown_name_has_neither_entries_nor_aliases() {
        let (about, aliases) = (json!({"counts": []}), Value::Null);
        let entity = Entity::of("nobody", &about, &aliases);
        assert_eq!((entity.entries, entity.aliases.len(), entity.beside.len()), (0, 0, 0));
    }
}
