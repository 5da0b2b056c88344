//! The tools as a client sees them: the descriptions of the extension and its engine, without the fixed arguments.

use memory_search_core::output::memory_tools::{Effect, memory_tools};
use memory_search_core::request::detail::Detail;
use rmcp::model::Tool;
use serde_json::{Value, json};

/// The tool that the extension itself describes.
pub const SEARCH: &str = "memory_search";

/// The tools of a server.
pub struct Tools {
    /// The tools as clients see them.
    pub listed: Vec<Tool>,
    /// All arguments of memory_search, also those that a short description omits.
    pub search_takes: Value,
}

/// All tools, or those that read; `search` is the result of memory_tool_spec, in short and in full.
pub fn tools(search: &str, detail: Detail, read_only: bool) -> Result<Tools, serde_json::Error> {
    let mut search: Value = serde_json::from_str(search)?;
    let [short, full] = ["short", "full"].map(|detail| without_fixed(search[detail].take()));
    let search_takes = full["inputSchema"].clone();
    let mut listed = vec![serde_json::from_value(if detail == Detail::Full { full } else { short })?];
    for tool in memory_tools(detail) {
        if read_only && tool.effect != Effect::Reads {
            continue;
        }
        let mut described = json!({
            "name": tool.name, "title": tool.title, "description": tool.description,
            "inputSchema": tool.input, "annotations": annotations(tool.effect, detail),
        });
        if let Some(output) = tool.output {
            described["outputSchema"] = output;
        }
        listed.push(serde_json::from_value(described)?);
    }
    Ok(Tools { listed, search_takes })
}

/// The effect of a call, for a person who is asked to allow it. In short without the parts that follow from the rest.
fn annotations(effect: Effect, detail: Detail) -> Value {
    let (reads, hides) = (effect == Effect::Reads, effect == Effect::Hides);
    match detail {
        Detail::Full => json!({"readOnlyHint": reads, "destructiveHint": hides,
            "idempotentHint": reads, "openWorldHint": false}),
        Detail::Short if reads => json!({"readOnlyHint": true, "openWorldHint": false}),
        Detail::Short => json!({"destructiveHint": hides, "openWorldHint": false}),
    }
}

fn without_fixed(mut search: Value) -> Value {
    let input = &mut search["inputSchema"];
    for fixed in ["memoryId", "store"] {
        if let Some(properties) = input["properties"].as_object_mut() {
            properties.remove(fixed);
        }
        if let Some(required) = input["required"].as_array_mut() {
            required.retain(|key| key != fixed);
        }
    }
    search
}

#[cfg(test)]
mod tests {
    use memory_search_core::output::tool_description::tool_spec;
    use memory_search_core::request::plan::Bounds;

    use super::*;

    fn of(detail: Detail, read_only: bool) -> Tools {
        let spec = |detail| tool_spec("mcp", detail, Bounds::default()).unwrap();
        let search = format!("{{\"short\": {}, \"full\": {}}}", spec("short"), spec("full"));
        tools(&search, detail, read_only).unwrap()
    }

    #[test]
    fn a_model_is_not_shown_fixed_arguments() {
        for detail in [Detail::Short, Detail::Full] {
            let tools = of(detail, false);
            assert_eq!(tools.listed.len(), 10);
            for input in [&json!(tools.listed[0].input_schema), &tools.search_takes] {
                assert!(input["properties"]["memoryId"].is_null() && input["properties"]["store"].is_null());
                assert_eq!(input["required"], json!(["query"]));
            }
        }
    }

    #[test]
    fn read_only_leaves_the_tools_that_read() {
        let tools = of(Detail::Short, true).listed;
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
        assert_eq!(
            names,
            [SEARCH, "memory_list", "memory_get", "memory_about", "memory_related", "memory_latest_context"]
        );
        assert!(tools.iter().all(|tool| tool.annotations.as_ref().unwrap().read_only_hint == Some(true)));
    }

    #[test]
    fn all_tools_together_are_short_and_take_what_the_whole_grammar_has() {
        let tools = of(Detail::Short, false);
        let listed = json!({"tools": tools.listed}).to_string();
        assert!(listed.len() <= 8_000, "{} characters", listed.len());
        assert!(tools.search_takes["properties"]["options"].is_object());
        assert!(json!({"tools": of(Detail::Full, false).listed}).to_string().len() > 30_000);
    }
}
