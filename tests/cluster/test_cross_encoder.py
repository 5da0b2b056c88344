"""A cross-encoder in the session's own process ranks the best entries again: its scores, its permitted callers, and its
cancellation. The model is the tiny one of the embedder's tests, in a folder of the server's models."""

import array
import json
import os
import shutil
import struct
import time
from pathlib import Path

import pytest

from harness import cluster
from harness.server import Server, Servers

FIXTURE = cluster.REPOSITORY / "crates/embedder/tests/cross_encoder"
QUESTION = "When does the museum open?"
FOUND = """
    SELECT raw_entry, score FROM memory_search_entries('m', %s, k => 10, store => 'judged', options => %s) ORDER BY rank"""
TOO_LONG_IN_SECONDS = 1.0


def models() -> Path:
    return cluster.pg_config("--sharedir") / "memory_search/models"


def name(kind: str) -> str:
    """A folder of this run alone: the server's own models stay as they are."""
    return f"test-{kind}-{os.getpid()}"


def options(**rerank: object) -> str:
    return json.dumps({"rerank": rerank})


def expected() -> list[dict]:
    """The scores of the reference for the question, for passages that can be entries."""
    lines = json.loads((FIXTURE / "expected.json").read_text())
    return [line for line in lines if line["question"] == QUESTION and line["passage"] not in ("", "!?")]


def write_model_of_size(folder: Path) -> None:
    """A model that takes some 50 ms for 100 tokens, as MiniLM with 6 layers does; all of its weights are the same."""
    width, inner, rows = 384, 1536, len(json.loads((FIXTURE / "tokenizer.json").read_text())["model"]["vocab"])
    shapes = {
        "bert.embeddings.word_embeddings": [rows, width],
        "bert.embeddings.position_embeddings": [512, width],
        "bert.embeddings.token_type_embeddings": [2, width],
    }
    blocks = {"bert.embeddings.LayerNorm": [width], "bert.pooler.dense": [width, width], "classifier": [1, width]}
    for layer in range(6):
        of_layer = {f"attention.self.{part}": [width, width] for part in ("query", "key", "value")}
        of_layer |= {"attention.output.dense": [width, width], "attention.output.LayerNorm": [width]}
        of_layer |= {"intermediate.dense": [inner, width], "output.dense": [width, inner], "output.LayerNorm": [width]}
        blocks |= {f"bert.encoder.layer.{layer}.{part}": shape for part, shape in of_layer.items()}
    tensors = {f"{name}.weight": shape for name, shape in (shapes | blocks).items()}
    tensors |= {f"{name}.bias": shape[:1] for name, shape in blocks.items()}
    header, end = {}, 0
    for tensor, shape in tensors.items():
        size = 4 * shape[0] * (shape[1] if len(shape) > 1 else 1)
        header[tensor] = {"dtype": "F32", "shape": shape, "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    numbers = array.array("f", [0.01]) * (end // 4)
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + numbers.tobytes())
    config = json.loads((FIXTURE / "config.json").read_text())
    sizes = {"hidden_size": width, "intermediate_size": inner, "num_hidden_layers": 6, "num_attention_heads": 12}
    (folder / "config.json").write_text(json.dumps(config | sizes | {"max_position_embeddings": 512}))
    (folder / "tokenizer_config.json").unlink()


@pytest.fixture(scope="module")
def server(servers: Servers):
    folders = [models() / name(kind) for kind in ("tiny", "labels", "large")]
    for folder in folders:
        shutil.copytree(
            FIXTURE, folder, ignore=shutil.ignore_patterns("*.py", "*expected.json", "roberta*", "__pycache__")
        )
    config = json.loads((folders[1] / "config.json").read_text())
    (folders[1] / "config.json").write_text(json.dumps(config | {"id2label": {"0": "no", "1": "yes"}}))
    write_model_of_size(folders[2])
    cluster.run(["chmod", "-R", "a+rX", *map(str, folders)])
    server = servers.start()
    server.create_extension()
    server.run("SELECT memory_create_store('judged')")
    for line in expected():
        server.run("SELECT memory_add('m', %s, store => 'judged')", line["passage"])
    server.run("""
        SELECT memory_create_store('long');
        SELECT memory_add('m', 'kite ' || n || repeat(' garden', 100), store => 'long') FROM generate_series(1, 60) n;
        CREATE ROLE reader LOGIN;
        GRANT USAGE ON SCHEMA judged TO reader;
        GRANT SELECT ON ALL TABLES IN SCHEMA judged TO reader""")
    yield server
    for folder in folders:
        shutil.rmtree(folder)


def test_entries_come_in_the_order_of_the_reference(server: Server):
    best_first = sorted(expected(), key=lambda line: -line["sigmoid"])
    found = server.rows(FOUND, QUESTION, options(model=name("tiny")))
    assert [text.strip() for text, _ in found] == [line["passage"].strip() for line in best_first]
    for (text, score), line in zip(found, best_first, strict=True):
        assert abs(score - line["sigmoid"]) < 1e-4, text
    without = server.rows(FOUND, QUESTION, "{}")
    assert [text for text, _ in without] != [text for text, _ in found], "the model changes the order"
    # The search by the table's rows finds the same as the one by the index.
    rows = server.by(settings={"enable_indexscan": "off", "enable_bitmapscan": "off"})
    assert rows.rows(FOUND, QUESTION, options(model=name("tiny"))) == found


