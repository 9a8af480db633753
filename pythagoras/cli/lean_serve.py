"""`pythagoras lean serve`: an HTTP server that clients of the Kimina Lean Server can use."""

from __future__ import annotations

from pythagoras.cli.server_options import ApiKey, Host, Jobs, MaxTimeout, MaxWait, Port, say_ready


def serve(
    host: Host = "127.0.0.1",
    port: Port = 8000,
    jobs: Jobs = None,
    api_key: ApiKey = "",
    max_wait: MaxWait = 60.0,
    max_timeout: MaxTimeout = 600.0,
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
        say_ready(address, hosts, host, api_key)

    limits = RequestLimits(timeout_s=max_timeout)
    run(ServerSettings(api_key=api_key or None, max_wait_s=max_wait, limits=limits), host, port, jobs, ready)
