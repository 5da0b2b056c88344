//! Lines on standard error: standard output belongs to the protocol.

use std::io::Write;

/// Writes `text` as one line: a line break in stored text must not begin a new line.
pub fn line(text: &str) {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    // The reader may have gone; that is no reason to end.
    let _ = writeln!(std::io::stderr().lock(), "memory-search: {text}");
}
