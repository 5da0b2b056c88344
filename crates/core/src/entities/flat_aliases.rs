//! The flat form of aliases: no alias stands for another alias. A chain is resolved when a part of it is made, in any
//! order of the parts, so that readers need one look-up. `memory_alias` and `memory_import` both use this rule.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::bounds_and_defaults::ALIAS_CHAIN;
use crate::error::{Error, Result, shown};
use crate::request::links::Name;
use crate::text::entity_key::entity_key;

/// The aliases of a memory, as they are stored.
#[derive(Debug, Default)]
pub struct FlatAliases {
    /// By the text of an alias: the name that it stands for.
    entities: BTreeMap<String, String>,
    /// By the key of an alias: its text. Plain SQL may have stored a text that is not the key.
    by_key: HashMap<String, String>,
    /// By the key of a name: the aliases that stand for it.
    standing_for: HashMap<String, BTreeSet<String>>,
}

/// The change of stored aliases by a new one.
#[derive(Debug, PartialEq, Eq)]
pub struct Change {
    /// Whether the name was no alias before.
    pub is_new: bool,
    /// The name that the alias now stands for.
    pub entity: String,
    /// The aliases that were there before and now stand for this name too.
    pub moved: Vec<String>,
}

impl FlatAliases {
    /// From stored pairs of an alias and the name that it stands for.
    pub fn of(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut aliases = FlatAliases::default();
        for (alias, entity) in pairs {
            aliases.put(&alias, &entity);
        }
        aliases
    }

    /// The name that a stored alias stands for.
    pub fn entity(&self, alias: &str) -> Option<&str> {
        self.entities.get(alias).map(String::as_str)
    }

    /// Makes a name an alias of another one, under the text `stored`. Aliases of the new alias become aliases of the
    /// other name. A circle is refused (22023).
    pub fn set(&mut self, stored: &str, alias: &Name, entity: &Name) -> Result<Change> {
        if alias.folded == entity.folded {
            let message = format!("alias and entity are the same name, \"{}\"", shown(&entity.written));
            return Err(
                Error::invalid(message).hint("Names are compared without case and accents: no alias is needed.")
            );
        }
        let entity = self.resolved(alias, entity)?;
        let mut moved: Vec<String> = self
            .standing_for
            .get(&alias.folded)
            .into_iter()
            .flatten()
            .filter(|name| *name != stored)
            .cloned()
            .collect();
        let is_new = !self.entities.contains_key(stored);
        if !is_new {
            moved.push(stored.to_owned());
        }
        for name in &moved {
            self.put(name, &entity);
        }
        if is_new {
            self.put(stored, &entity);
        }
        Ok(Change { is_new, entity, moved })
    }

    /// Notes an alias as it is.
    pub fn put(&mut self, alias: &str, entity: &str) {
        match self.entities.entry(alias.to_owned()) {
            Entry::Occupied(mut old) => {
                let old = old.insert(entity.to_owned());
                if let Some(others) = key_of(&old).and_then(|key| self.standing_for.get_mut(&key)) {
                    others.remove(alias);
                }
            }
            Entry::Vacant(new) => {
                if let Some(key) = key_of(alias)
                    && (key == alias || !self.by_key.contains_key(&key))
                {
                    self.by_key.insert(key, alias.to_owned());
                }
                new.insert(entity.to_owned());
            }
        }
        if let Some(key) = key_of(entity) {
            self.standing_for.entry(key).or_default().insert(alias.to_owned());
        }
    }

    /// The name that a name stands for at the end of its chain.
    fn resolved(&self, alias: &Name, entity: &Name) -> Result<String> {
        let (mut name, mut key) = (&entity.written, entity.folded.clone());
        for _ in 0..ALIAS_CHAIN {
            let Some(next) = self.by_key.get(&key).and_then(|stored| self.entities.get(stored)) else {
                return Ok(name.clone());
            };
            // An alias of a text that is no name stands for nothing.
            let Some(next_key) = key_of(next) else { return Ok(name.clone()) };
            (name, key) = (next, next_key);
            if key == alias.folded {
                let (alias, entity) = (shown(&alias.written), shown(&entity.written));
                let refusal = format!("\"{entity}\" is an alias of \"{alias}\": each would stand for the other");
                return Err(Error::invalid(refusal).hint("Remove that alias first: memory_unalias(memory_id, alias)."));
            }
        }
        let entity = shown(&entity.written);
        Err(Error::invalid(format!("\"{entity}\" is in a circle of aliases, or in a chain of too many"))
            .hint("Remove one of them first: memory_aliases(memory_id) shows them, memory_unalias removes one."))
    }
}

