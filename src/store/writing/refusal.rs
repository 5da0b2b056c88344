//! Texts that the embedder refuses, distinguished from an embedder that does not work.

use memory_search_core::{Error, ErrorKind, Result, error};

use crate::embed::embedder;
use crate::pg::{notice, subtransaction};
use crate::store::definition::Store;
use crate::store::writing::stored_embedding::{self, Embedded, Meaning};

/// The characters of a reason that are kept: the beginning names the problem, and a message may repeat the text.
const REASON_CHARACTERS: usize = 500;

/// The vectors to store for texts, or the reason why the embedder refuses them. If the embedder refuses another text as
/// well, it does not work, which tells nothing about these texts: that is an error.
pub fn embedded_or_refused(store: &Store, texts: &Meaning) -> Result<std::result::Result<Option<Embedded>, String>> {
    let reason = match subtransaction::attempt(|| stored_embedding::made_for(store, texts)) {
        Ok(Ok(embedded)) => return Ok(Ok(embedded)),
        Ok(Err(failure)) => failure.message,
        Err(message) => message,
    };
    embedder::dimensions()?;
    Ok(Err(reason.chars().take(REASON_CHARACTERS).collect()))
}

/// The refusals of one call.
#[derive(Default)]
pub struct Refusals {
    count: u64,
    first: Option<String>,
}

impl Refusals {
    /// Adds a refusal.
    pub fn add(&mut self, reason: String) {
        self.count += 1;
        self.first.get_or_insert(reason);
    }

    /// Warns of the refusals, if there are any.
    pub fn say(self) {
        let Some(first) = self.first else { return };
        let texts = if self.count == 1 { "1 text".to_owned() } else { format!("{} texts", self.count) };
        notice::warn(
            &Error::new(ErrorKind::WrongState, format!("the embedder refused {texts}: {}", error::shown(&first)))
                .detail("The column embedding_error of such a row has the reason.")
                .hint("memory_embed_pending skips these rows from now on; memory_reembed tries them again."),
        );
    }
}
