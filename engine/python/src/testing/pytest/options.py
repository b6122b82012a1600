"""What the command line asks for, and the settings of a project: `-o name=value` for each. What stands in `addopts` comes first
and may hold options of plug-ins, which are passed over with a word."""

import json
import re

from pytest.outcomes import UsageError

# Options without an effect here, and whether a value follows them.
WITHOUT_EFFECT = {
    "-l": False,
    "--showlocals": False,
    "--no-showlocals": False,
    "--strict-markers": False,
    "--strict-config": False,
    "--strict": False,
    "--disable-warnings": False,
    "--disable-pytest-warnings": False,
    "--no-header": False,
    "--cache-clear": False,
    "--failed-first": False,
    "--ff": False,
    "--new-first": False,
    "--nf": False,
    "--doctest-modules": False,
    "--full-trace": False,
    "--fixtures": False,
    "--cov": False,
    "--cov-branch": False,
    "-p": True,
    "-W": True,
    "-c": True,
    "-n": True,
    "--pythonwarnings": True,
    "--color": True,
    "--import-mode": True,
    "--rootdir": True,
    "--basetemp": True,
    "--junitxml": True,
    "--junit-xml": True,
    "--log-level": True,
    "--log-cli-level": True,
    "--cov-report": True,
    "--timeout": True,
    "--dist": True,
    "--maxprocesses": True,
}

# Settings of pytest that a session has use for, with what they are where nothing is said.
SETTINGS = {
    "python_classes": "Test",
    "python_functions": "test",
    "xfail_strict": "false",
    "usefixtures": "",
}


class Options:
    """The arguments of a session."""

    def __init__(self, args):
        self.given = []
        self.keyword = self.mark = None
        self.verbose = 0
        self.quiet = 0
        self.captures = True
        self.traceback = "auto"
        self.collect_only = False
        self.continue_on_collection_errors = False
        self.most_failures = 0
        self.summary = "fE"
        self.durations = None
        self.durations_min = 0.005
        self.last_failed = None
        self.deselected = []
        self.tells_events = False
        self.settings = dict(SETTINGS)
        self.unknown = []
        self._read(list(args))

    def _read(self, args):
        """Reads arguments. Those between --addopts and --end-of-addopts may be of plug-ins."""
        is_lenient = False
        while args:
            arg = args.pop(0)
            if arg in ("--addopts", "--end-of-addopts"):
                is_lenient = arg == "--addopts"
            elif not arg.startswith("-") or arg == "-":
                self.given.append(arg)
            elif not self._option(arg, args):
                if not is_lenient:
                    raise UsageError(f"unrecognized arguments: {arg}")
                self.unknown.append(arg)
                # What follows an option that nobody knows is likely to be its value.
                if "=" not in arg and args and not args[0].startswith("-"):
                    self.unknown[-1] += f" {args.pop(0)}"

    def _option(self, arg, args):
        """Reads an option, with its value from the arguments behind it. Whether it is one."""
        name, has_value, value = arg.partition("=")

        def taken():
            if has_value:
                return value
            if not args:
                raise UsageError(f"argument {name}: expected one argument")
            return args.pop(0)

        if re.match(r"-[kmror]", arg) and not arg.startswith("--"):
            name, has_value, value = arg[:2], len(arg) > 2, arg[2:].lstrip("=")
        if name == "-k":
            self.keyword = Expression(taken(), "-k")
        elif name == "-m":
            self.mark = Expression(taken(), "-m")
        elif name == "-r":
            self.summary = taken()
        elif name in ("-o", "--override-ini"):
            key, _, setting = taken().partition("=")
            self.settings[key] = setting
        elif re.fullmatch(r"-v+|--verbose", arg):
            self.verbose += max(1, arg.count("v")) if arg != "--verbose" else 1
        elif re.fullmatch(r"-q+|--quiet", arg):
            self.quiet += 1
        elif arg == "-s" or (name == "--capture" and taken() == "no"):
            self.captures = False
        elif arg in ("-x", "--exitfirst"):
            self.most_failures = 1
        elif name == "--maxfail":
            self.most_failures = _number(name, taken())
        elif name == "--tb":
            self.traceback = taken()
        elif name == "--durations":
            self.durations = _number(name, taken())
        elif name == "--durations-min":
            self.durations_min = float(taken())
        elif arg in ("--collect-only", "--co"):
            self.collect_only = True
        elif name == "--deselect":
            self.deselected.append(taken())
        elif arg == "--continue-on-collection-errors":
            self.continue_on_collection_errors = True
        elif arg == "--no-summary":
            self.summary = ""
        elif name == "--last-failed-tests":
            self.last_failed = set(json.loads(taken()))
        elif arg == "--tell-events":
            self.tells_events = True
        elif name in WITHOUT_EFFECT or arg in WITHOUT_EFFECT or name == "--capture":
            if WITHOUT_EFFECT.get(name) and not has_value:
                taken()
        elif re.fullmatch(r"-[pWn].+", arg):
            pass
        else:
            return False
        return True

    def names(self, setting, name):
        """Whether a setting that is a list of beginnings, or of patterns, names a function or a class."""
        return any(_fits(pattern, name) for pattern in self.settings[setting].split())

    def is_set(self, setting):
        return self.settings.get(setting, "").strip().lower() in ("true", "1", "yes", "on")


def _number(name, text):
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"argument {name}: invalid int value: {text!r}") from None


def _fits(pattern, name):
    if not re.search(r"[*?\[]", pattern):
        return name.startswith(pattern)
    expression = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    return re.fullmatch(re.sub(r"\\\[(!?)(.*?)\\\]", lambda found: f"[{'^' if found[1] else ''}{found[2]}]", expression), name)


class Expression:
    """`attention and not (slow or bf16)`"""

    def __init__(self, text, option):
        self.text = text
        self.option = option
        self.tokens = re.findall(r"[()]|[^\s()]+", text)
        self.holds(lambda word: False)

    def holds(self, test):
        tokens = list(self.tokens)
        value = self._either(tokens, test)
        if tokens:
            self._wrong(f"unexpected {tokens[0]!r}")
        return value

    def _either(self, tokens, test):
        return any(self._parts("or", self._both, tokens, test))

    def _both(self, tokens, test):
        return all(self._parts("and", self._one, tokens, test))

    def _parts(self, word, part, tokens, test):
        """What the parts between a word come to: all are read."""
        values = [part(tokens, test)]
        while tokens and tokens[0] == word:
            tokens.pop(0)
            values.append(part(tokens, test))
        return values

    def _one(self, tokens, test):
        if not tokens:
            if not self.text:
                return True
            self._wrong("something is missing at the end")
        token = tokens.pop(0)
        if token == "not":
            return not self._one(tokens, test)
        if token == "(":
            value = self._either(tokens, test)
            if not tokens or tokens.pop(0) != ")":
                self._wrong("a parenthesis is not closed")
            return value
        if token in (")", "and", "or"):
            self._wrong(f"unexpected {token!r}")
        return test(token)

    def _wrong(self, why):
        raise UsageError(f"Wrong expression passed to '{self.option}': {self.text}: {why}")
