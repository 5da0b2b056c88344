//! Reads the fields of a JSON object one by one, so that every refusal names the field by its whole path, and the error
//! for an unknown key names the nearest known one.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use crate::error::{Error, Result, shown};

/// A JSON object being read. Each `take_*` removes a field; [`Fields::finish`] refuses the rest.
pub struct Fields {
    path: String,
    map: Map<String, Value>,
    known: Vec<&'static str>,
}

/// Another object beside the one that is read.
pub struct Beside {
    /// Tells whether the object has this key.
    pub has: fn(&str) -> bool,
    /// The noun for one of its keys: "an option".
    pub is: &'static str,
    /// The place at which a caller writes such a key.
    pub place: fn(&str) -> String,
}

const LEAVE_OUT: &str = "Write a number of this range without quotes, or leave the key out.";
/// The form of an embedding in JSON.
const EMBEDDING_FORM: &str = "An embedding is a list of finite numbers: [0.1,0.2,0.3].";
/// The form of an object in JSON.
pub const OBJECT_FORM: &str = "Write keys and values in braces: {\"key\": \"value\"}.";

/// A set of words that a field may hold.
pub trait Choice: Sized + Copy + 'static {
    /// Each word with its meaning.
    const CHOICES: &'static [(&'static str, Self)];
}

/// The words of `T`.
pub fn words<T: Choice>() -> Vec<&'static str> {
    T::CHOICES.iter().map(|(word, _)| *word).collect()
}

/// The word of a choice.
pub fn word_of<T: Choice + PartialEq>(choice: T) -> &'static str {
    T::CHOICES.iter().find(|(_, own)| *own == choice).map_or("", |(word, _)| word)
}

/// The choice for a word; `name` is the argument's name in errors.
pub fn choice<T: Choice>(name: &str, text: &str) -> Result<T> {
    if let Some((_, choice)) = T::CHOICES.iter().find(|(word, _)| *word == text) {
        return Ok(*choice);
    }
    let words = words::<T>();
    let refusal = Error::invalid(format!("{name} must be one of {}, not \"{}\"", words.join(", "), shown(text)));
    Err(match nearest(text, &words) {
        Some(word) => refusal.hint(format!("Did you mean \"{word}\"?")),
        None => refusal.hint(format!("Use one of {}.", words.join(", "))),
    })
}

/// The elements of an embedding in JSON.
fn vector(path: &str, items: &[Value], most: usize) -> Result<Vec<f32>> {
    if items.len() > most {
        return Err(Error::invalid(format!("{path} has {} elements, more than {most}", items.len()))
            .hint("Give an embedding of the store's dimensions, or leave the key out."));
    }
    let number = |(place, item): (usize, &Value)| {
        item.as_f64().map(|x| x as f32).ok_or_else(|| {
            Error::invalid(format!("{path}[{place}] must be a number, not {}", described(item))).hint(EMBEDDING_FORM)
        })
    };
    items.iter().enumerate().map(number).collect()
}

impl Fields {
    /// Parses `text` as a JSON object; `path` is its name in errors (`options`).
    pub fn parse(path: &str, text: &str) -> Result<Self> {
        let value: Value = serde_json::from_str(text).map_err(|error| unreadable(path, &error))?;
        Fields::from_value(path, value)
    }

    /// The fields of an object that was read already.
    pub fn of_object(path: &str, map: Map<String, Value>) -> Self {
        Fields { path: path.to_owned(), map, known: Vec::new() }
    }

    fn from_value(path: &str, value: Value) -> Result<Self> {
        match value {
            Value::Object(map) => Ok(Fields { path: path.to_owned(), map, known: Vec::new() }),
            other => {
                Err(Error::invalid(format!("{path} must be a JSON object, not {}", described(&other)))
                    .hint(OBJECT_FORM))
            }
        }
    }

    /// The full name of a field: `options.weights.semantic`.
    pub fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// Removes the field; null counts as absent.
    pub fn take(&mut self, key: &'static str) -> Option<Value> {
        self.known.push(key);
        self.map.remove(key).filter(|value| !value.is_null())
    }

