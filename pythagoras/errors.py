"""Every error that Pythagoras raises on purpose.

    PythagorasError            exit code 2: wrong use or a broken environment
    ├── InputError             what was handed in can't be used (file, flag, recipe, row)
    ├── InstallError           the embedded Lean can't be fetched, unpacked or started
    ├── EngineError            workers can't be kept running
    └── HostError              a Lean process broke while it was asked something
        ├── HostDied           it ended, or said itself that it is broken
        └── HostHung           it did not answer in time

A message is one line: what happened, why, and what to do next. A proof that fails is no error: it is an answer.
"""


class PythagorasError(Exception):
    """Base of all errors raised on purpose; the command line prints its text and exits with 2."""


class InputError(PythagorasError):
    """What the user handed in can't be used."""


class InstallError(PythagorasError):
    """The embedded Lean can't be fetched, unpacked or started."""


class EngineError(PythagorasError):
    """Workers can't be kept running: they end before they can work, or find no room."""


class HostError(PythagorasError):
    """A Lean process broke while it was asked something. Says nothing about the proof."""


class HostDied(HostError):
    """The process ended, or reported that it can't go on."""


class HostHung(HostError):
    """The process did not answer within its wall clock."""
