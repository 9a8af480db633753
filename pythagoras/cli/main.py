"""`pythagoras`: puts the nouns together, and turns errors into one line and an exit code."""

from __future__ import annotations

import errno
import importlib.metadata
import os
import sys
from typing import Annotated

import typer
from typer._click.exceptions import NoArgsIsHelpError, UsageError
from typer.exceptions import TyperException

from pythagoras.cli import alf, corpus, doctor, evaluate, lean, plan, prove, run, serve, train
from pythagoras.cli.console import complain, out
from pythagoras.errors import PythagorasError

app = typer.Typer(
    name="pythagoras",
    help="Train, run and measure Lean 4 theorem provers on little compute.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.add_typer(lean.app, name="lean")
app.add_typer(corpus.app, name="corpus")
app.add_typer(train.app, name="train")
app.add_typer(alf.app, name="alf")
app.add_typer(evaluate.app, name="eval")


_INTERRUPTED = 130
"""What typer makes of Ctrl-C inside of a command."""


def _print_version(wanted: bool) -> None:
    if wanted:
        out.print(f"pythagoras {importlib.metadata.version('pythagoras')}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Train, run and measure Lean 4 theorem provers on little compute."""


app.command("prove")(prove.prove)
app.command("serve")(serve.serve)
app.command("run")(run.run)
app.command("plan")(plan.plan)
app.command("doctor")(doctor.doctor)


def main() -> None:
    """Run the command line. Exit codes: 0 done, 1 the answer is no, 2 wrong use or a broken environment."""
    try:
        code = app(standalone_mode=False)
        if code == _INTERRUPTED:
            raise KeyboardInterrupt
        sys.exit(code)
    except NoArgsIsHelpError as error:
        error.show()
        sys.exit(2)
    except TyperException as error:
        path = error.ctx.command_path if isinstance(error, UsageError) and error.ctx else "pythagoras"
        complain(f"{error.format_message().rstrip('.')}: see `{path} --help`")
        sys.exit(2)
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):
            sys.exit(141)
        raise
    except PythagorasError as error:
        complain(str(error))
        sys.exit(2)
    except KeyboardInterrupt:
        complain("stopped")
        sys.exit(_INTERRUPTED)
    except BrokenPipeError:  # whoever read our output has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        complain("the disk is full: make room, and run the same command again")
        sys.exit(2)
