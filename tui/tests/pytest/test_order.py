"""When fixtures are made and taken down."""
import pytest

log = []


def setup_module(module):
    log.append("module")


def setup_function(function):
    log.append("before " + function.__name__)


def teardown_function(function):
    log.append("after " + function.__name__)


@pytest.fixture(scope="module")
def shared():
    log.append("shared made")
    yield "shared"
    log.append("shared gone")


@pytest.fixture
def own(shared, request):
    log.append(f"own made for {request.node.name}")
    request.addfinalizer(lambda: log.append("finalized"))
    yield shared + "!"
    log.append("own gone")


@pytest.fixture(autouse=True)
def always():
    log.append("always")


def test_first(own):
    assert own == "shared!"


def test_second(shared, own, monkeypatch, capsys):
    assert log == [
        "module", "shared made", "before test_first", "always", "own made for test_first",
        "own gone", "finalized", "after test_first", "before test_second", "always", "own made for test_second",
    ]
    monkeypatch.setattr(pytest, "absent", 1, raising=False)
    monkeypatch.setenv("SOME_VARIABLE", "1")
    print("printed")
    assert capsys.readouterr().out == "printed\n"


def test_what_was_patched_is_gone():
    assert not hasattr(pytest, "absent")


@pytest.fixture
def breaks():
    yield
    raise RuntimeError("while taking down")


def test_taking_down_fails(breaks):
    pass


@pytest.fixture
def cannot_be_made():
    raise RuntimeError("while making")


def test_making_fails(cannot_be_made):
    pass


class TestMethods:
    made = []

    @classmethod
    def setup_class(cls):
        cls.made.append("class")

    def setup_method(self, method):
        self.made.append(method.__name__)

    @pytest.fixture(autouse=True)
    def prepare(self, shared):
        self.prepared = shared

    def test_a(self):
        assert self.prepared == "shared" and self.made == ["class", "test_a"]

    @pytest.mark.usefixtures("own")
    def test_b(self):
        assert self.made == ["class", "test_a", "test_b"] and log[-1].startswith("own made")
