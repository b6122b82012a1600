"""What tests are given by pytest itself, and by hooks."""
import logging
import os
import sys
import warnings

import pytest

HAS_TPU = False


@pytest.mark.skipif("sys.version_info >= (3,)")
def test_condition_as_text():
    raise AssertionError


@pytest.mark.skipif("not HAS_TPU", reason="needs a TPU")
def test_condition_with_names_of_the_module():
    raise AssertionError


@pytest.mark.skipif("HAS_TPU or os.name == 'nothing'", reason="never")
def test_condition_that_does_not_hold():
    pass


@pytest.mark.skipif("no_name_of_the_module")
def test_condition_that_cannot_be_evaluated():
    pass


@pytest.mark.skipif(True)
def test_condition_without_a_reason():
    pass


@pytest.mark.xfail("not HAS_TPU", reason="no TPU")
def test_expected_by_text():
    raise AssertionError


@pytest.mark.xfail(HAS_TPU, reason="TPU")
def test_not_expected():
    pass


def test_size(size):
    assert size in (8, 16)


@pytest.mark.slow
def test_marked_by_a_hook():
    raise AssertionError


def test_paths(tmp_path, tmp_path_factory):
    assert (tmp_path / "a.txt").name == "a.txt"
    assert tmp_path != tmp_path_factory.mktemp("other")
    assert str(tmp_path_factory.mktemp("same")) != str(tmp_path_factory.mktemp("same"))


def test_printed(capsys):
    print("out")
    print("err", file=sys.stderr)
    found = capsys.readouterr()
    assert found.out == "out\n" and found.err == "err\n"
    out, err = capsys.readouterr()
    assert out == err == ""
    with capsys.disabled():
        pass


def test_logged(caplog):
    with caplog.at_level(logging.INFO):
        logging.getLogger("some").info("a %s", "word")
    logging.getLogger("some").warning("care")
    assert caplog.messages == ["a word", "care"]
    assert caplog.record_tuples[1] == ("some", logging.WARNING, "care")
    caplog.clear()
    assert not caplog.records


def test_warned(recwarn):
    warnings.warn("one")
    warnings.warn("two", DeprecationWarning)
    assert len(recwarn) == 2
    assert recwarn.pop(DeprecationWarning).category is DeprecationWarning


def test_patched(monkeypatch):
    monkeypatch.setitem(os.environ, "PALLAS_A", "1")
    monkeypatch.delenv("PALLAS_B", raising=False)
    with pytest.raises(AttributeError):
        monkeypatch.setattr(os, "no_such_name", 1)
    with monkeypatch.context() as inner:
        inner.setattr(os.path, "basename", lambda path: "patched")
        assert os.path.basename("a/b") == "patched"
    assert os.path.basename("a/b") == "b"


@pytest.fixture(params=["left", "right"], ids=["l", "r"])
def side(request):
    return request.param, request.node.name, request.node.originalname


def test_parameter_of_a_fixture(side, request):
    assert side == ({"l": "left", "r": "right"}[request.node.name[-2]], request.node.name, "test_parameter_of_a_fixture")


@pytest.fixture
def both(request):
    return [request.getfixturevalue("capsys"), request.param]


@pytest.mark.parametrize("both, n", [("x", 1), ("y", 2)], indirect=["both"])
def test_some_indirect(both, n):
    assert both[1] in "xy" and n in (1, 2)


def test_module_is_skipped_if_it_is_not_there():
    pytest.importorskip("no_module_of_this_name", reason="not installed")


def test_old_module():
    pytest.importorskip("pytest", minversion="99.0")


def test_comparisons_in_sequences():
    assert {"a": [1, 2]} == {"a": [1, 3]}


@pytest.mark.parametrize("n", range(3), ids="n{}".format)
@pytest.mark.skip(reason="in one line")
def test_skipped_together(n):
    pass
