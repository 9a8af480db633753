"""`pythagoras lean serve`: an HTTP server that clients of the Kimina Lean Server can use."""

from __future__ import annotations

from typing import Annotated

import typer

from pythagoras.cli.console import err, out

_LOCAL = ("127.0.0.1", "::1", "localhost")


def serve(
    host: Annotated[str, typer.Option(envvar="LEAN_SERVER_HOST", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(envvar="LEAN_SERVER_PORT", min=0, max=65535, help="Port to listen on; 0 takes a free one.")
    ] = 8000,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Lean processes. Default: one a core, as memory allows.")
    ] = None,
    api_key: Annotated[
        str, typer.Option(envvar="LEAN_SERVER_API_KEY", help="What clients must send as a bearer. Default: nothing.")
    ] = "",
    max_wait: Annotated[
        float,
        typer.Option(
            envvar="LEAN_SERVER_MAX_WAIT", min=0.0, help="Seconds that a request may wait for a Lean process."
        ),
    ] = 60.0,
    max_timeout: Annotated[
        float, typer.Option(min=1.0, max=1e6, help="The longest timeout that a request may ask for, in seconds.")
    ] = 600.0,
) -> None:
    """Serve Lean over HTTP with the Kimina Lean Server's protocol, until Ctrl-C.

    Prints its address when it is ready. Snippets that import Mathlib stand on the core header.

    \b
    pythagoras lean serve --port 8000
    LEAN_SERVER_API_KEY=secret pythagoras lean serve --host 0.0.0.0
    """
    from pythagoras.lean.server.app import ServerSettings
    from pythagoras.lean.server.app import serve as run
    from pythagoras.lean.server.kimina_routes import RequestLimits

    def ready(address: str, hosts: int) -> None:
        out.print(f"{address} ({hosts} Lean {'process' if hosts == 1 else 'processes'}; Ctrl-C stops it)", markup=False)
        out.file.flush()
        if not api_key and host not in _LOCAL:
            err.print("no key is set: whoever reaches this address can use it (see --api-key)", markup=False)

    limits = RequestLimits(timeout_s=max_timeout)
    run(ServerSettings(api_key=api_key or None, max_wait_s=max_wait, limits=limits), host, port, jobs, ready)
