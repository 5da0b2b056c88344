"""One search by the Model Context Protocol, by lines of JSON without an SDK: one_call.py PROGRAM QUERY Prints the texts
found in the memory `trip` of DATABASE_URL."""

import json
import subprocess
import sys


def main(program: str, query: str) -> None:
    command = [program, "mcp", "--memory", "trip", "--tools", "full"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

        def send(method: str, number: int | None = None, **parameters: object) -> dict:
            message = {"jsonrpc": "2.0", "method": method, "params": parameters}
            if number is not None:
                message["id"] = number
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())["result"] if number is not None else {}

        client = {"name": "one_call", "version": "1"}
        send("initialize", 1, protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        send("notifications/initialized")
        answer = send("tools/call", 2, name="memory_search", arguments={"query": query})
        process.stdin.close()
    for entry in answer["structuredContent"]["entries"]:
        print(entry["rawEntry"])


if __name__ == "__main__":
    main(*sys.argv[1:])
