"""The model minilm, an encoder in the session's own process: its embeddings, its costs, and its cancellation.

Fetches the model if it is missing, 84 MB."""

import os
import shutil
from pathlib import Path

import pytest

from harness import cluster
from harness.server import Server, Servers

# Kilobytes of private memory of a session. Dirty pages alone: the clean ones are the model's file, which all sessions
# share.
PRIVATE_KB = r"""
    SELECT (regexp_match(pg_read_file('/proc/self/smaps_rollup'), 'Private_Dirty: +(\d+) kB'))[1]::bigint"""
MINILM = {"memory_search.model": "minilm"}
# A text with as many tokens as the model reads.
LONG = "repeat('the cat sat on the mat ', 60)"


def folder() -> Path:
    return cluster.pg_config("--sharedir") / "memory_search/models/minilm"


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    script = cluster.REPOSITORY / "pgrx-config/install_models.sh"
    pg_config = cluster.bin_folder() / "pg_config"
    cluster.run([str(script)], env=os.environ | {"MODEL": "minilm", "PG_CONFIG": str(pg_config)})
    # Pages of a file that is not yet on disk count as dirty, and as private if only one process maps them.
    with (folder() / "model.safetensors").open("rb") as weights:
        os.fsync(weights.fileno())
    server = servers.start()
    server.create_extension()
    return server


def test_an_embedding_is_the_one_that_sentence_transformers_gives(server: Server):
    minilm = server.by(settings=MINILM)
    # The first numbers of the examples on the pages of sentence-transformers.
    for text, numbers in (
        ("This is an example sentence", "{0.0677,0.0635,0.0487}"),
        ("Each sentence is converted", "{0.0864,0.1028,0.0054}"),
    ):
        first = minilm.value(
            """
            SELECT array_agg(round(x::numeric, 4))::text
            FROM (SELECT x FROM unnest(memory_embed(%s)::real[]) WITH ORDINALITY u (x, n) ORDER BY n LIMIT 3) f""",
            text,
        )
        assert first == numbers, text
    assert minilm.value("SELECT vector_dims(memory_embed('a kite'))") == 384
    assert minilm.sqlstate("SELECT memory_embed('')") == server.sqlstate("SELECT memory_embed('')"), "as by wordllama"


def test_a_store_takes_the_models_dimension_and_is_searched_by_it(server: Server):
    minilm = server.by(settings=MINILM)
    minilm.run("SELECT memory_create_store('better')")
    minilm.run("""
        SELECT memory_add('m', text, store => 'better')
        FROM unnest(ARRAY['She stays in guesthouses.', 'The flight leaves at nine.', 'Nuts make him ill.']) text""")
    assert minilm.rows("SELECT DISTINCT vector_dims(embedding), embedding_model FROM better.entries") == [(384, "minilm")]
    found = "SELECT raw_entry FROM memory_search_entries('m', %s, k => 1, store => 'better')"
    # No word of the questions is in the entries.
    assert minilm.value(found, "which food should we avoid because of an allergy?") == "Nuts make him ill."
    assert minilm.value(found, "where do her hotels tend to be?") == "She stays in guesthouses."
    unwell = "SELECT name FROM memory_doctor('better') WHERE status <> 'ok' AND name IN ('dimensions', 'one embedder')"
    assert minilm.column(unwell) == []
    # wordllama's 256 dimensions do not fit: its sessions search by words, and memory_doctor gives the reason.
    assert "dimensions" in server.column(unwell)
    assert server.value("SELECT count(*) FROM memory_search_entries('m', 'flight', store => 'better')") == 1


def test_sessions_share_the_weights(servers: Servers, server: Server, say):
    weights = (folder() / "model.safetensors").stat().st_size // 1024
    with server.by(settings=MINILM).session() as session:
        before = session.value(PRIVATE_KB)
        session.run(f"SELECT memory_embed({LONG})")
        after_one = session.value(PRIVATE_KB)
        session.run("SELECT count(memory_embed('text number ' || n)) FROM generate_series(1, 50) n")
        after_many = session.value(PRIVATE_KB)
    say(f"  private memory in kB: {after_one - before} after one text, {after_many - before} after 50 more")
    assert after_one - before < weights // 2, "private memory in kB after one text"
    assert after_many - after_one < 4096, "growth in kB by 50 more texts"

    preloaded = servers.start("shared_preload_libraries = 'memory_search'", "memory_search.model = 'minilm'")
    preloaded.create_extension()
    with preloaded.session() as session:
        before = session.value(PRIVATE_KB)
        assert session.value("SELECT vector_dims(memory_embed('a kite'))") == 384
        grown = session.value(PRIVATE_KB) - before
    say(f"  with preload: {grown}")
    assert grown < 8192, "with preload: private memory in kB after one text"


def test_an_embedding_can_be_cancelled_and_the_session_goes_on(server: Server):
    with server.by(settings=MINILM).session() as session:
        expected = session.value("SELECT md5(memory_embed('a kite')::text)")
        for _ in range(5):
            session.run("SET statement_timeout = '3ms'")
            assert session.sqlstate(f"SELECT memory_embed({LONG})") == "57014"
            session.run("RESET statement_timeout")
            assert session.value("SELECT md5(memory_embed('a kite')::text)") == expected


def test_a_damaged_model_is_an_error_and_searches_go_on_by_words(server: Server):
    damaged = server.folder / "damaged"
    shutil.copytree(folder(), damaged)
    weights = damaged / "model.safetensors"
    os.truncate(weights, weights.stat().st_size - 1)
    cluster.run(["chmod", "-R", "a+rX", str(server.folder)])
    by_damaged = server.by(settings={"memory_search.model": str(damaged)})
    error = by_damaged.error("SELECT memory_embed('a kite')")
    assert error.sqlstate == "55000"
    assert "not a complete safetensors file" in error.diag.message_primary
    assert "MiniLM" in error.diag.message_hint
    assert by_damaged.value("SELECT count(*) FROM memory_search_entries('m', 'flight', store => 'better')") == 1

    (damaged / "config.json").write_text('{"model_type": "bert", "hidden_act": "gelu", "hidden_size": 99999999}')
    weights.write_bytes((folder() / "model.safetensors").read_bytes())
    error = by_damaged.error("SELECT memory_embed('a kite')")
    assert error.sqlstate == "55000" and "config.json" in error.diag.message_primary


def test_without_the_model_the_hint_says_how_to_install_it(server: Server):
    aside = folder().with_name("minilm-set-aside")
    folder().rename(aside)
    try:
        error = server.by(settings=MINILM).error("SELECT memory_embed('a kite')")
    finally:
        aside.rename(folder())
    assert error.sqlstate == "55000"
    assert "make install MODEL=minilm" in error.diag.message_hint
