//! `pallas-tui test`: which tests there are and what becomes of them is what pytest has recorded (tests/goldens/pytest_outcomes.py);
//! what is found in their kernels fails them.

use super::{Case, run_in, shown};
use std::fs;
use std::path::Path;

/// Tests of a kernel that adds up without a beginning: right on memory that happens to be zero.
const SUMS: &str = "\
import jax
import jax.numpy as jnp
import pytest
from jax.experimental import pallas as pl


def kernel(flag_ref, x_ref, o_ref):
  @pl.when(flag_ref[0] > 0)
  def _():
    o_ref[...] = jnp.zeros_like(o_ref)
  o_ref[...] += x_ref[...]


@pytest.mark.parametrize('flag', [0, 1])
def test_shape(flag):
  x = jnp.ones((8, 8))
  print(pl.pallas_call(kernel, out_shape=x, interpret=True)(jnp.array([flag]), x).shape)
";

#[test]
fn tests_end_as_under_pytest() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pytest");
    let output = run_in(&folder, &["test", "-v", "--no-traceback", "."]);
    let text = String::from_utf8_lossy(&output.stdout);
    let is_result = |line: &&str| line.contains("::") && line.ends_with("%]");
    let result = |line: &str| {
        let (line, _) = line.rsplit_once('[').unwrap_or((line, ""));
        line.split_once(" (").map_or(line, |(line, _)| line).trim_end().to_string()
    };
    let found: Vec<String> = text.lines().filter(is_result).map(result).collect();
    let recorded = fs::read_to_string(folder.join("outcomes.txt")).expect("the outcomes are part of the repository");
    assert_eq!(found, recorded.lines().collect::<Vec<_>>(), "{}", shown(&output));
    let last = text.lines().last().unwrap_or_default();
    assert!(last.contains("11 failed, 46 passed, 8 skipped, 2 xfailed, 1 xpassed, 3 errors"), "{last}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn tests_are_chosen_by_place_name_and_mark() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pytest");
    let chosen = |arguments: &[&str]| {
        let output = run_in(&folder, &[&["test", "--collect-only"], arguments].concat());
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().filter(|line| line.contains("::")).map(str::to_string).collect::<Vec<_>>()
    };
    assert_eq!(chosen(&["inner", "-k", "nearest"]).len(), 1);
    assert_eq!(chosen(&["test_outcomes.py::TestPlain", "-k", "not three"]).len(), 2);
    assert_eq!(chosen(&["test_parameters.py::test_stacked[f32-big]"]), ["test_parameters.py::test_stacked[f32-big]"]);
    assert_eq!(chosen(&["-m", "slow"]), ["test_outcomes.py::test_marked_slow"]);
    assert_eq!(chosen(&["-k", "indirect or (stacked and big)"]).len(), 3);
    let wrong = run_in(&folder, &["test", "-k", "a and"]);
    assert_eq!(wrong.status.code(), Some(4));
    let absent = run_in(&folder, &["test", "nothing.py"]);
    assert!(absent.status.code() == Some(4) && shown(&absent).contains("file or directory not found: nothing.py"));
}

#[test]
fn strict_tests_fail_for_what_is_found_in_their_kernels() {
    let case = Case::with("test_sums.py", SUMS);
    let plain = case.run(&["test"]);
    assert_eq!(plain.status.code(), Some(0), "{}", shown(&plain));
    let strict = case.run(&["test", "--strict"]);
    let errors = String::from_utf8_lossy(&strict.stderr);
    assert!(errors.contains("test_sums.py:11"), "{errors}");
    assert_eq!(strict.status.code(), Some(1));
}
