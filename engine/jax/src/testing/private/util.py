"""Lists, as JAX's tests take them apart."""


def partition_list(bs, l):
    """Elements whose flag is false, and those whose flag is true."""
    assert len(bs) == len(l)
    lists = [], []
    for flag, element in zip(bs, l):
        lists[bool(flag)].append(element)
    return lists


def merge_lists(bs, l0, l1):
    """Undoes `partition_list`."""
    first, second = iter(l0), iter(l1)
    return [next(second) if flag else next(first) for flag in bs]


def split_list(args, ns):
    """Sections of these sizes, and the rest."""
    args, lists = list(args), []
    for size in ns:
        lists.append(args[:size])
        args = args[size:]
    lists.append(args)
    return lists


def unzip2(xys):
    xs, ys = [], []
    for x, y in xys:
        xs.append(x)
        ys.append(y)
    return tuple(xs), tuple(ys)


def safe_zip(*args):
    args = [list(arg) for arg in args]
    assert all(len(arg) == len(args[0]) for arg in args), f"length mismatch: {[len(arg) for arg in args]}"
    return list(zip(*args))


def safe_map(f, *args):
    return [f(*values) for values in safe_zip(*args)]
