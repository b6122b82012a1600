"""absl.logging: messages from warnings on go to standard error."""

import sys as _sys

DEBUG, INFO, WARNING, WARN, ERROR, FATAL = 1, 0, -1, -1, -2, -3
_LETTERS = {-3: "F", -2: "E", -1: "W", 0: "I"}
_state = {"verbosity": WARNING, "first": {}}


def set_verbosity(v):
    """Messages below this level are not shown."""
    _state["verbosity"] = {"debug": 1, "info": 0, "warning": -1, "error": -2, "fatal": -3}.get(v, v)


def get_verbosity():
    """The lowest level that is shown."""
    return _state["verbosity"]


def set_stderrthreshold(s):
    """Nothing to do: every shown message goes to standard error."""


def use_absl_handler():
    """Nothing to do."""


def log(level, msg, *args, **kwargs):
    """Shows a message of this level."""
    if level > _state["verbosity"]:
        return
    text = str(msg) % args if args else str(msg)
    _sys.stderr.write(f"{_LETTERS.get(level, 'I')} {text}\n")


def debug(msg, *args, **kwargs):
    log(DEBUG, msg, *args)


def info(msg, *args, **kwargs):
    log(INFO, msg, *args)


def warning(msg, *args, **kwargs):
    log(WARNING, msg, *args)


warn = warning


def error(msg, *args, **kwargs):
    log(ERROR, msg, *args)


exception = error


def fatal(msg, *args, **kwargs):
    """Shows a message, and ends the program."""
    log(FATAL, msg, *args)
    _sys.exit(1)


def vlog(level, msg, *args, **kwargs):
    log(level, msg, *args)


def vlog_is_on(level):
    return level <= _state["verbosity"]


level_debug, level_info = (lambda: vlog_is_on(DEBUG)), (lambda: vlog_is_on(INFO))


def log_first_n(level, msg, n, *args):
    """Shows a message the first `n` times only."""
    count = _state["first"].get(msg, 0)
    _state["first"][msg] = count + 1
    if count < n:
        log(level, msg, *args)


def log_every_n(level, msg, n, *args):
    """Shows a message every `n`th time."""
    count = _state["first"].get(msg, 0)
    _state["first"][msg] = count + 1
    if count % n == 0:
        log(level, msg, *args)


def log_if(level, msg, condition, *args):
    """Shows a message under a condition."""
    if condition:
        log(level, msg, *args)


def get_absl_handler():
    """There is none."""


def get_absl_logger():
    """A logger of the standard library."""
    import logging

    return logging.getLogger("absl")
