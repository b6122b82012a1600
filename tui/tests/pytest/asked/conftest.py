"""Hooks: tests that a file asks for, and marks that it puts on them."""
import pytest


def pytest_generate_tests(metafunc):
    if "size" in metafunc.fixturenames:
        metafunc.parametrize("size", [8, 16], ids=lambda size: f"size{size}")


def pytest_collection_modifyitems(config, items):
    for item in items:
        if "slow" in item.keywords and "test_asked" in item.nodeid:
            item.add_marker(pytest.mark.skip(reason="slow ones are left out"))
