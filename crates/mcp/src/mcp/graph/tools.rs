//! The nine tools as a client sees them. Names, arguments and results are the same as in the reference memory server.

use rmcp::model::Tool;
use serde_json::{Value, json};

/// The form of a tool's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// With what is new: a list under this key.
    New(&'static str),
    /// With a sentence.
    Done(&'static str),
    /// With a graph.
    Graph,
}

/// A tool of the graph.
#[derive(Debug, Clone, Copy)]
pub struct GraphTool {
    /// Its name in calls.
    pub name: &'static str,
    title: &'static str,
    description: &'static str,
    /// The form of its answer.
    pub answer: Answer,
}

/// All of them, in the order in which they are listed.
pub const TOOLS: [GraphTool; 9] = [
    GraphTool {
        name: "create_entities",
        title: "Create entities",
        description: "Adds entities to the knowledge graph: people, places, things. An entity that has the name \
            already stays as it is. Returns those that are new.",
        answer: Answer::New("entities"),
    },
    GraphTool {
        name: "create_relations",
        title: "Create relations",
        description: "Adds relations between entities, each with a verb in the active voice: Ann works_at Acme. \
            Returns those that are new.",
        answer: Answer::New("relations"),
    },
    GraphTool {
        name: "add_observations",
        title: "Add observations",
        description: "Adds facts to entities that are there, each complete by itself. Returns those that are new.",
        answer: Answer::New("results"),
    },
    GraphTool {
        name: "delete_entities",
        title: "Delete entities",
        description: "Deletes entities with their observations and relations.",
        answer: Answer::Done("Entities deleted successfully"),
    },
    GraphTool {
        name: "delete_observations",
        title: "Delete observations",
        description: "Deletes observations of entities, each by its whole text.",
        answer: Answer::Done("Observations deleted successfully"),
    },
    GraphTool {
        name: "delete_relations",
        title: "Delete relations",
        description: "Deletes relations between entities.",
        answer: Answer::Done("Relations deleted successfully"),
    },
    GraphTool {
        name: "read_graph",
        title: "Read the graph",
        description: "Returns all entities and relations. To find what is relevant to something use search_nodes.",
        answer: Answer::Graph,
    },
    GraphTool {
        name: "search_nodes",
        title: "Search",
        description: "Finds entities by what a question means and by its words, the best first, with their \
            observations and relations.",
        answer: Answer::Graph,
    },
    GraphTool {
        name: "open_nodes",
        title: "Open entities",
        description: "Returns entities by their exact names, with their observations and relations.",
        answer: Answer::Graph,
    },
];

/// The tool of this name.
pub fn named(name: &str) -> Option<&'static GraphTool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// All tools, or those that read.
pub fn listed(read_only: bool) -> Result<Vec<Tool>, serde_json::Error> {
    let kept = TOOLS.iter().filter(|tool| !read_only || tool.answer == Answer::Graph);
    kept.map(|tool| {
        let reads = tool.answer == Answer::Graph;
        let deletes = matches!(tool.answer, Answer::Done(_));
        serde_json::from_value(json!({
            "name": tool.name, "title": tool.title, "description": tool.description,
            "inputSchema": input(tool.name), "outputSchema": output(tool.answer),
            "annotations": {"readOnlyHint": reads, "destructiveHint": deletes, "idempotentHint": reads || deletes,
                "openWorldHint": false},
        }))
    })
    .collect()
}

/// Other keys are accepted and ignored, as in the reference server.
fn input(tool: &str) -> Value {
    let relations = || list(relation(), "The relations");
    let entity_names = || list(text("A name"), "The names of the entities");
    match tool {
        "create_entities" => object(&[("entities", list(entity(), "The entities"))]),
        "create_relations" | "delete_relations" => object(&[("relations", relations())]),
        "add_observations" => {
            let contents = list(text("A fact"), "The observations");
            let of_entity = object(&[("entityName", text("The name of the entity")), ("contents", contents)]);
            object(&[("observations", list(of_entity, "What to add, and to which entities"))])
        }
        "delete_entities" => object(&[("entityNames", entity_names())]),
        "delete_observations" => {
            let observations = list(text("The whole text"), "The observations");
            let of_entity = object(&[("entityName", text("The name of the entity")), ("observations", observations)]);
            object(&[("deletions", list(of_entity, "What to delete, and of which entities"))])
        }
        "search_nodes" => object(&[("query", text("A question in natural language, or words of names and facts"))]),
        "open_nodes" => object(&[("names", entity_names())]),
        _ => object(&[]),
    }
}

fn output(answer: Answer) -> Value {
    match answer {
        Answer::New("entities") => object(&[("entities", list(entity(), "The new entities"))]),
        Answer::New("relations") => object(&[("relations", list(relation(), "The new relations"))]),
        Answer::New(key) => {
            let added = list(text("A fact"), "The new observations");
            let of_entity = object(&[("entityName", text("The name of the entity")), ("addedObservations", added)]);
            object(&[(key, list(of_entity, "What was added, for each entity"))])
        }
        Answer::Done(_) => object(&[("success", json!({"type": "boolean"})), ("message", text("What was done"))]),
        Answer::Graph => object(&[
            ("entities", list(entity(), "The entities")),
            ("relations", list(relation(), "The relations of these")),
        ]),
    }
}

fn entity() -> Value {
    object(&[
        ("name", text("The name")),
        ("entityType", text("What it is: person, place, project")),
        ("observations", list(text("A fact, complete by itself"), "What is known of it")),
    ])
}

fn relation() -> Value {
    object(&[
        ("from", text("The entity where it starts")),
        ("to", text("The entity where it ends")),
        ("relationType", text("A verb in the active voice: works_at")),
    ])
}

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn list(items: Value, description: &str) -> Value {
    json!({"type": "array", "items": items, "description": description})
}

/// An object with these keys, all of them required.
fn object(properties: &[(&str, Value)]) -> Value {
    let required: Vec<&str> = properties.iter().map(|(name, _)| *name).collect();
    let properties: serde_json::Map<String, Value> =
        properties.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_only_leaves_the_three_tools_that_read() {
        let names = |read_only| -> Vec<String> {
            listed(read_only).unwrap().iter().map(|tool| tool.name.to_string()).collect()
        };
        assert_eq!(names(true), ["read_graph", "search_nodes", "open_nodes"]);
        assert_eq!(names(false).len(), 9);
    }
}
