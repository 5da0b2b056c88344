//! The entities of an entry: the caller's names, and those that its texts show.

use std::collections::HashSet;

use crate::bounds_and_defaults::MAX_ENTITIES;
use crate::text::entity_key::entity_key;
use crate::text::names_in_text::{Elsewhere, names_in};

/// The texts of an entry that are searched for names.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub struct Texts<'a> {
    pub summary: Option<&'a str>,
    pub raw_entry: &'a str,
}

impl Texts<'_> {
    fn names(&self, elsewhere: &impl Elsewhere) -> Vec<String> {
        let texts = self.summary.into_iter().chain([self.raw_entry]);
        texts.flat_map(|text| names_in(text, elsewhere)).map(|found| found.name.to_owned()).collect()
    }
}

/// The caller's names, then those of the texts, each once and at most [`MAX_ENTITIES`].
pub fn with_found(given: Vec<String>, texts: Texts<'_>, elsewhere: &impl Elsewhere) -> Vec<String> {
    different(given.into_iter().chain(texts.names(elsewhere)))
}

/// The names of an entry whose texts are new: the names that the new texts show replace those that the old texts
/// showed.
pub fn replaced(stored: Vec<String>, old: Texts<'_>, new: Texts<'_>, elsewhere: &impl Elsewhere) -> Vec<String> {
    let key = |name: &String| entity_key(name).map(|key| key.into_owned());
    let shown: HashSet<String> = old.names(elsewhere).iter().filter_map(key).collect();
    let given = stored.into_iter().filter(|name| key(name).is_none_or(|key| !shown.contains(&key))).collect();
    with_found(given, new, elsewhere)
}

fn different(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    names.filter(|name| entity_key(name).is_some_and(|key| seen.insert(key.into_owned()))).take(MAX_ENTITIES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::names_in_text::NothingKnown;

    fn texts(raw_entry: &str) -> Texts<'_> {
        Texts { summary: None, raw_entry }
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn names_that_are_given_come_first_and_each_once() {
        let text = texts("We met Sarah Miller in Lisbon, and Sarah Miller paid.");
        let found = with_found(names(&["Bob", "SARAH MILLER"]), text, &NothingKnown);
        assert_eq!(found, ["Bob", "SARAH MILLER", "Lisbon"]);
        let many: Vec<String> = (0..70).map(|n| format!("name {n}")).collect();
        assert_eq!(with_found(many, text, &NothingKnown).len(), MAX_ENTITIES);
    }

    #[test]
    fn a_new_text_takes_the_names_of_the_old_one_away_and_no_others() {
        let stored = names(&["Bob", "Lisbon", "Sarah Miller"]);
        let new =
            replaced(stored, texts("We met Sarah Miller in Lisbon."), texts("We met her in Porto."), &NothingKnown);
        assert_eq!(new, ["Bob", "Porto"]);
    }
}
