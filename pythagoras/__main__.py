"""`python -m pythagoras` is the `pythagoras` command."""

from pythagoras.cli.main import main

main()
