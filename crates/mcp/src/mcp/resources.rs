//! Resources: the latest context of the memory, its entries by id, the entries about an entity, and the graph.

use memory_search_core::text::entity_key::entity_key;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::model::{Resource, ResourceTemplate};

use crate::mcp::graph::RESOURCE;
use crate::mcp::scope::Scope;

/// The characters that a URI has unescaped: RFC 3986's unreserved characters.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The thing that a URI names.
#[derive(Debug, PartialEq, Eq)]
pub enum Named {
    /// The latest context.
    Context,
    /// The entry of this id.
    Entry(String),
    /// The entries about the entity of this name.
    Entity(String),
    /// The graph of entities and relations.
    Graph,
}

fn root(scope: &Scope) -> String {
    format!("memory://{}/", utf8_percent_encode(&scope.memory, ESCAPED))
}

/// The resources that are always there.
pub fn known(scope: &Scope) -> Vec<Resource> {
    let context = Resource::new(format!("{}context", root(scope)), "latest context")
        .with_title("Latest context")
        .with_description("What the memory is about now")
        .with_mime_type("text/plain");
    vec![context]
}

/// The graph, where its tools are served.
pub fn graph() -> Resource {
    Resource::new(RESOURCE, "knowledge-graph")
        .with_title("Knowledge graph")
        .with_description("All entities and relations")
        .with_mime_type("application/json")
}

/// The URIs of entries and entities.
pub fn templates(scope: &Scope) -> Vec<ResourceTemplate> {
    let entry = ResourceTemplate::new(format!("{}entries/{{entryId}}", root(scope)), "entry")
        .with_title("Entry")
        .with_description("An entry of the memory, by its id")
        .with_mime_type("application/json");
    let entity = ResourceTemplate::new(format!("{}entities/{{name}}", root(scope)), "entity")
        .with_title("Entity")
        .with_description("What is remembered of a person, place or thing, by its name")
        .with_mime_type("application/json");
    vec![entry, entity]
}

/// The thing that `uri` names; `None` if it is of another memory.
pub fn named(uri: &str, scope: &Scope) -> Option<Named> {
    if uri == RESOURCE {
        return Some(Named::Graph);
    }
    let rest = uri.strip_prefix("memory://")?;
    let (memory, path) = rest.split_once('/')?;
    let memory = percent_decode_str(memory).decode_utf8().ok()?;
    if memory != scope.memory {
        return None;
    }
    match path.split_once('/') {
        None => (path == "context").then_some(Named::Context),
        Some(("entries", id)) => segment(id).map(Named::Entry),
        // A text that can be no name is no entity's.
        Some(("entities", name)) => segment(name).filter(|name| entity_key(name).is_some()).map(Named::Entity),
        Some(_) => None,
    }
}

/// The text that the last part of a path stands for.
fn segment(part: &str) -> Option<String> {
    if part.is_empty() || part.contains(['/', '?', '#']) {
        return None;
    }
    Some(percent_decode_str(part).decode_utf8().ok()?.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory_search_client::database::scope::Caller;

    fn scope(memory: &str) -> Scope {
        Scope { memory: memory.to_owned(), agent: None, caller: Caller { store: None, user: None, role: None } }
    }

    #[test]
    fn listed_resources_can_be_read_for_any_memory_id() {
        for memory in ["trip", "Trip 2/3", "añ?#%2F", "../x"] {
            let scope = scope(memory);
            assert_eq!(named(&known(&scope)[0].uri, &scope), Some(Named::Context), "{memory}");
            let [entry, entity] = [0, 1].map(|place| templates(&scope)[place].uri_template.clone());
            let uri = entry.replace("{entryId}", "7%2F8");
            assert_eq!(named(&uri, &scope), Some(Named::Entry("7/8".to_owned())), "{memory}");
            let uri = entity.replace("{name}", "AC%2FDC%20%C3%A9");
            assert_eq!(named(&uri, &scope), Some(Named::Entity("AC/DC \u{e9}".to_owned())), "{memory}");
        }
    }

    #[test]
    fn another_memory_another_path_or_another_scheme_is_nothing() {
        let scope = scope("trip");
        for uri in [
            "memory://other/context",
            "memory://trip/contexts",
            "memory://trip/entries/",
            "memory://trip/entries/1/2",
            "memory://trip/entries/1?x",
            "memory://trip/entities/",
            "memory://trip/entities/%20",
            "memory://trip/entities/a/b",
            "memory://trip/relations/a",
            "memory://trip",
            "memory:///context",
            "file://trip/context",
            "memory://TRIP/context",
            "memory://%ff/context",
        ] {
            assert_eq!(named(uri, &scope), None, "{uri}");
        }
    }
}
