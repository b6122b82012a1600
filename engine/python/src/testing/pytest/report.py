"""What a session prints, as pytest does."""

WIDTH = 80

# What the letters of `-r` stand for; a, A and N stand for several, or for none.
SUMMARY = {"f": "failed", "E": "error", "s": "skipped", "x": "xfailed", "X": "xpassed", "p": "passed", "P": "passed"}
SEVERAL = {"a": "sxXEf", "A": "PpsxXEf", "N": ""}


class Report:
    """Prints while tests run, and afterwards."""

    def __init__(self, options):
        self.options = options
        self.column = 0
        self.file = None

    def begin(self):
        if not self.options.quiet:
            self.rule("test session starts")

    def collected(self, found, failed, chosen, note):
        if self.options.quiet:
            return
        words = f"collected {found} item{'' if found == 1 else 's'}"
        if failed:
            words += f" / {len(failed)} error{'s' if len(failed) > 1 else ''}"
        if chosen < found:
            words += f" / {found - chosen} deselected / {chosen} selected"
        print(words)
        if note:
            print(note)
        if not failed:
            print()

    def test(self, item, done, count):
        """A test begins."""
        if self.options.verbose:
            self.write(f"{item.nodeid} ")
        elif item.file is not self.file:
            self.end_line(done, count)
            self.file = item.file
            if not self.options.quiet:
                self.write(f"{item.file.shown} ")

    def results(self, item, results, done, count):
        for number, outcome in enumerate(results):
            if number and self.options.verbose:
                self.end_line(done, count)
                self.write(f"{item.nodeid} ")
            word = outcome.word
            if outcome.kind in ("skipped", "xfailed", "xpassed") and outcome.reason:
                word += f" ({outcome.reason})"
            self.write(word if self.options.verbose else outcome.letter)
        if self.options.verbose or self.column >= WIDTH - 7:
            self.end_line(done, count)

    def end(self, session, stopped, seconds):
        self.tracebacks(session.outcomes)
        self.passes(session.outcomes)
        self.durations(session.durations)
        self.summary(session.outcomes)
        if stopped:
            self.rule(stopped, "!")
        counts = ", ".join(_counted(*each) for each in session.counts().items()) or "no tests ran"
        line = f"{counts} in {seconds:.2f}s"
        if self.options.quiet:
            print(line)
        else:
            self.rule(line)

    # The parts of it.

    def write(self, text):
        self.column += len(text)
        print(text, end="", flush=True)

    def end_line(self, done, count):
        if self.column:
            share = f"[{done * 100 // max(count, 1):3d}%]"
            print(share.rjust(max(WIDTH - self.column, len(share) + 1)))
        self.column = 0

    def rule(self, words, mark="="):
        print(f" {words} ".center(WIDTH, mark))

    def tracebacks(self, found):
        for kind, heading in [("error", "ERRORS"), ("failed", "FAILURES")]:
            some = [each for each in found if each.kind == kind]
            if not some or self.options.traceback == "no":
                continue
            print()
            self.rule(heading)
            for each in some:
                if self.options.traceback == "line":
                    place = each.place()
                    print(f"{place[0]}:{place[1]}: {each.short}" if place else each.short)
                    continue
                self.rule(each.title, "_")
                print(each.text.rstrip("\n"))
                self.printed(each)

    def printed(self, outcome):
        if outcome.printed:
            self.rule("Captured output", "-")
            print(outcome.printed.rstrip("\n"))

    def passes(self, found):
        some = [each for each in found if each.kind == "passed" and each.printed]
        if some and "P" in self.letters():
            self.rule("PASSES")
            for each in some:
                self.rule(each.item.title, "_")
                self.printed(each)

    def durations(self, durations):
        wanted = self.options.durations
        if wanted is None:
            return
        slowest = sorted(durations, key=lambda each: each[0], reverse=True)
        slowest = slowest[:wanted] if wanted else slowest
        shown = [each for each in slowest if self.options.verbose > 1 or each[0] >= self.options.durations_min]
        print()
        self.rule(f"slowest {wanted} durations" if wanted else "slowest durations")
        for seconds, phase, nodeid in shown:
            print(f"{seconds:.2f}s {phase:<8} {nodeid}")
        if len(shown) < len(slowest):
            hidden = len(slowest) - len(shown)
            print(f"\n({hidden} durations < {self.options.durations_min:g}s hidden.  Use -vv to show these durations.)")

    def letters(self):
        letters = ""
        for letter in self.options.summary:
            letters += SEVERAL.get(letter, {"F": "f", "S": "s"}.get(letter, letter))
        return letters

    def summary(self, found):
        lines = []
        for letter in self.letters():
            kind = SUMMARY.get(letter)
            some = [each for each in found if each.kind == kind]
            if letter == "P":
                continue
            lines += _skips(some) if kind == "skipped" else [_summed_up(each) for each in some]
        if lines:
            self.rule("short test summary info")
            for line in lines:
                print(line)
        elif found and not self.options.quiet:
            print()


def _summed_up(outcome):
    word = outcome.word
    name = outcome.item.nodeid if outcome.item else outcome.file
    said = outcome.short or outcome.reason
    return f"{word} {name} - {said}" if said else f"{word} {name}"


def _skips(skipped):
    """Skips of one reason in one line."""
    groups = {}
    for each in skipped:
        place = next(reversed(each.places), None)
        place = f"{place[0]}:{place[1]}" if place else each.file
        key = (place, each.reason)
        groups[key] = groups.get(key, 0) + 1
    return [f"SKIPPED [{count}] {place}: {reason}" for (place, reason), count in groups.items()]


def _counted(kind, count):
    return f"{count} {kind}{'s' if kind == 'error' and count > 1 else ''}"
