"""absl.app: runs a main function with parsed flags."""

import sys as _sys

from absl import flags as _flags
from absl import logging as _logging


class Error(Exception):
    """The base of this module's exceptions."""


class UsageError(Error):
    """A command line that makes no sense."""

    def __init__(self, message, exitcode=1):
        super().__init__(message)
        self.exitcode = exitcode


_after_init = []


def call_after_init(callback):
    """Calls `callback` once flags are parsed."""
    _after_init.append(callback)


def parse_flags_with_usage(args):
    """Parses flags; a mistake ends the program."""
    try:
        return _flags.FLAGS(args)
    except _flags.Error as error:
        _sys.stderr.write(f"FATAL Flags parsing error: {error}\nPass --helpshort or --helpfull to see help on flags.\n")
        _sys.exit(1)


def run(main, argv=None, flags_parser=parse_flags_with_usage):
    """Parses the flags, and runs `main` with what is left."""
    rest = flags_parser(_sys.argv if argv is None else argv)
    if _logging.get_verbosity() == _logging.WARNING:
        _logging.set_verbosity(_logging.INFO)
    for callback in _after_init:
        callback()
    try:
        result = main(rest)
    except UsageError as error:
        _sys.stderr.write(f"{error}\n")
        _sys.exit(error.exitcode)
    _sys.exit(result)
