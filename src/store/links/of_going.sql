     keys_of_links AS MATERIALIZED (
       SELECT l.* FROM {going} t
        CROSS JOIN LATERAL (
          SELECT l.memory_id, l.from_entry, l.to_entry, l.kind FROM {links} l
           WHERE l.memory_id OPERATOR(pg_catalog.=) t.memory_id
             AND l.from_entry OPERATOR(pg_catalog.=) t.entry_id{in_l} OFFSET 0) l
       UNION
       SELECT l.* FROM {going} t
        CROSS JOIN LATERAL (
          SELECT l.memory_id, l.from_entry, l.to_entry, l.kind FROM {links} l
           WHERE l.memory_id OPERATOR(pg_catalog.=) t.memory_id
             AND l.to_entry OPERATOR(pg_catalog.=) t.entry_id{in_l} OFFSET 0) l),
     locked_links AS MATERIALIZED (
       SELECT l.* FROM (SELECT k.* FROM keys_of_links k ORDER BY 1, 2, 3, 4) k
        CROSS JOIN LATERAL (
          SELECT l.memory_id, l.from_entry, l.to_entry, l.kind FROM {links} l
           WHERE l.memory_id OPERATOR(pg_catalog.=) k.memory_id
             AND l.from_entry OPERATOR(pg_catalog.=) k.from_entry AND l.to_entry OPERATOR(pg_catalog.=) k.to_entry
             AND l.kind OPERATOR(pg_catalog.=) k.kind{in_l} FOR UPDATE) l),
     unlinked AS (
       DELETE FROM {links} l USING locked_links k
        WHERE l.memory_id OPERATOR(pg_catalog.=) k.memory_id
          AND l.from_entry OPERATOR(pg_catalog.=) k.from_entry AND l.to_entry OPERATOR(pg_catalog.=) k.to_entry
          AND l.kind OPERATOR(pg_catalog.=) k.kind{in_l}
       RETURNING 1),
