//! The policy that `memory_enable_row_security()` makes: it shows the rows of the user that a setting names. Here are
//! its text for the statement that makes it, and the catalog query that recognises it by the server's own text of it.

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

/// The setting in the policy on `entries` of pg_class, found by the whole text of the policy as the server writes it;
/// no row if anything about the policies for reading differs.
pub const FIND_SETTING: &str = r#"SELECT pg_catalog.min(ours.part[1]) AS setting FROM pg_catalog.pg_policy p
     LEFT JOIN LATERAL pg_catalog.regexp_match(
         pg_catalog.regexp_replace(pg_catalog.pg_get_expr(p.polqual, p.polrelid), E'\\s+', ' ', 'g'),
         E'^\\(user_id = \\( SELECT CASE WHEN \\(current_setting\\(''([A-Za-z0-9_.]+)''::text, true\\) <> ''''::text\\) '
         'THEN current_setting\\(''\\1''::text, true\\) ELSE NULL::text END AS "case"\\)\\)$') ours (part)
       ON p.polpermissive AND p.polroles OPERATOR(pg_catalog.=) '{0}'::pg_catalog.oid[]
     WHERE p.polrelid OPERATOR(pg_catalog.=) entries.oid
       AND p.polcmd OPERATOR(pg_catalog.=) ANY (ARRAY['r', '*']::pg_catalog."char"[])
     HAVING pg_catalog.count(*) OPERATOR(pg_catalog.=) 1"#;

/// Whether the only policies for reading contexts and entry_access are the matching ones, by their whole text as the
/// server writes it: an SQL condition to use with [`FIND_SETTING`], whose row is `policy`, on pg_class as `contexts`
/// and the schema `n`.
pub const OTHERS_GO_WITH_IT: &str = r#"policy.setting IS NOT NULL AND (
    SELECT pg_catalog.count(DISTINCT p.polrelid) OPERATOR(pg_catalog.=) 2 AND pg_catalog.bool_and(
        p.polpermissive AND p.polroles OPERATOR(pg_catalog.=) '{0}'::pg_catalog.oid[]
          AND pg_catalog.regexp_replace(pg_catalog.pg_get_expr(p.polqual, p.polrelid), E'\\s+', ' ', 'g')
            OPERATOR(pg_catalog.=) CASE WHEN p.polrelid OPERATOR(pg_catalog.=) contexts.oid
              THEN pg_catalog.format('(%s)', of_user.text)
              ELSE pg_catalog.format('(EXISTS ( SELECT FROM %s.entries e WHERE ((e.memory_id = entry_access.memory_id) '
                'AND (e.entry_id = entry_access.entry_id) AND (e.%s))))', pg_catalog.quote_ident(n.nspname), of_user.text) END)
      FROM pg_catalog.pg_policy p
      LEFT JOIN pg_catalog.pg_class access
        ON access.relnamespace OPERATOR(pg_catalog.=) n.oid AND access.relname OPERATOR(pg_catalog.=) 'entry_access',
        LATERAL (SELECT pg_catalog.format('user_id = ( SELECT CASE WHEN (current_setting(%1$L::text, true) <> %2$L::text) '
          'THEN current_setting(%1$L::text, true) ELSE NULL::text END AS "case")', policy.setting, '') AS text) of_user
     WHERE p.polrelid OPERATOR(pg_catalog.=) ANY (ARRAY[contexts.oid, access.oid])
       AND p.polcmd OPERATOR(pg_catalog.=) ANY (ARRAY['r', '*']::pg_catalog."char"[])) IS TRUE"#;