    /// Leaves a field for another reader.
    pub fn forget(&mut self, key: &str) {
        self.map.remove(key);
    }

    /// The choice that a field names, if it is one of the words of `T`. The field stays.
    pub fn peek_choice<T: Choice>(&self, key: &str) -> Option<T> {
        let word = self.map.get(key)?.as_str()?;
        T::CHOICES.iter().find(|(known, _)| *known == word).map(|(_, choice)| *choice)
    }

    /// Whether the object still holds `key`.
    pub fn holds(&self, key: &str) -> bool {
        self.map.contains_key(key)
    }

    fn wrong(&self, key: &str, expected: &str, value: &Value) -> Error {
        Error::invalid(format!("{} must be {expected}, not {}", self.path_of(key), described(value)))
    }

    /// A text field.
    pub fn take_text(&mut self, key: &'static str) -> Result<Option<String>> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self
                .wrong(key, "a text", &other)
                .hint(format!("Write the value in quotes, {{\"{key}\": \"...\"}}, or leave the key out."))),
        }
    }

    /// A field that is true or false.
    pub fn take_boolean(&mut self, key: &'static str) -> Result<Option<bool>> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(other) => Err(self
                .wrong(key, "true or false", &other)
                .hint("Write the word without quotes, or leave the key out.")),
        }
    }

    /// A whole number within `range`.
    pub fn take_integer(&mut self, key: &'static str, range: RangeInclusive<i64>) -> Result<Option<i64>> {
        let expected = format!("a whole number from {} to {}", range.start(), range.end());
        match self.take(key) {
            None => Ok(None),
            Some(value) => match whole_number(&value) {
                Some(number) if range.contains(&number) => Ok(Some(number)),
                _ => Err(self.wrong(key, &expected, &value).hint(LEAVE_OUT)),
            },
        }
    }

    /// Any whole number; the caller checks its range later.
    pub fn take_any_integer(&mut self, key: &'static str) -> Result<Option<i64>> {
        match self.take(key) {
            None => Ok(None),
            Some(value) => match whole_number(&value) {
                Some(number) => Ok(Some(number)),
                None => Err(self
                    .wrong(key, "a whole number", &value)
                    .hint("Write it in digits without quotes, or leave the key out.")),
            },
        }
    }

    /// A number within `range`.
    pub fn take_number(&mut self, key: &'static str, range: RangeInclusive<f64>) -> Result<Option<f64>> {
        let expected = match (*range.start(), *range.end()) {
            (f64::MIN, f64::MAX) => "a number".to_owned(),
            (least, most) => format!("a number from {least} to {most}"),
        };
        match self.take(key) {
            None => Ok(None),
            Some(value) => match value.as_f64() {
                Some(number) if range.contains(&number) => Ok(Some(number)),
                _ => Err(self.wrong(key, &expected, &value).hint(LEAVE_OUT)),
            },
        }
    }

    /// One of the words of `T`.
    pub fn take_choice<T: Choice>(&mut self, key: &'static str) -> Result<Option<T>> {
        let Some(value) = self.take(key) else { return Ok(None) };
        let Value::String(text) = &value else {
            let example = words::<T>().first().copied().unwrap_or_default();
            return Err(self
                .wrong(key, &format!("one of {}", words::<T>().join(", ")), &value)
                .hint(format!("Write the word in quotes: {{\"{key}\": \"{example}\"}}.")));
        };
        choice(&self.path_of(key), text).map(Some)
    }

    /// A text or a list of texts, at most `most` of them.
    pub fn take_texts(&mut self, key: &'static str, most: usize) -> Result<Option<Vec<String>>> {
        let Some(value) = self.take(key) else { return Ok(None) };
        let wrong = |found: &Value| {
            self.wrong(key, "a text or a list of texts", found)
                .hint(format!("Write texts in quotes: {{\"{key}\": [\"one\", \"two\"]}}."))
        };
        let texts = match &value {
            Value::String(text) => vec![text.clone()],
            Value::Array(items) => items
                .iter()
                .map(|item| item.as_str().map(str::to_owned).ok_or_else(|| wrong(item)))
                .collect::<Result<Vec<_>>>()?,
            other => return Err(wrong(other)),
        };
        if texts.len() > most {
            return Err(Error::invalid(format!("{} has {} values, more than {most}", self.path_of(key), texts.len()))
                .hint("Give fewer of them, or divide them among several calls."));
        }
        Ok(Some(texts))
    }

    /// A list of numbers, as an embedding is written in JSON.
    pub fn take_vector(&mut self, key: &'static str, most: usize) -> Result<Option<Vec<f32>>> {
        let Some(value) = self.take(key) else { return Ok(None) };
        let Value::Array(items) = &value else {
            return Err(self.wrong(key, "a list of numbers", &value).hint(EMBEDDING_FORM));
        };
        vector(&self.path_of(key), items, most).map(Some)
    }

    /// A list of at most `most` embeddings, each with at most `elements` elements.
    pub fn take_vectors(&mut self, key: &'static str, most: usize, elements: usize) -> Result<Option<Vec<Vec<f32>>>> {
        let Some(value) = self.take(key) else { return Ok(None) };
        let Value::Array(items) = &value else {
            return Err(self
                .wrong(key, "a list of embeddings", &value)
                .hint("Give an embedding for each passage: [[0.1,0.2],[0.3,0.4]]."));
        };
        let path = self.path_of(key);
        if items.len() > most {
            return Err(Error::invalid(format!("{path} has {} embeddings, more than {most}", items.len()))
                .hint("Cut the text into fewer passages, which may have more words."));
        }
        let one = |(place, item): (usize, &Value)| match item {
            Value::Array(items) => vector(&format!("{path}[{place}]"), items, elements),
            _ => Err(Error::invalid(format!("{path}[{place}] must be a list of numbers, not {}", described(item)))
                .hint("Give an embedding for each passage: [[0.1,0.2],[0.3,0.4]].")),
        };
        items.iter().enumerate().map(one).collect::<Result<Vec<_>>>().map(Some)
    }

    /// A nested object with unknown keys.
    pub fn take_map(&mut self, key: &'static str) -> Result<Option<Map<String, Value>>> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::Object(map)) => Ok(Some(map)),
            Some(other) => Err(self.wrong(key, "a JSON object", &other).hint(OBJECT_FORM)),
        }
    }

    /// A nested object.
    pub fn take_object(&mut self, key: &'static str) -> Result<Option<Fields>> {
        match self.take(key) {
            None => Ok(None),
            Some(value) => Fields::from_value(&self.path_of(key), value).map(Some),
        }
    }

    /// Refuses a key that none of the `take_*` calls asked for.
    pub fn finish(self) -> Result<()> {
        self.finish_beside(&[])
    }

    /// Like [`Fields::finish`], for one of several objects: callers often write a key of another object into it, and
    /// the hint then names the right place.
    pub fn finish_beside(self, others: &[Beside]) -> Result<()> {
        let Some(key) = self.map.keys().next() else { return Ok(()) };
        let refusal = Error::invalid(format!("unknown key \"{}\"{}", shown(key), self.place()));
        if let Some(other) = others.iter().find(|other| (other.has)(key)) {
            return Err(refusal.hint(format!("{} is {}: write {}.", shown(key), other.is, (other.place)(&shown(key)))));
        }
        if let Some((object, inner)) = key.split_once('.')
            && self.known.contains(&object)
        {
            return Err(refusal.hint(format!("Write {{\"{object}\": {{\"{}\": ...}}}}.", shown(inner))));
        }
        Err(match nearest(key, &self.known) {
            Some(known) => refusal.hint(format!("Did you mean \"{known}\"?")),
            None if self.known.is_empty() => refusal.hint("It takes no keys: leave them out."),
            None => refusal.hint(format!("Valid keys are {}.", self.known.join(", "))),
        })
    }

    fn place(&self) -> String {
        if self.path.is_empty() { String::new() } else { format!(" in {}", self.path) }
    }
}

