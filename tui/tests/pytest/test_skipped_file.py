import pytest

absent = pytest.importorskip("no_module_of_this_name")


def test_never_seen():
    raise AssertionError
