import pytest


@pytest.fixture
def name(name):
    return "inner of " + name
