"""tqdm: the iterable itself, without a progress bar."""


class tqdm:
    """Passes on the items of an iterable."""

    def __init__(self, iterable=None, desc=None, total=None, **kwargs):
        self.iterable, self.desc, self.n = iterable, desc, 0
        self.total = len(iterable) if total is None and hasattr(iterable, "__len__") else total

    def __iter__(self):
        for item in self.iterable:
            yield item
            self.n += 1

    def __len__(self):
        return self.total

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False

    def update(self, n=1):
        self.n += n

    def set_description(self, desc=None, refresh=True):
        self.desc = desc

    def set_postfix(self, *args, **kwargs):
        pass

    def set_postfix_str(self, *args, **kwargs):
        pass

    def refresh(self):
        pass

    def close(self):
        pass

    @staticmethod
    def write(s, file=None, end="\n", nolock=False):
        print(s, file=file, end=end)


def trange(*args, **kwargs):
    """`tqdm(range(...))`"""
    return tqdm(range(*args), **kwargs)