/// The key of a name; `None` for a text that plain SQL stored and that is no name.
fn key_of(name: &str) -> Option<String> {
    entity_key(name).map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        Name { written: text.to_owned(), folded: key_of(text).unwrap() }
    }

    fn set(aliases: &mut FlatAliases, alias: &str, entity: &str) -> Result<Change> {
        let alias = name(alias);
        aliases.set(&alias.folded.clone(), &alias, &name(entity))
    }

    #[test]
    fn a_chain_is_flat_in_every_order_of_its_parts() {
        let parts = [("A", "B"), ("b", "C"), ("C", "Dé"), ("x", "a")];
        for order in permutations(parts.len()) {
            let mut aliases = FlatAliases::default();
            for at in order {
                set(&mut aliases, parts[at].0, parts[at].1).unwrap();
            }
            for alias in ["a", "b", "c", "x"] {
                assert_eq!(aliases.entity(alias), Some("Dé"));
            }
        }
    }

    fn permutations(count: usize) -> Vec<Vec<usize>> {
        let Some(last) = count.checked_sub(1) else { return vec![Vec::new()] };
        let shorter = permutations(last).into_iter();
        shorter
            .flat_map(|order| {
                (0..=last).map(move |at| {
                    let mut longer = order.clone();
                    longer.insert(at, last);
                    longer
                })
            })
            .collect()
    }

    #[test]
    fn a_change_names_the_aliases_that_move() {
        let mut aliases = FlatAliases::of([("p".to_owned(), "Q".to_owned())]);
        let change = set(&mut aliases, "q", "R").unwrap();
        assert_eq!(change, Change { is_new: true, entity: "R".to_owned(), moved: vec!["p".to_owned()] });
        let change = set(&mut aliases, "p", "S").unwrap();
        assert_eq!(change, Change { is_new: false, entity: "S".to_owned(), moved: vec!["p".to_owned()] });
        let change = set(&mut aliases, "r", "T").unwrap();
        assert_eq!(change.moved, ["q"], "p stands for another name now");
    }

    #[test]
    fn a_circle_is_refused_and_changes_nothing() {
        let mut aliases = FlatAliases::default();
        set(&mut aliases, "a", "b").unwrap();
        set(&mut aliases, "b", "c").unwrap();
        for (alias, entity) in [("c", "a"), ("C", "B"), ("d", "D ")] {
            assert!(set(&mut aliases, alias, entity).is_err(), "{alias}");
        }
        assert_eq!((aliases.entity("a"), aliases.entity("c")), (Some("c"), None));
        let pairs = [("a", "B"), ("b", "A")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert!(set(&mut FlatAliases::of(pairs), "q", "a").is_err());
    }

    #[test]
    fn a_stored_text_that_is_not_the_key_is_part_of_chains_too() {
        let mut aliases = FlatAliases::of([("Mum".to_owned(), "Anna".to_owned()), (" ".to_owned(), " ".to_owned())]);
        assert_eq!(set(&mut aliases, "mother", "MUM").unwrap().entity, "Anna");
        assert_eq!(set(&mut aliases, "anna", "Dr. A").unwrap().moved, ["Mum", "mother"]);
    }

    #[test]
    fn stored_texts_that_are_no_names_make_no_circle() {
        let pairs = [(" ", "Anna"), ("mum", " "), ("!", "Mum")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        let mut aliases = FlatAliases::of(pairs);
        assert_eq!(set(&mut aliases, "mother", "Mum").unwrap().entity, "Mum");
        assert_eq!(set(&mut aliases, "anna", "Mum").unwrap().moved, [" "]);
    }
}
