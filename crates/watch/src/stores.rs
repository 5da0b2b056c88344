//! The stores to work on, and the role's privileges there.

use serde_json::Value;

/// A store to work on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Store {
    /// Its name.
    pub name: String,
    /// Whether its entries are a table of the application's.
    pub adopted: bool,
    /// Whether a policy binds the role: then it only works on rows that the policy lets it change.
    pub bound: bool,
}

/// The stores that were found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Stores {
    /// The stores to work on.
    pub stores: Vec<Store>,
    /// The named stores that it cannot work on, each with the reason.
    pub refused: Vec<(String, String)>,
    /// The number of stores of other owners that it could work on if they were named.
    pub others: u64,
    /// The role of the watcher.
    pub role: String,
}

/// Reads the result of the statement.
pub fn read(answer: &Value, named: &[String], purges: bool) -> Stores {
    let is = |row: &Value, key: &str| row[key] == Value::Bool(true);
    let mut found = Stores {
        role: answer["role"].as_str().unwrap_or_default().to_owned(),
        others: answer["others"].as_u64().unwrap_or_default(),
        ..Stores::default()
    };
    let rows = answer["stores"].as_array().map(Vec::as_slice).unwrap_or_default();
    for name in named.iter().filter(|name| !rows.iter().any(|row| row["store"].as_str() == Some(name))) {
        let hint = format!("Hint: SELECT memory_create_store({}) makes it", literal(name));
        found.refused.push((name.clone(), format!("there is no store \"{name}\" in this database. {hint}")));
    }
    for row in rows {
        let name = row["store"].as_str().unwrap_or_default();
        if is(row, "usable") && is(row, "changes") && (is(row, "removes") || !purges) {
            found.stores.push(Store { name: name.to_owned(), adopted: is(row, "adopted"), bound: is(row, "bound") });
            continue;
        }
        let (role, wanted) = (&found.role, if purges { "change and remove" } else { "change" });
        let hint = format!("SELECT memory_grant({}, {}, 'writer')", literal(name), literal(role));
        let why =
            format!("the role \"{role}\" may not {wanted} rows of the store \"{name}\". Hint: its owner runs {hint}");
        found.refused.push((name.to_owned(), why));
    }
    found
}

/// `text` as an SQL literal.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answer(usable: bool, changes: bool, removes: bool) -> Value {
        json!({"role": "o'hara", "others": 2, "stores": [{"store": "a", "adopted": false, "bound": true,
            "usable": usable, "changes": changes, "removes": removes}]})
    }

    #[test]
    fn a_named_store_must_exist_and_permit_the_requested_work() {
        let named = ["a".to_owned()];
        assert_eq!(read(&answer(true, true, false), &named, false).stores[0].name, "a");
        assert!(read(&answer(true, true, true), &named, true).stores[0].bound);
        for (usable, changes, removes) in [(false, true, true), (true, false, true), (true, true, false)] {
            let found = read(&answer(usable, changes, removes), &named, true);
            assert!(found.stores.is_empty());
            assert!(found.refused[0].1.contains("memory_grant('a', 'o''hara', 'writer')"), "{:?}", found.refused);
        }
        let missing = read(&answer(true, true, true), &["b".to_owned()], false);
        assert!(missing.refused[0].1.contains("no store \"b\""), "{:?}", missing.refused);
    }
}
