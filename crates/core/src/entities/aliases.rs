//! Names that stand for others in a memory.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::filter::TagMatch;
use crate::filter::condition::Condition;
use crate::text::entity_key::entity_key;

/// The aliases of a memory, with the name that each stands for.
#[derive(Debug, Default)]
pub struct Aliases {
    /// By the key of an alias or of the entity itself: the entity's key and its name.
    entities: HashMap<String, (String, String)>,
}

impl Aliases {
    /// From pairs of an alias and the name that it stands for; a pair with a text that is no name is left out.
    pub fn of(pairs: impl IntoIterator<Item = (String, String)>) -> Aliases {
        let mut entities = HashMap::new();
        for (alias, name) in pairs {
            if let (Some(alias), Some(entity)) = (entity_key(&alias), entity_key(&name)) {
                let entity = entity.into_owned();
                entities.insert(alias.into_owned(), (entity.clone(), name.clone()));
                entities.insert(entity.clone(), (entity, name));
            }
        }
        Aliases { entities }
    }

    /// Whether there are no aliases.
    pub fn is_empty(&self) -> bool {
        self.entities.is_empty()
    }

    /// The key of the entity that a key stands for, and its name if an alias gives one.
    pub fn entity_of<'a>(&'a self, key: &'a str) -> (&'a str, Option<&'a str>) {
        self.entities.get(key).map_or((key, None), |(entity, name)| (entity.as_str(), Some(name.as_str())))
    }

    /// All keys by which entries may name an entity, its own first.
    pub fn keys_of(&self, key: &str) -> Vec<String> {
        let (entity, _) = self.entity_of(key);
        let mut aliases: Vec<&String> = self
            .entities
            .iter()
            .filter(|(alias, (own, _))| own == entity && *alias != entity)
            .map(|(key, _)| key)
            .collect();
        aliases.sort_unstable();
        std::iter::once(entity.to_owned()).chain(aliases.into_iter().cloned()).collect()
    }

    /// A condition on entities, extended by all their names.
    pub fn applied(&self, condition: &Condition) -> Condition {
        let each = |parts: &[Condition]| parts.iter().map(|part| self.applied(part)).collect();
        match condition {
            Condition::Entities(keys, TagMatch::Any) => {
                Condition::Entities(keys.iter().flat_map(|key| self.keys_of(key)).collect(), TagMatch::Any)
            }
            Condition::Entities(keys, TagMatch::All) if !keys.is_empty() => {
                Condition::all(keys.iter().map(|key| Condition::Entities(self.keys_of(key), TagMatch::Any)))
            }
            Condition::All(parts) => Condition::All(each(parts)),
            Condition::Any(parts) => Condition::Any(each(parts)),
            Condition::Not(part) => Condition::Not(Box::new(self.applied(part))),
            Condition::IsTrue(part) => Condition::IsTrue(Box::new(self.applied(part))),
            other => other.clone(),
        }
    }

    /// The key of a name's entity, with the name to show if an alias gives one.
    pub fn of_name<'a>(&'a self, name: &'a str) -> Option<(Cow<'a, str>, Option<&'a str>)> {
        let key = entity_key(name)?;
        match self.entities.get(&*key) {
            Some((entity, shown)) => Some((Cow::Borrowed(entity), Some(shown))),
            None => Some((key, None)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aliases() -> Aliases {
        Aliases::of(
            [("Liz", "Elizabeth"), ("Beth", "Elizabeth"), ("NYC", "New York")].map(|(a, b)| (a.into(), b.into())),
        )
    }

    #[test]
    fn an_entity_has_the_keys_of_all_its_aliases() {
        let aliases = aliases();
        for name in ["elizabeth", "liz", "beth"] {
            assert_eq!(aliases.keys_of(name), ["elizabeth", "beth", "liz"]);
        }
        assert_eq!(aliases.keys_of("bob"), ["bob"]);
        assert_eq!(aliases.of_name("LIZ"), Some((Cow::Borrowed("elizabeth"), Some("Elizabeth"))));
        assert_eq!(aliases.of_name(" "), None);
    }

    #[test]
    fn a_condition_asks_for_each_entity_by_any_of_its_names() {
        let keys = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
        let any = Condition::Entities(keys(&["liz", "bob"]), TagMatch::Any);
        let all = Condition::Entities(keys(&["liz", "bob"]), TagMatch::All);
        let liz = || Condition::Entities(keys(&["elizabeth", "beth", "liz"]), TagMatch::Any);
        let bob = || Condition::Entities(keys(&["bob"]), TagMatch::Any);
        let Condition::Entities(found, TagMatch::Any) = aliases().applied(&any) else { panic!() };
        assert_eq!(found, ["elizabeth", "beth", "liz", "bob"]);
        assert_eq!(aliases().applied(&all), Condition::All(vec![liz(), bob()]));
        assert_eq!(aliases().applied(&all.clone().is_not_true()), Condition::All(vec![liz(), bob()]).is_not_true());
        let none = Condition::Entities(Vec::new(), TagMatch::All);
        assert_eq!(aliases().applied(&none), none);
    }
}
