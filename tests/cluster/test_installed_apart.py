"""From PostgreSQL 18 on an extension may be installed apart from the server, in a folder of its own that
extension_control_path and dynamic_library_path name: then its model is found there too."""

import shutil
from pathlib import Path

from harness import cluster
from harness.server import Server


def install_apart(server: Server, folder: Path) -> None:
    """Copies the installed files, and lets the server look there first."""
    installed, models = cluster.pg_config("--sharedir"), Path("memory_search/models")
    (folder / "share/extension").mkdir(parents=True)
    (folder / "lib").mkdir()
    shutil.copy(cluster.pg_config("--pkglibdir") / "memory_search.so", folder / "lib")
    for file in (installed / "extension").glob("memory_search*"):
        shutil.copy(file, folder / "share/extension")
    # The server's own folder has the model of the same name: these are only here.
    shutil.copytree(installed / models / "wordllama", folder / "share" / models / "beside")
    shutil.copytree(installed / models / "wordllama", folder / "lib" / models / "below")
    cluster.run(["chmod", "-R", "a+rX", str(server.folder)])
    server.run(f"ALTER SYSTEM SET extension_control_path = '{folder}/share:$system'")
    server.run(f"ALTER SYSTEM SET dynamic_library_path = '{folder}/lib:$libdir'")
    server.run("SELECT pg_reload_conf()")


def test_an_extension_apart_from_the_server_finds_the_models_beside_it(servers, say):
    server = servers.start()
    if int(server.value("SHOW server_version_num")) < 180000:
        say("THIS POSTGRESQL KNOWS NO FOLDER FOR EXTENSIONS BUT ITS OWN: apart is tried from PostgreSQL 18 on")
        setting = server.value("SELECT current_setting('extension_control_path', true)")
        assert setting is None, "an older server has no such setting"
        return

    apart = server.folder / "apart"
    install_apart(server, apart)
    server.create_extension()
    loaded = server.column(r"""
        LOAD 'memory_search';
        SELECT DISTINCT regexp_substr(line, '/.*memory_search.so')
        FROM regexp_split_to_table(pg_read_file('/proc/self/maps'), E'\n') line
        WHERE line LIKE '%memory_search.so%'""")
    assert loaded == [f"{apart}/lib/memory_search.so"], "the library that is used is the one apart"
    for model in ("wordllama", "beside", "below"):
        embedding = server.by(settings={"memory_search.model": model})
        assert embedding.value("SELECT vector_dims(memory_embed('a kite'))") == 256, f"the model {model} is found"
    missed = server.by(settings={"memory_search.model": "nowhere"}).error("SELECT memory_embed('a kite')")
    folders = str(missed).count('/memory_search/models/nowhere"')
    assert folders == 3, "one that is nowhere is missed, with all the folders where it was looked for"
