SELECT pg_catalog.get_shard_id_for_distribution_column({entries}::pg_catalog.oid::pg_catalog.regclass, {memory}),
       (SELECT t.transaction_number FROM pg_catalog.get_current_transaction_id() t)
