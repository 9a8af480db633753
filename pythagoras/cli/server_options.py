"""Options that both servers have, with the same variables: whoever has one behind a proxy has the other as well."""

from __future__ import annotations

from typing import Annotated

import typer

from pythagoras.cli.console import err, out

LOCAL = ("127.0.0.1", "::1", "localhost")

Host = Annotated[str, typer.Option(envvar="LEAN_SERVER_HOST", help="Address to listen on.")]
Port = Annotated[
    int, typer.Option(envvar="LEAN_SERVER_PORT", min=0, max=65535, help="Port to listen on; 0 takes a free one.")
]
Jobs = Annotated[
    int | None, typer.Option("--jobs", "-j", min=1, help="Lean processes. Default: one a core, as memory allows.")
]
ApiKey = Annotated[
    str, typer.Option(envvar="LEAN_SERVER_API_KEY", help="What clients must send as a bearer. Default: nothing.")
]
MaxWait = Annotated[
    float,
    typer.Option(envvar="LEAN_SERVER_MAX_WAIT", min=0.0, help="Seconds that a request may wait for a Lean process."),
]
MaxTimeout = Annotated[
    float, typer.Option(min=1.0, max=1e6, help="The longest timeout that a request may ask for, in seconds.")
]


def say_ready(address: str, hosts: int, host: str, api_key: str) -> None:
    """One line on stdout, which programs may wait for; and a word where everybody is let in."""
    out.print(f"{address} ({hosts} Lean {'process' if hosts == 1 else 'processes'}; Ctrl-C stops it)", markup=False)
    out.file.flush()
    if not api_key and host not in LOCAL:
        err.print("no key is set: whoever reaches this address can use it (see --api-key)", markup=False)
