//! The outputs: the response, text for a prompt, the description of the tool for a language model.

pub mod explanation;
pub mod exported;
mod json_schema;
pub mod memory_tools;
pub mod prompt;
pub mod response;
pub mod short_answer;
pub mod short_tools;
pub mod snippet;
pub mod tool_description;
