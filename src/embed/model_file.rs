//! The files of a local model: found below the server's share folder. The weights are mapped into memory so that all
//! connections share their pages.

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind as IoErrorKind;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use memory_search_core::{Error, ErrorKind, Result};
use memory_search_embedder::{CrossEncoder, EmbeddingModel, ModelError, ModelFiles};

use crate::pg::{library, memory_reserve, role};

/// A model whose weights are a memory map.
pub type MappedModel = EmbeddingModel<Mmap>;

/// A cross-encoder whose weights are a memory map.
pub type MappedCrossEncoder = CrossEncoder<Mmap>;

/// The most memory for reading the files besides the matrix; 25 MB for multilingual E5, whose vocabulary is the largest.
const READING_BYTES: usize = 32 << 20;

const MATRIX: &str = "model.safetensors";
const TOKENIZER: &str = "tokenizer.json";
const VOCABULARY: &str = "vocab.txt";
const CONFIG: &str = "config.json";
const SENTENCE_CONFIG: &str = "sentence_bert_config.json";
const POOLING_CONFIG: &str = "1_Pooling/config.json";
const SENTENCE_TRANSFORMERS_CONFIG: &str = "config_sentence_transformers.json";
const TOKENIZER_CONFIG: &str = "tokenizer_config.json";
const PROMPTS: &str = "prompts.json";

/// The folders that a name of a model may mean, in the order of the search: below the server's share folder, and,
/// if the extension is installed apart from the server (`extension_control_path`), next to its library and in the share
/// folder next to that, which is often the server's.
pub fn folders(model: &str) -> Vec<PathBuf> {
    const MODELS: &str = "memory_search/models";
    let given = Path::new(model);
    if given.is_absolute() {
        return vec![given.to_owned()];
    }
    let mut roots = vec![library::share_folder()];
    if let Some(library) = library::folder() {
        roots.extend(library.parent().map(|prefix| prefix.join("share")));
        roots.push(library);
    }
    let mut folders = Vec::new();
    for root in roots {
        let folder = root.join(MODELS).join(given);
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

/// The sentence that none of these folders exists.
pub fn missing_folders(model: &str) -> String {
    let folders: Vec<String> = folders(model).iter().map(|folder| format!("\"{}\"", folder.display())).collect();
    format!("There is no folder {}.", folders.join(", nor "))
}

/// Loads the embedder in the first of the folders that exists; `None` if there is none.
pub fn load(folders: &[PathBuf]) -> Result<Option<MappedModel>> {
    open("the embedding model", folders, EmbeddingModel::load, |error, refusal| {
        match error {
        ModelError::NoPrompts => refusal.hint(
            "Write the file prompts.json into the model's folder, with the prompts that the model's page names. Then begin \
             a new session, or restart the server if it loads the library in advance.",
        ),
        ModelError::CrossEncoder { .. } => refusal.hint(
            "Point memory_search.model at the folder of an embedding model; a search ranks by this one with \
             {\"rerank\": {\"model\": \"its folder\"}}.",
        ),
        _ => refusal.hint(
            "Install the model again, or point memory_search.model at the folder of a wordllama, model2vec, MiniLM or \
             multilingual E5 model.",
        ),
    }
    })
}

/// Loads the cross-encoder in the first of the folders that exists; `None` if there is none.
pub fn load_cross_encoder(folders: &[PathBuf]) -> Result<Option<MappedCrossEncoder>> {
    open("the cross-encoder", folders, CrossEncoder::load, |_, refusal| {
        refusal.hint(
            "Name the folder of a cross-encoder with one label, a BertForSequenceClassification or \
             XLMRobertaForSequenceClassification with weights of type F32; or install the model again.",
        )
    })
}

/// Reads the files in the first of the folders that exists, and makes a model of them.
fn open<T>(
    kind: &str,
    folders: &[PathBuf],
    load: impl FnOnce(Mmap, &ModelFiles<'_>) -> std::result::Result<T, ModelError>,
    hint: impl FnOnce(&ModelError, Error) -> Error,
) -> Result<Option<T>> {
    let Some(folder) = folders.iter().find(|folder| folder.is_dir()) else { return Ok(None) };
    let matrix = map(&folder.join(MATRIX))?;
    let vocabulary = read_if_there(&folder.join(VOCABULARY))?;
    let tokenizer = match read_if_there(&folder.join(TOKENIZER))? {
        None if vocabulary.is_some() => Vec::new(),
        Some(tokenizer) => tokenizer,
        None => read(&folder.join(TOKENIZER))?,
    };
    let config = read_if_there(&folder.join(CONFIG))?;
    let sentence_config = read_if_there(&folder.join(SENTENCE_CONFIG))?;
    let pooling_config = read_if_there(&folder.join(POOLING_CONFIG))?;
    let sentence_transformers_config = read_if_there(&folder.join(SENTENCE_TRANSFORMERS_CONFIG))?;
    let tokenizer_config = read_if_there(&folder.join(TOKENIZER_CONFIG))?;
    let prompts = read_if_there(&folder.join(PROMPTS))?;
    let files = ModelFiles {
        name: folder.file_name().and_then(OsStr::to_str).unwrap_or_default(),
        tokenizer: &tokenizer,
        vocabulary: vocabulary.as_deref(),
        config: config.as_deref(),
        sentence_config: sentence_config.as_deref(),
        pooling_config: pooling_config.as_deref(),
        sentence_transformers_config: sentence_transformers_config.as_deref(),
        tokenizer_config: tokenizer_config.as_deref(),
        prompts: prompts.as_deref(),
    };
    memory_reserve::require(READING_BYTES)?;
    load(matrix, &files).map(Some).map_err(|error| {
        let refusal = Error {
            detail: role::for_superusers(|| format!("It is in \"{}\".", folder.display())),
            ..Error::new(ErrorKind::WrongState, format!("{kind} cannot be used: {error}"))
        };
        hint(&error, refusal)
    })
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| unreadable(path, &error))
}

fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Err(error) if error.kind() == IoErrorKind::NotFound => Ok(None),
        other => other.map(Some).map_err(|error| unreadable(path, &error)),
    }
}

fn map(path: &Path) -> Result<Mmap> {
    library::map_file(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    let refusal = Error::new(ErrorKind::WrongState, format!("a file of the model cannot be read: {error}"))
        .hint("A model folder holds model.safetensors and tokenizer.json, readable by the server's account.");
    Error { detail: role::for_superusers(|| format!("It is \"{}\".", path.display())), ..refusal }
}
