//! Lines on standard error: standard output belongs to the protocol.

use std::io::Write;

/// Writes one line, whatever `text` holds: a stored line break must not begin a line of its own.
pub fn line(text: &str) {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    // Nobody may be reading any more; that is no reason to end.
    let _ = writeln!(std::io::stderr().lock(), "memory-search: {text}");
}
