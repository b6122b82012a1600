"""Names and shortened values, as the messages of assertions show them."""

_LONGEST = 80


def strclass(cls):
    """`module.Class`"""
    return f"{cls.__module__}.{cls.__qualname__}"


def safe_repr(obj, short=False):
    """`repr`, also of what has a broken one."""
    try:
        text = repr(obj)
    except Exception:
        text = object.__repr__(obj)
    if short and len(text) > _LONGEST:
        return text[:_LONGEST] + " [truncated]..."
    return text


def shortened(first, second):
    """The reprs of two values, cut in the middle of what they share where they are long."""
    texts = [safe_repr(first), safe_repr(second)]
    longest = max(map(len, texts))
    if longest <= _LONGEST:
        return texts
    shared = 0
    for left, right in zip(*texts):
        if left != right:
            break
        shared += 1
    prefix = texts[0][:shared]
    room = _LONGEST - (longest - shared) - 5 - 12 - 5
    if room > 5:
        prefix = _cut(prefix, 5, room)
        return [prefix + text[shared:] for text in texts]
    prefix = _cut(prefix, 5, 5)
    return [prefix + _cut(text[shared:], 12, 5) for text in texts]


def _cut(text, head, tail):
    skipped = len(text) - head - tail
    if skipped > 12:
        return f"{text[:head]}[{skipped} chars]{text[len(text) - tail:]}"
    return text


def count_differences(first, second):
    """(count in first, count in second, element) of every element that is not equally often in both."""
    rest = list(second)
    seen = []
    for element in first:
        if element not in seen:
            seen.append(element)
    for element in rest:
        if element not in seen:
            seen.append(element)
    first = list(first)
    counts = [(first.count(element), rest.count(element), element) for element in seen]
    return [count for count in counts if count[0] != count[1]]