/// The known word that `word` most likely means, if any is near enough.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    const NEAR_ENOUGH: f64 = 0.6;
    let plain = |text: &str| text.to_lowercase().replace(['_', '-', '.', '$', ' '], "");
    let wanted = plain(&shown(word));
    known
        .iter()
        .map(|candidate| (strsim::normalized_damerau_levenshtein(&wanted, &plain(candidate)), *candidate))
        .filter(|(similarity, _)| *similarity >= NEAR_ENOUGH)
        // The first of equally near ones, because aliases come last.
        .rev()
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

fn whole_number(value: &Value) -> Option<i64> {
    // 5.0 is a whole number to a client whose language has only doubles.
    value.as_i64().or_else(|| {
        value.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < 9e15).map(|number| number as i64)
    })
}

/// A JSON value as an error message shows it.
pub fn described(value: &Value) -> String {
    match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::String(text) => format!("\"{}\"", shown(text)),
        other => other.to_string(),
    }
}

/// The refusal of JSON that PostgreSQL takes and the parser here does not. The parser's own words count lines and
/// columns of a text that no caller has seen, because jsonb is written anew.
pub fn unreadable(path: &str, error: &serde_json::Error) -> Error {
    let said = error.to_string();
    if said.starts_with("number out of range") {
        return Error::invalid(format!("{path} holds a number that does not fit double precision"))
            .hint("Write a number between -1.7e308 and 1.7e308, or give its digits as a text.");
    }
    if said.starts_with("recursion limit") {
        return Error::invalid(format!("{path} is nested deeper than 126 levels"))
            .hint("Nest fewer objects and lists in each other.");
    }
    Error::invalid(format!("{path} is not the JSON that belongs there"))
        .hint("Compare its form with the documentation of this argument.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_json_is_refused_without_lines_and_columns() {
        for (text, words) in [
            ("{\"a\": 1e400}".to_owned(), "filters holds a number that does not fit double precision"),
            ("[".repeat(200) + &"]".repeat(200), "filters is nested deeper than 126 levels"),
        ] {
            let error = Fields::parse("filters", &text).err().unwrap();
            assert_eq!(error.message, words);
            assert!(error.hint.is_some());
        }
    }

    fn refusal(of: Result<()>) -> (String, String) {
        let error = of.unwrap_err();
        (error.message, error.hint.unwrap_or_default())
    }

    #[test]
    fn a_misspelt_key_is_answered_with_the_nearest_one() {
        let mut fields = Fields::parse("options", r#"{"stategy": "auto"}"#).unwrap();
        fields.take("strategy");
        fields.take("preset");
        let (message, hint) = refusal(fields.finish());
        assert_eq!(message, "unknown key \"stategy\" in options");
        assert_eq!(hint, "Did you mean \"strategy\"?");
    }

    #[test]
    fn a_key_like_no_other_is_answered_with_the_list() {
        let mut fields = Fields::parse("filters", r#"{"zzz": 1}"#).unwrap();
        fields.take("userId");
        assert_eq!(refusal(fields.finish()).1, "Valid keys are userId.");
    }

    #[test]
    fn a_wrong_value_names_its_whole_path_and_range() {
        let mut fields = Fields::parse("options", r#"{"weights": {"semantic": 2}}"#).unwrap();
        let mut weights = fields.take_object("weights").unwrap().unwrap();
        let error = weights.take_number("semantic", 0.0..=1.0).unwrap_err();
        assert_eq!(error.message, "options.weights.semantic must be a number from 0 to 1, not 2");
    }

    #[test]
    fn numbers_beyond_double_precision_and_deep_nesting_are_refused_in_words() {
        assert!(Fields::parse("filters", r#"{"importance": 1e400}"#).is_err());
        let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
        assert!(Fields::parse("filters", &format!("{{\"metadata\": {deep}}}")).is_err());
    }

    #[test]
    fn a_whole_number_may_be_written_as_a_double() {
        let mut fields = Fields::parse("", r#"{"top_ke": 5.0, "top_kc": 1.5}"#).unwrap();
        assert_eq!(fields.take_any_integer("top_ke").unwrap(), Some(5));
        assert!(fields.take_any_integer("top_kc").is_err());
    }
}
