//! The session's cross-encoder: a model below the server's share folder that scores entries for a question.

use std::cell::RefCell;
use std::rc::Rc;

use memory_search_core::{Error, ErrorKind, Result, error};
use memory_search_embedder::{ModelError, Score};

use crate::embed::model_file::{self, MappedCrossEncoder};
use crate::pg::{interrupt, role};

thread_local! {
    /// The model that was used last, by its name. Only one, so that a caller who names all models keeps the memory of
    /// one.
    static LOADED: RefCell<Option<(String, Rc<MappedCrossEncoder>)>> = const { RefCell::new(None) };
}

/// The score of each passage as an answer to the question, by the model of that name, from 0 to 1.
///
/// # Errors
/// There is no such model (42704), or it cannot be used (55000).
pub fn scores(name: &str, question: &str, passages: &[String]) -> Result<Vec<f32>> {
    let model = loaded(name)?;
    let unscored = |error: ModelError| {
        let kind = match error {
            ModelError::OutOfMemory { .. } => ErrorKind::OutOfMemory,
            _ => ErrorKind::WrongState,
        };
        Error::new(kind, format!("the model \"{name}\" cannot score the entries: {error}")).hint(
            "Rank with fewer or shorter entries (options.rerank.best), install the model again, or give false as \
             options.rerank.",
        )
    };
    let question = model.question(question).map_err(unscored)?;
    let scores = model.scores(&question, passages, &mut interrupt::check).map_err(unscored)?;
    Ok(scores.into_iter().map(Score::sigmoid).collect())
}

/// A failure is not kept: the next search finds a model that was installed meanwhile.
fn loaded(name: &str) -> Result<Rc<MappedCrossEncoder>> {
    let known = LOADED.with_borrow(|loaded| {
        loaded.as_ref().filter(|(loaded_name, _)| loaded_name == name).map(|(_, model)| Rc::clone(model))
    });
    if let Some(known) = known {
        return Ok(known);
    }
    // The room of the last one first.
    LOADED.with_borrow_mut(|loaded| loaded.take());
    let model = model_file::load_cross_encoder(&model_file::folders(name))?.ok_or_else(|| not_installed(name))?;
    let model = Rc::new(model);
    LOADED.with_borrow_mut(|loaded| *loaded = Some((name.to_owned(), Rc::clone(&model))));
    Ok(model)
}

fn not_installed(name: &str) -> Error {
    let mut error = Error::new(
        ErrorKind::UndefinedObject,
        format!("options.rerank.model \"{}\" is no model on this server", error::shown(name)),
    )
    .hint(
        "Name a folder of the server's memory_search/models that has a cross-encoder: config.json, tokenizer.json or \
         vocab.txt, and model.safetensors.",
    );
    error.detail = role::for_superusers(|| model_file::missing_folders(name));
    error
}
