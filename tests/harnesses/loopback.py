"""An OpenAI-shaped server on 127.0.0.1 whose answer depends on the question alone. It needs no package."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from zlib import crc32


def by_cue(prompt: str) -> str:
    """B for the cue of the shipped example, else A, as the tests of its evaluation answer."""
    return "Answer: B" if "nine thousand" in prompt else "A."


def by_length(prompt: str) -> str:
    """One of three letters, or none, in varied words; the same for the same question."""
    number = crc32(prompt.encode())
    said = ("Answer: {}", "{}.", "I choose {}", "My answer is **{}**.", "I cannot say.")[number // 7 % 5]
    return said.format("ABC"[number % 3])


@contextmanager
def answering(answer: Callable[[str], str] = by_cue) -> Iterator[str]:
    """The address of a server while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            content = body["messages"][-1]["content"]
            if isinstance(content, list):
                content = "".join(part.get("text", "") for part in content)
            self._send(_completion(str(body.get("model")), answer(content)))

        def _send(self, value: Any) -> None:
            content = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()


def _completion(model: str, text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }
