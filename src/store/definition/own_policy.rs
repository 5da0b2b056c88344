//! The policy that `memory_enable_row_security()` makes: it shows the rows of the user that a setting names. Here are
//! its text for the statement that makes it, and the rules that recognise it by the server's own text of it.

use memory_search_core::Result;

use super::relations::Relations;
use crate::pg::spi::{Reader, Statement};
use crate::pg::sql_text::filled;

/// Finds the policies for reading.
const FIND: &str = include_str!("policies.sql");

/// The name of the policies, one on each relation of the store.
pub const NAME: &str = "memory_search_user";

/// The condition on a row with a `user_id`; `setting` is a literal. SET LOCAL leaves an empty setting behind, which
/// names nobody. In a subquery the setting is read once for each statement, not once for each row.
pub fn of_user(setting: &str) -> String {
    let user = format!("pg_catalog.current_setting({setting}, true)");
    format!("user_id OPERATOR(pg_catalog.=) (SELECT CASE WHEN {user} OPERATOR(pg_catalog.<>) '' THEN {user} END)")
}

/// The same condition for a distributed store: Citus does not allow subqueries in policies.
pub fn of_user_in_shards(setting: &str) -> String {
    let user = format!("pg_catalog.current_setting({setting}, true)");
    format!("user_id OPERATOR(pg_catalog.=) CASE WHEN {user} OPERATOR(pg_catalog.<>) '' THEN {user} END")
}

/// The own policies that bind a reader of a store.
#[derive(Debug, Default)]
pub struct OwnPolicies {
    /// The setting with the user, if the only policy for reading entries is the one from
    /// `memory_enable_row_security()`.
    pub user_setting: Option<String>,
    /// Whether the policies for reading contexts and entry_access are also the ones that it makes.
    pub are_alone: bool,
}

/// A policy for reading.
struct Policy {
    /// The OID of its relation.
    relation: u32,
    /// Whether it is permissive and holds for all roles.
    is_for_all: bool,
    /// Its condition as the server writes it, each run of white space as one blank.
    condition: Option<String>,
}

impl OwnPolicies {
    /// The own policies on a store's relations, told by their whole text: nothing is known of any other policy.
    pub fn find(reader: &Reader<'_>, relations: &Relations) -> Result<Self> {
        let mut statement = Statement::default();
        let oids = statement.bind(relations.oids());
        let statement = statement.with(filled(FIND, &[("{relations}", &oids)]));
        let mut policies = Vec::new();
        reader.rows(&statement, |row| {
            policies.push(Policy {
                relation: row.oid(1).unwrap_or(0),
                is_for_all: row.boolean(2) == Some(true),
                condition: row.text(3)?.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")),
            });
            Ok(())
        })?;
        let on = |relation: Option<u32>| -> Vec<&Policy> {
            policies.iter().filter(|policy| Some(policy.relation) == relation).collect()
        };
        let [entries, contexts, entry_access] = [&relations.entries, &relations.contexts, &relations.entry_access]
            .map(|relation| on(relation.as_ref().map(|relation| relation.oid)));
        let [policy] = entries[..] else { return Ok(OwnPolicies::default()) };
        let Some(setting) = policy.setting() else { return Ok(OwnPolicies::default()) };
        let of_user = of_user_as_written(&setting);
        let of_entry = format!(
            "(EXISTS ( SELECT FROM {}.entries e WHERE ((e.memory_id = entry_access.memory_id) \
               AND (e.entry_id = entry_access.entry_id) AND (e.{of_user}))))",
            relations.schema
        );
        let are_own = |policies: &[&Policy], condition: &str| {
            !policies.is_empty() && policies.iter().all(|policy| policy.says(condition))
        };
        let are_alone = are_own(&contexts, &format!("({of_user})")) && are_own(&entry_access, &of_entry);
        Ok(OwnPolicies { user_setting: Some(setting), are_alone })
    }
}

impl Policy {
    /// Whether it binds everybody by this condition.
    fn says(&self, condition: &str) -> bool {
        self.is_for_all && self.condition.as_deref() == Some(condition)
    }

    /// The setting, if it is the own policy on entries.
    fn setting(&self) -> Option<String> {
        let (_, rest) = self.condition.as_ref()?.split_once("current_setting('")?;
        let (setting, _) = rest.split_once('\'')?;
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '.';
        let is_own = setting.chars().all(is_name) && self.says(&format!("({})", of_user_as_written(setting)));
        is_own.then(|| setting.to_owned())
    }
}

/// The condition from [`of_user`] as the server writes it.
fn of_user_as_written(setting: &str) -> String {
    let user = format!("current_setting('{setting}'::text, true)");
    format!("user_id = ( SELECT CASE WHEN ({user} <> ''::text) THEN {user} ELSE NULL::text END AS \"case\")")
}
