"""What the command line names: files, tests in them by `::`, expressions of names (`-k`) and of marks (`-m`)."""

import os
import re

from pytest.outcomes import UsageError


class Selection:
    """The arguments of a session."""

    def __init__(self, args):
        self.paths = []
        self.named = {}
        self.keyword = self.mark = None
        self.verbose = False
        self.captures = True
        self.shows_tracebacks = True
        self.collect_only = False
        self.continue_on_collection_errors = False
        self.most_failures = 0
        self._read(list(args))

    def _read(self, args):
        while args:
            arg = args.pop(0)
            name, _, value = arg.partition("=")
            if arg.startswith("-k") or arg.startswith("-m"):
                text = arg[2:].lstrip("=") or (args.pop(0) if args else "")
                expression = Expression(text, arg[:2])
                self.keyword, self.mark = (expression, self.mark) if arg[1] == "k" else (self.keyword, expression)
            elif arg in ("-v", "-vv", "--verbose"):
                self.verbose = True
            elif arg in ("-q", "--quiet", "-l", "--showlocals") or arg.startswith(("-r", "-p", "-W", "--color", "--durations")):
                if arg in ("-p", "-W") and args:
                    args.pop(0)
            elif arg in ("-s", "--capture=no"):
                self.captures = False
            elif arg in ("-x", "--exitfirst"):
                self.most_failures = 1
            elif name == "--maxfail":
                self.most_failures = int(value or args.pop(0))
            elif name == "--tb":
                self.shows_tracebacks = (value or args.pop(0)) != "no"
            elif arg in ("--collect-only", "--co"):
                self.collect_only = True
            elif arg == "--continue-on-collection-errors":
                self.continue_on_collection_errors = True
            elif arg.startswith("-"):
                raise UsageError(f"unrecognized arguments: {arg}")
            else:
                path, *names = arg.split("::")
                if path not in self.paths:
                    self.paths.append(path)
                    self.named[path] = []
                self.named[path].append("::".join(names))

    def files(self):
        """The files that are named. Evaluated code cannot look into folders: `pallas-tui test` does."""
        for path in self.paths:
            if os.path.isdir(path):
                raise UsageError(f"{path} is a folder: name its files, or use `pallas-tui test {path}`")
            if not os.path.exists(path):
                raise UsageError(f"file or directory not found: {path}")
        return self.paths

    def wants(self, item):
        """Whether a test is one of those that are meant."""
        names = [each for path, listed in self.named.items() if _same(path, item.file.path) for each in listed]
        own = "::".join(item.nodeid.split("::")[1:])
        if names and not any(not each or _leads(each, own) for each in names):
            return False
        if self.keyword is not None:
            words = [each.lower() for each in item.keywords]
            if not self.keyword.holds(lambda word: any(word.lower() in each for each in words)):
                return False
        if self.mark is not None:
            marks = [each.name for each in item.marks]
            return self.mark.holds(lambda word: word in marks)
        return True


def _same(a, b):
    return os.path.normpath(a) == os.path.normpath(b)


def _leads(wanted, own):
    return own == wanted or own.startswith((wanted + "::", wanted + "["))


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
