"""The configurations of a desktop client that README.md and docs/guide/mcp.md show: they start the program."""

import json
import re
from pathlib import Path

import pytest
from program import PROGRAM, database_url

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

REPOSITORY = Path(__file__).parents[2]


@pytest.mark.parametrize("page", ["README.md", "docs/guide/mcp.md"])
async def test_a_configuration_that_is_shown_starts_the_program(page):
    (shown,) = re.findall(r"^```text\n(\{\n.*?)^```$", (REPOSITORY / page).read_text(encoding="utf-8"), re.S | re.M)
    (server,) = json.loads(shown)["mcpServers"].values()
    assert server["command"] == Path(PROGRAM).name
    assert server["env"]["DATABASE_URL"].startswith("postgresql://")
    environment = {**server["env"], "DATABASE_URL": database_url("mcp_writer")}
    parameters = StdioServerParameters(command=PROGRAM, args=server["args"], env=environment)
    async with Client(stdio_client(parameters)) as client:
        listed = await client.list_tools()
    assert {"memory_search", "memory_remember"} <= {tool.name for tool in listed.tools}
