"""A model that wants prompts: a stored text is embedded as a passage, a query as a query, and a folder without prompts
is refused. The model is the tiny one of the embedder's tests, in a folder of its own."""

import json
import shutil
from pathlib import Path

from harness import cluster
from harness.access import Access
from harness.server import Server

FIXTURE = cluster.REPOSITORY / "crates/embedder/tests/xlm_roberta"
E5 = {"query": "query: ", "passage": "passage: "}


def model(server: Server, name: str, prompts: dict[str, str] | None) -> Access:
    """The server by a model with these prompts."""
    folder: Path = server.folder / name
    shutil.copytree(FIXTURE, folder, ignore=shutil.ignore_patterns("*.py", "expected.json"))
    if prompts is not None:
        (folder / "prompts.json").write_text(json.dumps(prompts))
    cluster.run(["chmod", "-R", "a+rX", str(server.folder)])
    return server.by(settings={"memory_search.model": str(folder)})


def test_a_stored_text_is_a_passage_and_its_embedders_name_has_the_prompts(server: Server):
    e5 = model(server, "e5", E5)
    expected = json.loads((FIXTURE / "expected.json").read_text())[0]
    numbers = json.loads(e5.value("SELECT memory_embed(%s)::text", expected["text"]))
    assert max(abs(a - b) for a, b in zip(numbers, expected["passage"], strict=True)) < 1e-5
    e5.run("SELECT memory_create_store('prompted')")
    e5.run("SELECT memory_add('m', 'Die Straße wird gesperrt.', store => 'prompted')")
    name = e5.value("SELECT embedding_model FROM prompted.entries")
    assert name == f'{server.folder / "e5"} ["query: ","passage: "]'
    # The same weights with other prompts are another embedder.
    other = model(server, "other", {"query": "", "passage": ""})
    assert other.value("SELECT memory_reembed('m', store => 'prompted')") == 1
    assert other.value("SELECT embedding_model FROM prompted.entries") == str(server.folder / "other")


def test_a_question_is_embedded_as_a_query(server: Server):
    text = "我喜欢住在旧城区的小旅馆"
    similar = "SELECT semantic FROM memory_search_entries('m', %s, k => 1, store => %s)"
    for store, prompts in (("alike", {"query": "", "passage": ""}), ("unlike", {"query": "東京タワーの近くのカフェ! ", "passage": ""})):
        by = model(server, store, prompts)
        by.run("SELECT memory_create_store(%s)", store)
        by.run("SELECT memory_add('m', %s, store => %s)", text, store)
        is_the_same = by.value(similar, text, store) > 0.9999
        assert is_the_same == (store == "alike"), store


def test_a_folder_without_prompts_is_refused_with_the_file_to_write(server: Server):
    silent = model(server, "silent", None)
    error = silent.error("SELECT memory_embed('ein Satz')")
    assert error.sqlstate == "55000"
    assert "prompts.json" in error.diag.message_primary and "passage: " in error.diag.message_primary
    assert "prompts.json" in error.diag.message_hint
