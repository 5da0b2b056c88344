"""Each node of a cluster gives the same bytes as a single server with the same rows, for memories on any node."""

import json

import pytest

from nodes import AS_OF, QUERIES, Cluster, path, search

SMALL = [f"m{number}" for number in range(12)]


@pytest.fixture(scope="module")
def filled(cluster: Cluster) -> Cluster:
    for memory in SMALL:
        cluster.add(memory, 60)
    cluster.add("large", 3000)
    cluster.settle()
    return cluster


def test_every_node_gives_the_bytes_of_a_single_server(filled: Cluster):
    options = [
        AS_OF,
        AS_OF[:-1] + ', "strategy": "keyword"}',
        AS_OF[:-1] + ', "strategy": "semantic"}',
        AS_OF[:-1] + ', "strategy": "recent"}',
        AS_OF[:-1] + ', "neighbours": 2, "snippets": true}',
    ]
    filters = [
        "",
        """, filters => '{"tags": ["t1"]}'""",
        """, filters => '{"metadata.kind": "k2"}'""",
        ", top_ke => 30",
    ]
    asked = [
        search(memory, query, option, more)
        for memory in [*SMALL, "large"]
        for query in QUERIES
        for option in options
        for more in filters
    ]
    expected = [filled.single.value_or_sqlstate(question) for question in asked]
    assert len(set(expected)) > 100, "these are many answers"
    for node in filled.nodes:
        with node.session() as session:
            got = [session.value_or_sqlstate(question) for question in asked]
        assert [pair for pair in zip(asked, expected, got) if pair[1] != pair[2]] == [], node.socket


def test_the_memory_index_is_read_on_the_node_of_the_memory_from_any_node(filled: Cluster):
    for memory in [*SMALL, "large"]:
        for node in filled.nodes:
            assert path(node, memory) == "memory index", f"{memory} by {node.socket}"


def test_other_functions_give_the_same_as_on_a_single_server(filled: Cluster):
    calls = [
        "SELECT array_agg(f ORDER BY rank) FROM memory_search_entries({m}, '{q}', k => 9, options => '{o}') f",
        "SELECT array_agg(f) FROM memory_explain({m}, '{q}', options => '{o}') f",
        "SELECT memory_build_context({m}, '{q}', system_prompt => 'Be brief.', options => '{o}')",
        "SELECT memory_search({m}, '{q}', embedding => memory_embed('lamp')::real[], options => '{o}')",
        # It counts uses of the found entries, which is rolled back.
        "BEGIN; SELECT memory_recall({m}, '{q}', options => '{o}')",
        "SELECT memory_search(jsonb_build_object('memoryId', {m}, 'query', '{q}', 'options', '{o}'::jsonb))",
        "SELECT array_agg(f) FROM memory_list({m}, page_size => 7) f",
        'SELECT memory_count({m}, \'{{"tags": ["t1"]}}\')',
    ]
    of_several = [f"ARRAY['{memory}', 'm1', 'm2']" for memory in ("m0", "large")]
    questions = [
        call.format(m=memory, q=query, o=AS_OF)
        for memory in ["'m0'", "'m3'", "'large'", "'nobody'", *of_several]
        for query in ("harbour tea", "the kettle of 2025-01-02", "")
        for call in (calls[:5] if memory in of_several else calls)
    ]
    sessions = [server.open() for server in (filled.single, *filled.nodes)]
    for question in questions:
        answers = []
        for session in sessions:
            answers.append(session.value(question))
            if question.startswith("BEGIN"):
                session.run("ROLLBACK")
        assert answers == answers[:1] * 4, question
    for session in sessions:
        session.close()


def test_pages_of_a_search_go_on_at_every_node(filled: Cluster):
    sessions = [server.open() for server in (filled.single, *filled.nodes)]
    for memory in ("m0", "large"):
        for query in ("harbour tea stone", ""):
            for how in ("", ', "strategy": "keyword"', ', "mmr": 0.5'):
                cursor, pages = "true", []
                for size in (7, 7, 4):
                    options = f'{AS_OF[:-1]}{how}, "cursor": {cursor}}}'
                    asked = f"SELECT memory_search('{memory}', '{query}', {size}, options => '{options}')"
                    answers = [session.value(asked) for session in sessions]
                    assert answers == answers[:1] * 4, f"page {len(pages)} of {asked}"
                    pages.append([entry["entryId"] for entry in json.loads(answers[0])["entries"]])
                    cursor = json.dumps(json.loads(answers[0])["nextCursor"])
                shown = [entry for page in pages for entry in page]
                assert len(set(shown)) == len(shown) and len(pages[1]) > 0, "other entries on each page"
    for session in sessions:
        session.close()


