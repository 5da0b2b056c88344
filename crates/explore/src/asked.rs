//! The values of an address's query by their names. A name that a page does not know is refused, because the page would
//! answer another question than the address asks.

use std::collections::BTreeMap;

use memory_search_core::error::{Error, Result, shown};
use memory_search_core::json_fields::nearest;

/// The values of a query; an empty one is the same as none.
#[derive(Debug, Clone, Default)]
pub struct Asked(BTreeMap<String, String>);

impl Asked {
    /// Reads the query of an address.
    pub fn read(query: &str) -> Result<Self> {
        if percent_encoding::percent_decode_str(query).decode_utf8().is_err() {
            return Err(Error::invalid("the address is no UTF-8"));
        }
        let mut values = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let value = value.replace("\r\n", "\n");
            if value.trim().is_empty() {
                continue;
            }
            if values.insert(name.to_string(), value).is_some() {
                return Err(Error::invalid(format!("the address has \"{}\" twice", shown(&name))));
            }
        }
        Ok(Asked(values))
    }

    /// These values.
    pub fn of(values: &[(&str, &str)]) -> Self {
        let given = values.iter().filter(|(_, value)| !value.trim().is_empty());
        Asked(given.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    /// Refuses names other than these.
    pub fn refuse_unknown(&self, known: &[&str]) -> Result<()> {
        let Some(name) = self.0.keys().find(|name| !known.contains(&name.as_str())) else { return Ok(()) };
        let refusal =
            Error::invalid(format!("the address asks for \"{}\", which this page does not know", shown(name)));
        Err(match nearest(name, known) {
            Some(near) => refusal.hint(format!("Did you mean \"{near}\"?")),
            None => refusal.hint(format!("It knows {}.", known.join(", "))),
        })
    }

    /// A value.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// A value that has to be there.
    pub fn required(&self, name: &str) -> Result<&str> {
        self.get(name).ok_or_else(|| Error::invalid(format!("the address names no {name}")))
    }

    /// The values of `names` that are there.
    pub fn those<'a>(&'a self, names: &[&'a str]) -> Vec<(&'a str, &'a str)> {
        names.iter().filter_map(|name| self.get(name).map(|value| (*name, value))).collect()
    }
}

/// A page with these values, as the other pages link to it.
pub fn link(page: &str, values: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(values.iter().filter(|(_, value)| !value.is_empty()));
    format!("{page}?{}", query.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_read_as_it_was_written() {
        let values = [("memory", "o'hara & \"x\"=%"), ("q", "ä\u{2028}+<b>")];
        let link = link("search", &values);
        let asked = Asked::read(link.split_once('?').unwrap().1).unwrap();
        assert_eq!(asked.those(&["memory", "q"]), values);
    }

    #[test]
    fn an_unknown_or_repeated_name_is_refused() {
        let hint = Asked::read("memry=x").unwrap().refuse_unknown(&["q", "memory"]).unwrap_err().hint;
        assert_eq!(hint.as_deref(), Some("Did you mean \"memory\"?"));
        assert!(Asked::read("q=x&q=y").is_err());
        assert!(Asked::read("q=%ff%fe").is_err());
        assert_eq!(Asked::read("q=&q=y").unwrap().get("q"), Some("y"));
    }
}
