"""`pythagoras serve`: the web page and the HTTP API behind it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pythagoras.cli.console import err
from pythagoras.cli.server_options import LOCAL, ApiKey, Host, Jobs, MaxTimeout, MaxWait, Port, say_ready
from pythagoras.errors import InputError

_CORPUS = Path("data/embedded")
_LADDER = Path("docs/results/ladder.json")


def serve(
    host: Host = "127.0.0.1",
    port: Port = 8000,
    model: Annotated[
        str | None,
        typer.Option(help="Who writes: a folder, `embedded` (the default), or `none`: tactics and search alone."),
    ] = None,
    endpoint: Annotated[
        str, typer.Option(help="The address of an OpenAI-compatible server whose model writes in its place.")
    ] = "",
    endpoint_model: Annotated[str, typer.Option(help="Endpoint: the model. Default: the only one it has.")] = "",
    api_key_env: Annotated[
        str, typer.Option(help="Endpoint: the environment variable with its key. Default: PYTHAGORAS_API_KEY.")
    ] = "",
    no_search: Annotated[bool, typer.Option("--no-search", help="Leave the tactic search out.")] = False,
    runs: Annotated[
        list[Path] | None, typer.Option(help="A run of `eval run`, or a folder with some in it. Repeatable.")
    ] = None,
    corpus: Annotated[
        list[Path] | None,
        typer.Option(help="A corpus, or a folder with some in it. Repeatable. Default: data/embedded, if it is here."),
    ] = None,
    ladder: Annotated[
        Path | None,
        typer.Option(help="A file of `eval ladder`. Default: docs/results/ladder.json, if it is here."),
    ] = None,
    jobs: Jobs = None,
    api_key: ApiKey = "",
    max_wait: MaxWait = 60.0,
    max_timeout: MaxTimeout = 600.0,
) -> None:
    """Prove theorems in a browser, look at runs, corpora and the ladder, until Ctrl-C. Needs no network.

    Prints its address when it is ready. The API behind the page has all endpoints of `lean serve`: see /openapi.json.
    By default it listens to this machine alone, and answers to its own names alone (localhost).

    \b
    pythagoras serve --runs runs
    LEAN_SERVER_API_KEY=secret pythagoras serve --host 0.0.0.0
    """
    from pythagoras.lean.server.app import ServerSettings
    from pythagoras.lean.server.kimina_routes import RequestLimits
    from pythagoras.prove.opening import Means
    from pythagoras.web.app import serve as run
    from pythagoras.web.settings import ProveLimits, Shown, WebSettings

    for path in [*(runs or []), *(corpus or [])]:
        if not path.is_dir():
            raise InputError(f"{path} is no folder: name one that is there")
    if ladder is not None and not ladder.is_file():
        raise InputError(f"{ladder} is no file: make one with `pythagoras eval ladder RUN... -o {ladder}`")
    settings = WebSettings(
        ServerSettings(api_key=api_key or None, max_wait_s=max_wait, limits=RequestLimits(timeout_s=max_timeout)),
        ProveLimits(timeout_s=max_timeout),
        Shown(
            tuple(runs or ()),
            tuple(corpus or ([_CORPUS] if _CORPUS.is_dir() else [])),
            ladder or _LADDER,
        ),
        local=host in LOCAL,
    )

    def ready(address: str, hosts: int, notes: tuple[str, ...]) -> None:
        say_ready(address, hosts, host, api_key)
        for note in notes:
            err.print(note, markup=False)

    means = Means(
        model=model,
        endpoint=endpoint,
        endpoint_model=endpoint_model,
        api_key_env=api_key_env,
        request_timeout_s=max_timeout,
        search=not no_search,
        jobs=jobs,
        eager=True,
    )
    run(settings, means, host, port, ready)