def test_a_memory_without_entries_and_one_of_contexts_alone(filled: Cluster):
    for server in (filled.coordinator, filled.single):
        server.run(
            "INSERT INTO memory.contexts (memory_id, context, creation_time) VALUES ('only', 'a trip', '2025-01-01Z')"
        )
    for memory in ("only", "nobody"):
        expected = filled.single.value(search(memory, "trip") + " - 'contexts'")
        assert [node.value(search(memory, "trip") + " - 'contexts'") for node in filled.nodes] == [expected] * 3


def test_a_transactions_searches_find_its_own_writes(filled: Cluster):
    asked = search("m5", "zeppelin") + " -> 'count'"
    for node in filled.nodes:
        with node.session() as session:
            for write in (
                "SELECT memory_add('m5', 'a zeppelin over the harbour')",
                # Statements on all shards, in sessions that Citus opens to each node, also to this one.
                "UPDATE memory.entries SET raw_entry = 'zeppelin' WHERE importance = 37",
                "DELETE FROM memory.entries WHERE importance > 90",
            ):
                session.run("BEGIN")
                before = session.value(search("m5", "zeppelin", '{"strategy": "keyword", "fallback": false}'))
                count = session.value("SELECT count(*) FROM memory.entries WHERE memory_id = 'm5'")
                session.run(write)
                after = session.value(search("m5", "zeppelin", '{"strategy": "keyword", "fallback": false}'))
                shown = session.value("SELECT memory_count('m5')")
                wrote = session.value("SELECT count(*) FROM memory.entries WHERE memory_id = 'm5'")
                assert shown == wrote, f"{write} by {node.socket}"
                assert wrote != count or before != after, f"{write} shows in the search"
                session.run("ROLLBACK")
            assert session.value(asked) == filled.single.value(asked), "nothing is left"


def test_a_join_reads_each_memory_on_its_node(filled: Cluster):
    asked = """SELECT array_agg(memory_search(m, 'harbour tea', options => '{o}') ORDER BY m)
        FROM unnest('{{m0,m1,m2,m3,m4,large}}'::text[]) m""".format(o=AS_OF)
    assert [node.value(asked) for node in filled.nodes] == [filled.single.value(asked)] * 3


def test_a_store_that_is_not_distributed_is_searched_beside_it(filled: Cluster):
    filled.coordinator.run("SELECT memory_create_store('own')")
    filled.coordinator.run("SELECT memory_add('m1', 'the ferry to the own island', store => 'own')")
    assert filled.coordinator.value("SELECT memory_search('m1', 'ferry', store => 'own') -> 'count'") == "1"
    filled.coordinator.run("SELECT memory_drop_store('own', true)")


@pytest.mark.parametrize("style", ["SQL, DMY", "German", "Postgres, MDY", "ISO, DMY"])
def test_dates_are_the_same_under_every_date_style(filled: Cluster, style: str):
    # A wrong style would read another month in the first date, and fail on the second.
    days = ["2025-01-02T03:04:05.678Z", "2025-01-28T03:04:05.678Z"]
    writes = [
        "memory_add('dates', 'added', creation_time => {t}, expires_at => {t} + interval '90 years', valid_from => {t})",
        "memory_add('dates', 'of a key', entry_key => 'k', creation_time => {t})",
        "memory_add('dates', 'lives on', creation_time => {t}, ttl => interval '50 years 3 days 4:05')",
        "memory_put_context('dates', 'so far', creation_time => {t})",
        """memory_add_many('dates', '[{{"rawEntry": "one of many", "creationTime": "{d}", "validUntil": "{d}"}}]')""",
        "memory_update('dates', '00000000-0000-4000-8000-000000000001', valid_until => {t})",
    ]
    reads = [
        "SELECT array_agg(f.raw_entry) FROM memory_list('{m}', filters => '{{\"createdAfter\": \"{d}\"}}') f",
        "SELECT array_agg(f.raw_entry) FROM memory_list('{m}', options => '{{\"asOf\": \"{d}\"}}') f",
        "SELECT memory_count('{m}', '{{\"createdBefore\": \"{d}\"}}')",
        """SELECT memory_search('{m}', 'tea', filters => '{{"createdBefore": "{d}"}}',
             options => '{{"asOf": "{d}"}}')""",
        "SELECT memory_search('{m}', 'tea', options => '{{\"asOf\": \"{d}\", \"cursor\": true}}')",
        "SELECT memory_search(ARRAY['{m}', 'm1'], 'tea on 28/01/2025', options => '{{\"asOf\": \"{d}\"}}')",
        "SELECT memory_search('{m}', 'tea on 02/01/2025', options => '{{\"asOf\": \"{d}\"}}')",
    ]
    stored = [
        """SELECT raw_entry, entry_key, creation_time, expires_at > now() + interval '49 years', time_to_live::text,
               valid_from, valid_until
             FROM memory.entries WHERE memory_id = 'dates' ORDER BY raw_entry, creation_time""",
        "SELECT context, creation_time FROM memory.contexts WHERE memory_id = 'dates' ORDER BY creation_time",
    ]
    for node in filled.nodes:
        answers = []
        for server in (filled.single, node):
            with server.session() as session:
                session.run(f"SET DateStyle = '{style}'; SET TimeZone = 'Asia/Kolkata'; SET extra_float_digits = 0")
                session.run("""SELECT memory_add('dates', 'changed', creation_time => timestamptz '2025-01-01Z',
                    entry_id => '00000000-0000-4000-8000-000000000001')""")
                for day in days:
                    for write in writes:
                        session.run("SELECT " + write.format(t=f"timestamptz '{day}'", d=day))
                asked = [read.format(m=memory, d=day) for read in reads for day in days for memory in SMALL[:3]]
                got = [session.value(question) for question in asked]
                session.run("SET DateStyle = 'ISO'")
                kept = [str(server.rows(read)) for read in stored]
                assert kept[0].count("-28") > 3 and kept[1].count("-28") == 1, "they are there"
                answers.append((got, kept))
                session.run("DELETE FROM memory.entries WHERE memory_id = 'dates'")
                session.run("DELETE FROM memory.contexts WHERE memory_id = 'dates'")
        assert answers[0] == answers[1], f"by {node.socket}"


