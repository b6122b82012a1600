"""What is a test of hypothesis."""


def is_hypothesis_test(item):
    """Whether `given` made it."""
    return getattr(getattr(item, "__func__", item), "is_hypothesis_test", False)
