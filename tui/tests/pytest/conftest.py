"""What every file of this folder is given."""
import pytest


def pytest_addoption(parser):
    parser.addoption("--scale", default=3)


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes long")


@pytest.fixture(scope="session")
def scale(pytestconfig):
    return pytestconfig.getoption("--scale")


@pytest.fixture
def name():
    return "outer"
