//! The policy that `memory_enable_row_security()` makes: rows of the user that a setting names. Its text
//! for the statement that makes it, and the look at the catalogs that recognises it, as the server writes it.

/// The name of the policies, on each relation of the store.
pub const NAME: &str = "memory_search_user";

/// The condition on a row with a `user_id`; `setting` is a literal. An empty setting is what is left after SET
/// LOCAL: it names nobody. As a subquery it is read once for a statement, not once for each row.
pub fn of_user(setting: &str) -> String {
    let user = format!("pg_catalog.current_setting({setting}, true)");
    format!("user_id OPERATOR(pg_catalog.=) (SELECT CASE WHEN {user} OPERATOR(pg_catalog.<>) '' THEN {user} END)")
}

/// The same for a store that is distributed: Citus has no subqueries in policies.
pub fn of_user_in_shards(setting: &str) -> String {
    let user = format!("pg_catalog.current_setting({setting}, true)");
    format!("user_id OPERATOR(pg_catalog.=) CASE WHEN {user} OPERATOR(pg_catalog.<>) '' THEN {user} END")
}

/// The setting in the policy on `entries` of pg_class, by its whole text as the server writes it; no row when
/// anything about the policies for reading is different.
pub const FIND_SETTING: &str = r#"SELECT pg_catalog.min(ours.part[1]) AS setting FROM pg_catalog.pg_policy p
     LEFT JOIN LATERAL pg_catalog.regexp_match(
         pg_catalog.regexp_replace(pg_catalog.pg_get_expr(p.polqual, p.polrelid), E'\\s+', ' ', 'g'),
         E'^\\(user_id = \\( SELECT CASE WHEN \\(current_setting\\(''([A-Za-z0-9_.]+)''::text, true\\) <> ''''::text\\) '
         'THEN current_setting\\(''\\1''::text, true\\) ELSE NULL::text END AS "case"\\)\\)$') ours (part)
       ON p.polpermissive AND p.polroles OPERATOR(pg_catalog.=) '{0}'::pg_catalog.oid[]
     WHERE p.polrelid OPERATOR(pg_catalog.=) entries.oid
       AND p.polcmd OPERATOR(pg_catalog.=) ANY (ARRAY['r', '*']::pg_catalog."char"[])
     HAVING pg_catalog.count(*) OPERATOR(pg_catalog.=) 1"#;
