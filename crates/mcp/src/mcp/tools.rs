//! The tools as a client sees them: the descriptions of the extension and its engine, without what is fixed.

use memory_search_core::output::memory_tools::{Effect, memory_tools};
use rmcp::model::Tool;
use serde_json::{Value, json};

/// The tool that the extension itself describes.
pub const SEARCH: &str = "memory_search";

/// All tools, or those that read; `search` is what memory_tool_spec says.
pub fn tools(search: &str, read_only: bool) -> Result<Vec<Tool>, serde_json::Error> {
    let mut search: Value = serde_json::from_str(search)?;
    let input = &mut search["inputSchema"];
    for fixed in ["memoryId", "store"] {
        if let Some(properties) = input["properties"].as_object_mut() {
            properties.remove(fixed);
        }
        if let Some(required) = input["required"].as_array_mut() {
            required.retain(|key| key != fixed);
        }
    }
    let mut tools = vec![serde_json::from_value(search)?];
    for tool in memory_tools() {
        if read_only && tool.effect != Effect::Reads {
            continue;
        }
        let reads = tool.effect == Effect::Reads;
        tools.push(serde_json::from_value(json!({
            "name": tool.name, "title": tool.title, "description": tool.description,
            "inputSchema": tool.input, "outputSchema": tool.output,
            "annotations": {"readOnlyHint": reads, "destructiveHint": tool.effect == Effect::Hides,
                "idempotentHint": reads, "openWorldHint": false},
        }))?);
    }
    Ok(tools)
}

#[cfg(test)]
mod tests {
    use memory_search_core::output::tool_description::tool_spec;
    use memory_search_core::request::plan::Bounds;

    use super::*;

    #[test]
    fn a_model_is_not_shown_what_it_does_not_choose() {
        let tools = tools(&tool_spec("mcp", Bounds::default()).unwrap(), false).unwrap();
        assert_eq!(tools.len(), 8);
        let input = json!(tools[0].input_schema);
        assert!(input["properties"]["memoryId"].is_null() && input["properties"]["store"].is_null());
        assert_eq!(input["required"], json!(["query"]));
    }

    #[test]
    fn read_only_leaves_the_tools_that_read() {
        let tools = tools(&tool_spec("mcp", Bounds::default()).unwrap(), true).unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
        assert_eq!(names, [SEARCH, "memory_list", "memory_get", "memory_latest_context"]);
        assert!(tools.iter().all(|tool| tool.annotations.as_ref().unwrap().read_only_hint == Some(true)));
    }
}
