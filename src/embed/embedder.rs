//! The session's embedder: the SQL function in a setting, else the local model, else none.

use std::cell::{Cell, RefCell};

use memory_search_analyzer::as_seen;
use memory_search_core::request::arguments::is_qualified_name;
use memory_search_core::vector::embedding;
use memory_search_core::{Error, ErrorKind, Result};
use memory_search_embedder::ModelError;

use crate::embed::cache;
use crate::embed::model_file::{self, MappedModel};
use crate::pg::callers_function::{self, CallersFunction};
use crate::pg::interrupt;
use crate::pg::memory_reserve;
use crate::pg::param::Param;
use crate::pg::reworded;
use crate::pg::settings;
use crate::pg::spi::{self, Statement};
use crate::pg::{error, library, notice, role};

/// The state of the model in the setting.
enum LocalModel {
    Ready(Box<MappedModel>),
    /// The folder does not exist: the installation has no model.
    Absent,
    Broken(Error),
}

thread_local! {
    /// The model, with the setting's value for which it was loaded.
    static LOADED: RefCell<Option<(String, LocalModel)>> = const { RefCell::new(None) };
    /// Whether this session was warned that the model is not installed, when it stored and when it searched.
    static HAS_WARNED: [Cell<bool>; 2] = const { [Cell::new(false), Cell::new(false)] };
    /// The SQL function that embeds while it runs.
    static RUNNING: Cell<Option<CallersFunction>> = const { Cell::new(None) };
}

/// Loads the model before connections are made, if the library is in shared_preload_libraries, so that every backend
/// inherits it.
pub fn load_before_connections() {
    if library::is_being_preloaded() {
        with_local_model(|_| ());
    }
}

/// The role of a text: some models embed a query and a passage in different ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Passage,
    Query,
}

/// The embedding of a stored text. `None` if no embedder is configured, or if the text has no meaning for it (empty,
/// unknown characters only).
pub fn embed(text: &str) -> Result<Option<Vec<f32>>> {
    embed_as(Role::Passage, text)
}

fn embed_as(role: Role, text: &str) -> Result<Option<Vec<f32>>> {
    let _reserve = memory_reserve::hold(memory_reserve::BYTES)?;
    match embedding_function()? {
        Some(function) => call(&function, text),
        None => with_local_model(|model| match model {
            LocalModel::Ready(model) => {
                // A model has other tokens for `e` and an accent than for `é`.
                let text = as_seen(text);
                match role {
                    Role::Passage => model.embed(&text, &mut interrupt::check),
                    Role::Query => model.embed_query(&text, &mut interrupt::check),
                }
                .map_err(not_embedded)
            }
            LocalModel::Absent | LocalModel::Broken(_) => Ok(None),
        }),
    }
}

fn not_embedded(error: ModelError) -> Error {
    let kind = match error {
        ModelError::OutOfMemory { .. } => ErrorKind::OutOfMemory,
        _ => ErrorKind::WrongState,
    };
    Error::new(kind, format!("the text cannot be embedded: {error}"))
}

/// The embedding of a query, with the model's prompt for queries. Recent queries are remembered.
pub fn embed_query(text: &str) -> Result<Option<Vec<f32>>> {
    let embedder = match embedding_function()? {
        // A function that was replaced is another embedder.
        Some(function) => format!("{} {}", function.name, function.version),
        None => settings::model(),
    };
    cache::get_or_embed(&embedder, text, || embed_as(Role::Query, text))
}

/// The embedder's name for stored embeddings. It contains the prompts: with other prompts a model gives other embeddings.
pub fn name() -> String {
    match settings::embedding_function_name() {
        function if function.is_empty() || callers_function::asks(&RUNNING) => name_of_local_model(),
        function => function,
    }
}

fn name_of_local_model() -> String {
    let name = settings::model();
    with_local_model(|model| match model {
        LocalModel::Ready(model) => match model.prompts() {
            Some(prompts) => format!("{name} {}", serde_json::json!([prompts.query, prompts.passage])),
            None => name,
        },
        LocalModel::Absent | LocalModel::Broken(_) => name,
    })
}

/// The name for messages, with words in place of an empty name, which would mean nothing to a person.
pub fn name_in_words() -> String {
    match name() {
        name if name.is_empty() => {
            "those that callers give (memory_search.model is empty: there is no model)".to_owned()
        }
        name => name,
    }
}

/// The dimension of the embedder's vectors; `None` without an embedder.
pub fn dimensions() -> Result<Option<usize>> {
    match embedding_function()? {
        Some(function) => Ok(call(&function, "dimension")?.map(|vector| vector.len())),
        None => with_local_model(|model| match model {
            LocalModel::Ready(model) => Ok(Some(model.dimensions())),
            LocalModel::Absent | LocalModel::Broken(_) => Ok(None),
        }),
    }
}

/// Refuses with the reason if there is no embedder (55000).
pub fn require() -> Result<()> {
    if embedding_function()?.is_some() {
        return Ok(());
    }
    let name = settings::model();
    with_local_model(|model| match model {
        LocalModel::Ready(_) => Ok(()),
        // The error may have been noted elsewhere, perhaps by the postmaster; the path is still only for superusers.
        LocalModel::Broken(error) => {
            let detail = error.detail.clone().and_then(|detail| role::for_superusers(|| detail));
            Err(Error { detail, ..error.clone() })
        }
        LocalModel::Absent if name.is_empty() => Err(missing("no embedder is configured".to_owned(), &name)),
        LocalModel::Absent => Err(not_installed(&name)),
    })
}

fn not_installed(name: &str) -> Error {
    let mut error = missing("the embedding model that memory_search.model names is not installed".to_owned(), name);
    error.detail = role::for_superusers(|| model_file::missing_folders(name));
    error
}

