"""Which tests are meant: files, tests in them by `::`, expressions of names (`-k`) and of marks (`-m`), the tests that failed
last."""

import os

from pytest.outcomes import UsageError


class Selection:
    """The tests that a session is to run."""

    def __init__(self, options):
        self.options = options
        # For each file, in the order in which they are named, what is named in it; nothing stands for all of it.
        self.named = {}
        for arg in options.given:
            path, *names = arg.split("::")
            self.named.setdefault(path, []).append("::".join(names))

    def files(self):
        """The files that are named. Evaluated code cannot look into folders: `pallas-tui test` does."""
        for path in self.named:
            if os.path.isdir(path):
                raise UsageError(f"{path} is a folder: name its files, or use `pallas-tui test {path}`")
            if not os.path.exists(path):
                raise UsageError(f"file or directory not found: {path}")
        return list(self.named)

    def named_in(self, path, items):
        """The tests of a file that are named, in the order in which they are."""
        found = {}
        for name in self.named[path]:
            some = [item for item in items if not name or _leads(name, item)]
            if name and not some:
                raise UsageError(f"not found: {path}::{name}")
            found.update((id(item), item) for item in some)
        return list(found.values())

    def wants(self, item):
        """Whether a test that is named is chosen, too."""
        options = self.options
        if any(_begins(prefix, item.nodeid) for prefix in options.deselected):
            return False
        if options.keyword is not None:
            words = [each.lower() for each in item.keywords]
            if not options.keyword.holds(lambda word: any(word.lower() in each for each in words)):
                return False
        if options.mark is not None:
            marks = [each.name for each in item.marks]
            return options.mark.holds(lambda word: word in marks)
        return True

    def failed_last(self, items):
        """Of these tests those that failed last, with what is said of that; all of them where none did."""
        last = self.options.last_failed
        if last is None:
            return items, ""
        failed = [item for item in items if item.nodeid in last]
        if not failed:
            return items, "run-last-failure: no previously failed tests, all are run"
        count = len(failed)
        return failed, f"run-last-failure: rerun previous {count} failure{'s' if count > 1 else ''}"


def _leads(wanted, item):
    """Whether a name is that of a test, of what it stands in, or of the function that it is made from: absl's tests with parameters
    have names of their own, and nobody can name them who has only read the file."""
    own = "::".join(item.nodeid.split("::")[1:])
    made_from = "::".join([*item.class_names, item.originalname])
    return wanted == made_from or _begins(wanted, own)


def _begins(wanted, name):
    return name == wanted or name.startswith((wanted + "::", wanted + "["))