def test_the_settings_of_a_session_change_no_byte(filled: Cluster):
    asked = [search(memory, query) for memory in ("m1", "large") for query in QUERIES]
    asked += [f"SELECT memory_search(ARRAY['m0', 'm1', 'm2'], 'harbour tea', options => '{AS_OF}')"]
    expected = [filled.single.value(question) for question in asked]
    # With this setting a number would have only one digit.
    for setting in ("SET DateStyle = 'SQL, DMY'", "SET extra_float_digits = -15"):
        for node in filled.nodes:
            with node.session() as session:
                session.run(setting)
                got = [session.value(question) for question in asked]
                session.run("SELECT memory_add('digits', 'silver bridge')")
            assert got == expected, f"{setting} by {node.socket}"
    stored = "SELECT count(*), count(DISTINCT embedding::text) FROM memory.entries WHERE memory_id = 'digits'"
    assert filled.coordinator.row(stored) == (6, 1), "one text has one embedding"
    with filled.single.session() as session:
        session.run("SELECT memory_add('digits', 'silver bridge')")
        embedding = "SELECT min(embedding::text) FROM memory.entries WHERE memory_id = 'digits'"
        assert filled.coordinator.value(embedding) == session.value(embedding), "that of a single server"
    for server in (filled.single, filled.coordinator):
        server.run("DELETE FROM memory.entries WHERE memory_id = 'digits'")


def test_delegated_functions_run_on_the_node_of_the_memory(filled: Cluster):
    # They stay delegated, for the tests that follow.
    filled.coordinator.run("SELECT memory_create_store('spread')")
    filled.coordinator.run("SELECT memory_distribute_store('spread', 8, delegate => true)")
    count = "SELECT count(*) FROM pg_catalog.pg_dist_object WHERE distribution_argument_index = 0"
    assert int(filled.coordinator.value(count)) >= 16
    for node in filled.nodes:
        assert node.value(search("large", "harbour tea")) == filled.single.value(search("large", "harbour tea"))
        added = node.value("SELECT memory_add('m9', 'a lighthouse')")
        assert node.value(f"SELECT count(*) FROM memory_get('m9', ARRAY['{added}'])") == 1
        node.run(f"SELECT memory_delete('m9', ARRAY['{added}'])")
    filled.coordinator.run("SELECT memory_drop_store('spread', true)")


def test_policies_show_each_user_the_same_as_on_a_single_server(filled: Cluster):
    for server in (filled.coordinator, filled.single):
        server.run("CREATE ROLE reader LOGIN; SELECT memory_grant('memory', 'reader')")
        server.run("SELECT memory_enable_row_security('memory')")
    for node in filled.nodes:
        for user in ("u1", "u2", "nobody"):
            answers = []
            for server in (filled.single, node):
                by = server.by(user="reader")
                with by.session() as session:
                    if server is not filled.single:
                        session.run("SET citus.propagate_set_commands = 'local'")
                    session.run(f"BEGIN; SET LOCAL memory_search.user_id = '{user}'")
                    answers.append([session.value(search(memory, query)) for memory in SMALL for query in QUERIES])
                    session.run("ROLLBACK")
            assert answers[0] == answers[1], f"{user} by {node.socket}"
            assert ('"entryId"' in "".join(answers[1])) == (user != "nobody"), "and no others' entries"
    with filled.holder("m1").by(user="reader").session() as session:
        session.run("SET memory_search.user_id = 'u1'")
        assert path(session, "m1").startswith("memory index"), "the policies of the shard are those of the table"
