"""`pythagoras doctor`: what works on this machine, and what to type where something does not."""

from __future__ import annotations

from typing import Annotated

import typer

from pythagoras.cli.console import out, print_json


def doctor(json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False) -> None:
    """What works on this machine, and what to type where something does not.

    Starts Lean and has it check a theorem. Exits with 0 when everything that is needed works, with 2 when not.
    """
    from pythagoras.doctor import examine

    findings = []
    for finding in examine():
        findings.append(finding)
        if not json:
            mark = {"ok": "[green]✓[/]", "missing": "[red]✗[/]", "optional": "[yellow]–[/]"}[finding.state]
            out.print(f"{mark} {finding.part:<10}", end="")
            out.print(finding.found, markup=False)
            if finding.fix:
                out.print(f"{'':12}→ {finding.fix}", markup=False)
    if json:
        print_json([finding.as_dict() for finding in findings])
    if any(finding.state == "missing" for finding in findings):
        raise typer.Exit(2)