def test_only_the_best_are_read_and_the_score_may_be_blended(server: Server):
    own = server.rows(FOUND, QUESTION, "{}")
    said = {line["passage"].strip(): line["sigmoid"] for line in expected()}
    found = server.rows(FOUND, QUESTION, options(model=name("tiny"), best=3, weight=0.25))
    blended = [(text, 0.25 * said[text.strip()] + 0.75 * score) for text, score in own[:3]]
    blended.sort(key=lambda pair: -pair[1])
    assert [text for text, _ in found] == [text for text, _ in blended + own[3:]]
    for (_, score), (text, by_hand) in zip(found, blended):
        assert abs(score - by_hand) < 1e-4, text


def test_an_explanation_and_an_answer_show_the_score(server: Server):
    said = max(line["sigmoid"] for line in expected())
    details = server.value(
        """
        SELECT details::jsonb->'rerank'->>'score' FROM memory_explain('m', %s, top_ke => 1, store => 'judged', options => %s)
        ORDER BY score DESC NULLS LAST LIMIT 1""",
        QUESTION,
        options(model=name("tiny")),
    )
    assert abs(float(details) - said) < 1e-4
    answer = "SELECT memory_search('m', %s, 1, store => 'judged', options => %s)->'entries'->0->'scores'->>'rerank'"
    assert abs(float(server.value(answer, QUESTION, options(model=name("tiny")))) - said) < 1e-4


def test_it_ranks_for_an_ordinary_role_in_a_read_only_transaction(server: Server):
    reader = server.by(user="reader", settings={"default_transaction_read_only": "on"})
    model = options(model=name("tiny"))
    assert reader.rows(FOUND, QUESTION, model) == server.rows(FOUND, QUESTION, model)
    error = reader.error(FOUND, QUESTION, options(model="nowhere"))
    assert error.sqlstate == "42704" and '"nowhere"' in error.diag.message_primary
    assert "memory_search/models" in error.diag.message_hint
    assert error.diag.message_detail is None, "a path is for superusers"
    assert str(models() / "nowhere") in server.error(FOUND, QUESTION, options(model="nowhere")).diag.message_detail


def test_other_models_are_refused_with_the_reason(server: Server):
    error = server.error(FOUND, QUESTION, options(model=name("labels")))
    assert error.sqlstate == "55000" and "id2label" in error.diag.message_primary
    assert "one label" in error.diag.message_hint
    # An embedder.
    assert server.sqlstate(FOUND, QUESTION, options(model="wordllama")) == "55000"
    for path in ("../models/" + name("tiny"), str(models() / name("tiny")), "..", "", ".hidden"):
        error = server.error(FOUND, QUESTION, options(model=path))
        assert error.sqlstate == "22023" and "options.rerank.model" in error.diag.message_primary, path
    both = server.error(FOUND, QUESTION, options(model=name("tiny"), function="public.f"))
    assert both.sqlstate == "22023" and "both" in both.diag.message_primary
    # And the other way round.
    error = server.by(settings={"memory_search.model": name("tiny")}).error("SELECT memory_embed('a kite')")
    assert error.sqlstate == "55000" and "cross-encoder" in error.diag.message_primary
    assert "rerank" in error.diag.message_hint


def test_a_failure_keeps_the_first_order_if_the_option_says_so(server: Server):
    # At the same time, since recency counts.
    at = {"asOf": "2030-01-01T00:00:00Z"}
    own = server.rows(FOUND, QUESTION, json.dumps(at))
    for model in ("nowhere", name("labels")):
        kept = json.loads(options(model=model, onError="keep")) | at
        assert server.rows(FOUND, QUESTION, json.dumps(kept)) == own, model


def test_a_model_that_is_installed_later_is_found_by_the_same_session(server: Server):
    later = models() / name("later")
    with server.session() as session:
        assert session.sqlstate(FOUND, QUESTION, options(model=later.name)) == "42704"
        shutil.copytree(models() / name("tiny"), later)
        try:
            assert session.rows(FOUND, QUESTION, options(model=later.name)) == session.rows(
                FOUND, QUESTION, options(model=name("tiny"))
            )
        finally:
            shutil.rmtree(later)


def test_a_search_is_cancelled_while_the_model_reads(server: Server):
    search = "SELECT count(*) FROM memory_search_entries('m', 'kite', k => 10, store => 'long', options => %s)"
    with server.session() as session:
        # The model is loaded, and the time for one entry is known.
        session.run(search, options(model=name("large"), best=1))
        start = time.monotonic()
        assert session.value(search, options(model=name("large"), best=1)) == 10
        one = time.monotonic() - start
        session.run("SET statement_timeout = '200ms'")
        start = time.monotonic()
        # Many times the timeout on any machine.
        for on_error in ("fail", "keep"):
            assert session.sqlstate(search, options(model=name("large"), best=60, onError=on_error)) == "57014", one
        took = time.monotonic() - start
        assert took < 2 * (0.2 + TOO_LONG_IN_SECONDS), f"{took} s for two searches of 200 ms; one entry takes {one} s"
        session.run("RESET statement_timeout")
        assert session.value(search, options(model=name("tiny"), best=60)) == 10
