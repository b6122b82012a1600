"""Differences line by line, with marks under the characters that changed, as the standard library shows them."""

import pprint

from .util import safe_repr, shortened


def of_sequences(first, second, name):
    """(message, difference) of two sequences; None where they are equal."""
    lengths = []
    for position, sequence in (("First", first), ("Second", second)):
        try:
            lengths.append(len(sequence))
        except (TypeError, NotImplementedError):
            message = f"{position} {name} has no length.    Non-sequence?"
            return message, ""
    if first == second:
        return None
    message = "{}s differ: {} != {}\n".format(name.capitalize(), *shortened(first, second))
    for index in range(min(lengths)):
        if first[index] != second[index]:
            message += f"\nFirst differing element {index}:\n{safe_repr(first[index])}\n{safe_repr(second[index])}\n"
            break
    else:
        if lengths[0] == lengths[1] and type(first) is not type(second):
            return None
    longer, position = (first, "First") if lengths[0] > lengths[1] else (second, "Second")
    if lengths[0] != lengths[1]:
        at = min(lengths)
        message += (
            f"\n{position} {name} contains {abs(lengths[0] - lengths[1])} additional elements.\n"
            f"First extra element {at}:\n{safe_repr(longer[at])}\n"
        )
    return message, "\n".join(of_lines(pprint.pformat(first).splitlines(), pprint.pformat(second).splitlines()))


def of_dicts(first, second):
    """The difference of two dicts, printed nicely."""
    return "\n".join(of_lines(pprint.pformat(first).splitlines(), pprint.pformat(second).splitlines()))


def of_texts(first, second):
    """The difference of two texts."""
    return "\n".join(of_lines(first.splitlines(), second.splitlines())) + "\n"


def of_lines(first, second):
    """Lines marked with what happened to them: `- ` gone, `+ ` new, `  ` kept, `? ` where within the line."""
    result = []
    for left, right in _changed(first, second):
        if left == right:
            result.extend("  " + line for line in left)
        else:
            result.extend(_replaced(left, right))
    return result


def _changed(first, second):
    """Pairs of stretches of both: alternately equal and changed."""
    matches = _longest_common(first, second)
    pairs, at_first, at_second = [], 0, 0
    for i, j in [*matches, (len(first), len(second))]:
        if i > at_first or j > at_second:
            pairs.append((first[at_first:i], second[at_second:j]))
        if i < len(first) and j < len(second):
            pairs.append((first[i : i + 1], second[j : j + 1]))
        at_first, at_second = i + 1, j + 1
    return pairs


def _longest_common(first, second):
    """Positions of a longest common subsequence."""
    rows = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i in range(len(first) - 1, -1, -1):
        for j in range(len(second) - 1, -1, -1):
            if first[i] == second[j]:
                rows[i][j] = rows[i + 1][j + 1] + 1
            else:
                rows[i][j] = max(rows[i + 1][j], rows[i][j + 1])
    found, i, j = [], 0, 0
    while i < len(first) and j < len(second):
        if first[i] == second[j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif rows[i + 1][j] >= rows[i][j + 1]:
            i += 1
        else:
            j += 1
    return found


def _replaced(left, right):
    """Lines that became other lines: those that resemble each other are shown together."""
    if len(left) == len(right) and all(_alike(old, new) for old, new in zip(left, right)):
        lines = []
        for old, new in zip(left, right):
            lines.extend(_within(old, new))
        return lines
    return ["- " + line for line in left] + ["+ " + line for line in right]


def _alike(old, new):
    shared = len(_longest_common(old, new))
    return 2 * shared > 0.75 * (len(old) + len(new)) if old or new else True


def _within(old, new):
    kept = _longest_common(old, new)
    kept_old, kept_new = {i for i, _ in kept}, {j for _, j in kept}
    replaced = len(old) - len(kept) and len(new) - len(kept)
    marks_old = "".join(" " if i in kept_old else "^" if replaced else "-" for i in range(len(old))).rstrip()
    marks_new = "".join(" " if j in kept_new else "^" if replaced else "+" for j in range(len(new))).rstrip()
    lines = ["- " + old]
    if marks_old:
        lines.append("? " + marks_old + "\n")
    lines.append("+ " + new)
    if marks_new:
        lines.append("? " + marks_new + "\n")
    return lines
