//! Messages about errors: each once, and again after a while, so that a watcher that works every few seconds does not
//! fill the log with one of them.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use memory_search_client::database::error::DatabaseError;
use memory_search_client::log;

/// The time after which a lasting error is reported again.
const AGAIN: Duration = Duration::from_secs(60);

/// SQLSTATEs whose messages name stores, columns, roles and settings, but contain no text of a memory. An embedder's
/// messages may contain one.
const WITHOUT_TEXTS: [&str; 11] =
    ["22000", "42501", "42703", "42704", "42883", "42P01", "3F000", "55000", "57014", "25006", "40001"];

/// The messages, with their times.
#[derive(Debug, Default)]
pub struct Said(BTreeMap<String, (String, Instant)>);

impl Said {
    /// Writes `text` about something, unless it was the last message about it, a moment ago.
    pub fn say(&mut self, about: &str, text: &str) {
        self.say_within(about, text, AGAIN);
    }

    /// Writes `text` about something, unless it was the last message about it.
    pub fn say_once(&mut self, about: &str, text: &str) {
        self.say_within(about, text, Duration::MAX);
    }

    /// Notes that it works: an error that comes back is reported.
    pub fn is_well(&mut self, about: &str) {
        self.0.remove(about);
    }

    fn say_within(&mut self, about: &str, text: &str, again: Duration) {
        if self.0.get(about).is_some_and(|(last, then)| last == text && then.elapsed() < again) {
            return;
        }
        log::line(text);
        self.0.insert(about.to_owned(), (text.to_owned(), Instant::now()));
    }
}

/// The message for an error: without `texts`, it contains nothing that may be a text of a memory.
pub fn of(error: &DatabaseError, texts: bool) -> String {
    match error {
        DatabaseError::Unreachable(reason) => format!("the database cannot be reached: {reason}"),
        DatabaseError::Uncertain => "the connection to the database ended within a commit".to_owned(),
        DatabaseError::Cancelled => "the call was cancelled".to_owned(),
        DatabaseError::Refused(refusal) => {
            let code = &refusal.code;
            // Errors about resources, and about connecting.
            let plain = ["53", "28", "3D", "08"].iter().any(|class| code.starts_with(class));
            if !texts && !plain && !WITHOUT_TEXTS.contains(&code.as_str()) {
                return format!("SQLSTATE {code}; the message may hold a text, and is written with --log-texts");
            }
            let hint = refusal.hint.as_ref().map(|hint| format!(". Hint: {hint}")).unwrap_or_default();
            format!("{} (SQLSTATE {code}){hint}", refusal.message)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_may_hold_a_text_is_written_only_on_request() {
        let error = DatabaseError::refused("P0001", "cannot embed: my secret", "Ask me.");
        assert!(!of(&error, false).contains("secret") && of(&error, false).contains("P0001"));
        assert!(of(&error, true).contains("secret"));
        let error = DatabaseError::refused("42501", "permission denied for table entries", "Grant it.");
        assert!(of(&error, false).contains("permission denied") && of(&error, false).contains("Grant it."));
    }
}
