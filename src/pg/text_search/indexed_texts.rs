//! The words that an index of texts holds, by its options `WITH (language = ..., weights = ...)`.

use std::ffi::CString;

use memory_search_core::text::made_words::Weight;
use memory_search_core::{Error, ErrorKind, Result};
use pgrx::pg_sys;

/// The default language, the same as that of stores.
pub const DEFAULT_LANGUAGE: &str = "pg_catalog.english";

/// The type of a column whose texts' words are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TextType {
    Text,
    Texts,
    Json,
}

impl TextType {
    /// The kind of texts of a column's type; `None` for a type without texts.
    pub fn of(oid: pg_sys::Oid) -> Option<TextType> {
        match oid {
            pg_sys::TEXTOID | pg_sys::VARCHAROID => Some(TextType::Text),
            pg_sys::TEXTARRAYOID | pg_sys::VARCHARARRAYOID => Some(TextType::Texts),
            pg_sys::JSONBOID => Some(TextType::Json),
            _ => None,
        }
    }
}

/// Options as the user wrote them; empty for omitted ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The name of a text search configuration.
    pub language: String,
    /// A letter, A to D, for each column with text.
    pub weights: String,
}

impl Options {
    /// The form of the options on the metapage of an index.
    pub fn to_bytes(&self) -> Vec<u8> {
        format!("{}\0{}", self.language, self.weights).into_bytes()
    }

    /// From [`Self::to_bytes`]; `None` for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Options> {
        let (language, weights) = std::str::from_utf8(bytes).ok()?.split_once('\0')?;
        Some(Options { language: language.to_owned(), weights: weights.to_owned() })
    }

    /// The text search configuration of the options (42704 if it does not exist). A name without a schema belongs to
    /// `pg_catalog`, on any search path.
    pub fn configuration(&self) -> Result<pg_sys::Oid> {
        let written = if self.language.is_empty() { DEFAULT_LANGUAGE } else { &self.language };
        let name = CString::new(written).map_err(|_| no_configuration(written))?;
        // SAFETY: inside a transaction; a name that is none raises an ERROR of the server's. A list has one name at least.
        let found = unsafe {
            let names = pg_sys::stringToQualifiedNameList(name.as_ptr(), std::ptr::null_mut());
            let names = match (*names).length {
                1 => {
                    let last = (*(*names).elements).ptr_value;
                    let first = pg_sys::makeString(c"pg_catalog".as_ptr().cast_mut());
                    pg_sys::lappend(pg_sys::lappend(std::ptr::null_mut(), first.cast()), last)
                }
                _ => names,
            };
            pg_sys::get_ts_config_oid(names, true)
        };
        if found == pg_sys::InvalidOid { Err(no_configuration(written)) } else { Ok(found) }
    }

    /// The weights of the words of each column with text (22023 if the option has more or fewer weights than columns).
    pub fn weights(&self, texts: impl Iterator<Item = TextType>) -> Result<Vec<Weight>> {
        let texts: Vec<TextType> = texts.collect();
        if self.weights.is_empty() {
            return Ok(default_weights(&texts));
        }
        let weights = weights_of(&self.weights)?;
        if weights.len() == texts.len() {
            return Ok(weights);
        }
        Err(Error::invalid(format!(
            "weights is \"{}\", {} letters, and the index has {} key columns with text",
            self.weights,
            weights.len(),
            texts.len()
        ))
        .hint("Give one letter, A to D, for each of them in their order, or leave weights out."))
    }
}

/// The default weights, as for the parts of an entry: a column of text has B, and the first of several has A; lists
/// have C and JSON has D.
pub fn default_weights(texts: &[TextType]) -> Vec<Weight> {
    let has_several = texts.iter().filter(|text| **text == TextType::Text).count() > 1;
    let mut is_first = has_several;
    texts
        .iter()
        .map(|text| match text {
            TextType::Text if std::mem::take(&mut is_first) => Weight::A,
            TextType::Text => Weight::B,
            TextType::Texts => Weight::C,
            TextType::Json => Weight::D,
        })
        .collect()
}

/// The weights for letters (22023 if a letter is no weight).
pub fn weights_of(letters: &str) -> Result<Vec<Weight>> {
    let weight = |letter| match letter {
        'A' => Ok(Weight::A),
        'B' => Ok(Weight::B),
        'C' => Ok(Weight::C),
        'D' => Ok(Weight::D),
        _ => Err(Error::invalid(format!("weights is \"{letters}\", and '{letter}' is no weight"))
            .hint("Weights are A, B, C and D; A counts most.")),
    };
    letters.chars().map(weight).collect()
}

/// The letters for weights.
pub fn letters_of(weights: &[Weight]) -> String {
    let letter = |weight: &Weight| match weight {
        Weight::A => 'A',
        Weight::B => 'B',
        Weight::C => 'C',
        Weight::D => 'D',
    };
    weights.iter().map(letter).collect()
}

fn no_configuration(name: &str) -> Error {
    Error::new(ErrorKind::UndefinedObject, format!("there is no text search configuration \"{name}\"")).hint(
        "\\dF lists them. One that is not in pg_catalog is named with its schema: WITH (language = 'public.mine').",
    )
}
