"""A language model's endpoint for the programs of docs/cookbook: chat completions over HTTP, as OpenAI's API has them.

Its replies are in answers/PAGE.toml, a table [[answer]] for each: `to` has texts that the messages must hold, `not`
texts that they must not hold, and `says` is the reply. A request that no answer fits, or that an endpoint would refuse,
is an HTTP error: a program that leaves the memory out of its prompt gets no reply."""

from __future__ import annotations

import json
import os
import threading
import tomllib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ANSWERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "answers")
KEY, NAME = "key-of-the-cookbook", "model-of-the-cookbook"
ROLES = {"system", "user", "assistant"}


class Model:
    """The endpoint, on a port of its own, as long as the block lasts."""

    def __enter__(self) -> Model:
        self.answers: dict[str, list[dict[str, Any]]] = {}
        for file in sorted(os.listdir(ANSWERS)):
            with open(os.path.join(ANSWERS, file), "rb") as source:
                self.answers[file.removesuffix(".toml")] = tomllib.load(source)["answer"]
        self.given: set[tuple[str, int]] = set()
        model = self

        class Handler(BaseHTTPRequestHandler):
            """POST /PAGE/v1/chat/completions."""

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                status, answer = model.reply(self.path, self.headers.get("Authorization"), body)
                sent = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(sent)))
                self.end_headers()
                self.wfile.write(sent)

            def log_message(self, *_: Any) -> None:
                """Logs nothing, because requests are no output of the test."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def settings(self, page: str) -> dict[str, str]:
        """The environment of a page's programs."""
        base = f"http://127.0.0.1:{self.server.server_port}/{page}/v1"
        return {"OPENAI_BASE_URL": base, "OPENAI_API_KEY": KEY, "OPENAI_MODEL": NAME}

    def reply(self, path: str, authorization: str | None, body: bytes) -> tuple[int, dict[str, Any]]:
        """The status, and what is sent."""
        page, _, rest = path.strip("/").partition("/")
        if rest != "v1/chat/completions" or page not in self.answers:
            return refusal(404, f"no such path: {path}")
        if authorization != f"Bearer {KEY}":
            return refusal(401, "no such key")
        try:
            request = json.loads(body)
            messages = request["messages"]
            texts = [message["content"] for message in messages]
            if request["model"] != NAME or not messages or {message["role"] for message in messages} - ROLES:
                return refusal(400, "no such model, or no such role of a message")
            said = "\n".join(texts)
        except (ValueError, KeyError, TypeError) as error:
            return refusal(400, f"not a request: {error!r}")
        for number, answer in enumerate(self.answers[page]):
            if all(text in said for text in answer["to"]) and not any(text in said for text in answer.get("not", [])):
                self.given.add((page, number))
                message = {"role": "assistant", "content": answer["says"]}
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                return 200, {"object": "chat.completion", "model": NAME, "choices": [choice]}
        return refusal(400, f"no answer of tests/cookbook/answers/{page}.toml fits these messages: {said}")

    def unasked(self, page: str) -> list[str]:
        """The answers of a page that were not given."""
        answers = enumerate(self.answers.get(page, []))
        return [answer["says"] for number, answer in answers if (page, number) not in self.given]


def refusal(status: int, why: str) -> tuple[int, dict[str, Any]]:
    """An error as the API has it."""
    return status, {"error": {"message": why, "type": "invalid_request_error"}}