/// The operation that runs without a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Without {
    Storing,
    Searching,
}

/// Warns, once in a session, that the model in the setting does not exist. There is no warning if the setting is empty,
/// because then there is to be no model.
pub fn warn_if_not_installed(without: Without) -> Result<()> {
    let name = settings::model();
    if name.is_empty()
        || HAS_WARNED.with(|has_warned| has_warned[without as usize].get())
        || embedding_function()?.is_some()
    {
        return Ok(());
    }
    let is_absent = with_local_model(|model| matches!(model, LocalModel::Absent));
    if is_absent {
        HAS_WARNED.with(|has_warned| has_warned[without as usize].set(true));
        let mut warning = not_installed(&name);
        match without {
            Without::Storing => {
                warning.message.push_str(": stored rows get no embedding, and searches find them by words only");
            }
            Without::Searching => {
                warning.message.push_str(": searches without an embedding use words only");
                warning.detail = None;
            }
        }
        warning.hint = Some(format!(
            "{}, name an SQL function in memory_search.embedding_function, give embeddings with each call, or set \
             memory_search.model to '' to use words only.",
            how_to_install(&name)
        ));
        notice::warn(&warning);
    }
    Ok(())
}

fn missing(message: String, name: &str) -> Error {
    Error::new(ErrorKind::WrongState, message).hint(format!(
        "{}, or set memory_search.embedding_function to a function (text) returning vector.",
        how_to_install(name)
    ))
}

/// The way to get a model: one that is installed by default, one that is installed on request, or one that only its
/// owner has.
fn how_to_install(name: &str) -> &'static str {
    match name {
        "" | "wordllama" => "Install the model (make install, or the package memory-search-model-wordllama)",
        "minilm" => "Install the model (make install MODEL=minilm, or the package memory-search-model-minilm)",
        _ => "Put the model where the server looks for it, name wordllama or minilm in memory_search.model",
    }
}

fn with_local_model<T>(use_model: impl FnOnce(&LocalModel) -> T) -> T {
    let name = settings::model();
    LOADED.with(|loaded| {
        let mut loaded = loaded.borrow_mut();
        if loaded.as_ref().is_none_or(|(loaded_name, _)| *loaded_name != name) {
            *loaded = Some((name.clone(), load(&name)));
        }
        match loaded.as_ref() {
            Some((_, model)) => use_model(model),
            None => use_model(&LocalModel::Absent),
        }
    })
}

fn load(name: &str) -> LocalModel {
    if name.is_empty() {
        return LocalModel::Absent;
    }
    match model_file::load(&model_file::folders(name)) {
        Ok(Some(model)) => LocalModel::Ready(Box::new(model)),
        Ok(None) => LocalModel::Absent,
        // The model can be used again once there is memory.
        Err(error) if error.kind == ErrorKind::OutOfMemory => error::fail(error),
        Err(error) => {
            // Searches continue by words, but the reason must be visible.
            notice::warn(&error);
            LocalModel::Broken(error)
        }
    }
}

/// An SQL function that embeds.
struct EmbeddingFunction {
    /// Its qualified name, quoted.
    name: String,
    /// Changes when the function is replaced.
    version: String,
    /// The owner's OID if the function is SECURITY DEFINER.
    definer: Option<u32>,
}

/// The function in the setting `memory_search.embedding_function`.
fn embedding_function() -> Result<Option<EmbeddingFunction>> {
    // The function itself may call memory_embed, for example to add a prefix: there it means the local model.
    if callers_function::asks(&RUNNING) {
        return Ok(None);
    }
    let name = settings::embedding_function()?;
    if name.is_empty() {
        return Ok(None);
    }
    let unknown = || {
        let message =
            format!("memory_search.embedding_function is \"{name}\", and no function of this name takes one text");
        Error::new(ErrorKind::UndefinedObject, message)
            .hint("Name an existing function with its schema, for example \"public.embed\", or set it to '' for the local model.")
    };
    if !is_qualified_name(&name) {
        return Err(unknown());
    }
    let mut statement = Statement::default();
    let signature = statement.bind(Param::text(format!("{name}(pg_catalog.text)")));
    let statement = statement.with(format!(
        "SELECT pg_catalog.format('%I.%I', n.nspname, p.proname), pg_catalog.format('%s %s %s', p.oid, p.xmin, p.ctid), \
           CASE WHEN p.prosecdef THEN p.proowner::pg_catalog.int8 END \
         FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) p.pronamespace \
         WHERE p.oid OPERATOR(pg_catalog.=) pg_catalog.to_regprocedure({signature})"
    ));
    let found = spi::read(|reader| {
        reader.first(&statement, |row| {
            let definer = row.integer(3).and_then(|owner| u32::try_from(owner).ok());
            Ok(EmbeddingFunction { name: row.required_text(1)?, version: row.required_text(2)?, definer })
        })
    })?;
    found.map(Some).ok_or_else(unknown)
}

fn call(function: &EmbeddingFunction, text: &str) -> Result<Option<Vec<f32>>> {
    let name = &function.name;
    let mut statement = Statement::default();
    let argument = statement.bind(Param::text(text));
    let statement = statement.with(format!("SELECT {name}({argument})::pg_catalog.float4[]"));
    let came_from = |error: Error| error.detail(format!("It came from {name}(text)."));
    let vector = reworded::raised_in(&format!("{name}(text)"), "which memory_search.embedding_function names", || {
        callers_function::while_noted(&RUNNING, function.definer, || {
            spi::read(|reader| reader.first(&statement, |row| row.reals(1).map_err(came_from)))
        })
    })?
    .flatten();
    if let Some(vector) = &vector {
        embedding::check(vector).map_err(came_from)?;
    }
    Ok(vector)
}
