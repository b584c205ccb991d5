"""Nothing that a fuzzer makes up may leave this machine, or find a key that somebody pays for."""

import os


def away_from_everything() -> None:
    """Forget the environment of the person who runs this; send what is not on this machine to nobody."""
    for name in list(os.environ):
        if name.startswith(("REVIEWER_", "OPENAI_", "TEXTUAL_")) or name.endswith("_API_KEY"):
            del os.environ[name]
    os.environ["REVIEWER_SETTINGS"] = os.devnull
    os.environ["HF_HUB_OFFLINE"] = "1"
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        os.environ[name] = os.environ[name.upper()] = "http://127.0.0.1:9"
    os.environ["no_proxy"] = os.environ["NO_PROXY"] = "127.0.0.1,localhost,::1"
