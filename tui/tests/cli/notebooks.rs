//! Notebooks: what is said of a file is said of a notebook, with its cells for places.

use super::{Case, run_in, shown};
use serde_json::json;
use std::fs;

/// A notebook of these code cells, with words around them.
fn notebook(cells: &[&str]) -> String {
    let code = |text: &&str| {
        // Jupyter keeps lines, VS Code one text; both are right.
        let source = if text.len().is_multiple_of(2) {
            json!(text.split_inclusive('\n').collect::<Vec<_>>())
        } else {
            json!(text)
        };
        json!({"cell_type": "code", "metadata": {}, "execution_count": null, "outputs": [], "source": source})
    };
    let words = json!({"cell_type": "markdown", "metadata": {}, "source": ["# Words\n", "def f(:"]});
    let cells: Vec<_> = cells.iter().flat_map(|cell| [words.clone(), code(cell)]).collect();
    json!({"cells": cells, "metadata": {"kernelspec": {"language": "python"}}, "nbformat": 4, "nbformat_minor": 5})
        .to_string()
}

/// A kernel whose grid has a program too many, defined in one cell and launched in another.
const CELLS: &[&str] = &[
    "%matplotlib inline\n!pip install jax\nimport jax\nimport jax.numpy as jnp\nfrom jax.experimental import pallas as pl",
    "def add_kernel(x_ref, o_ref):\n  o_ref[...] = x_ref[...] + 1\n\n\ngrid = (5,)",
    "@jax.jit\ndef add(x):\n  return pl.pallas_call(\n      add_kernel,\n      grid=grid,\n      \
     in_specs=[pl.BlockSpec((2,), lambda i: (i,))],\n      out_specs=pl.BlockSpec((2,), lambda i: (i,)),\n      \
     out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),\n  )(x)",
    "x = jnp.arange(8)\nadd(x)",
    "%time y = add(x)\nx;",
    "display(y[:2], 'text')\nNone",
];

#[test]
fn a_run_shows_what_cells_end_with() {
    let case = Case::with("add.ipynb", notebook(CELLS));
    insta::assert_snapshot!(shown(&case.run(&["run", "add.ipynb"])));
}

#[test]
fn a_finding_is_in_a_cell_in_every_format() {
    let case = Case::with("add.ipynb", notebook(CELLS));
    for format in ["full", "concise", "json", "github", "sarif"] {
        let output = case.run(&["check", "--output-format", format, "add.ipynb"]);
        assert_eq!(output.status.code(), Some(1), "{}", shown(&output));
        if format == "sarif" {
            let log: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
            let place = &log["runs"][0]["results"][0]["locations"][0];
            assert_eq!(place["logicalLocations"][0]["fullyQualifiedName"], "add.ipynb:cell 3:6:36");
            assert!(place["physicalLocation"]["region"].is_null(), "{place}");
        } else {
            insta::assert_snapshot!(format!("finding_{format}"), String::from_utf8_lossy(&output.stdout));
        }
    }
}

#[test]
fn errors_are_in_cells() {
    for (cell, expected) in [
        ("x = 1\nx / 0", "  File \"a.ipynb:cell 2\", line 2, in <module>\n    x / 0\n    ~~^~~\nZeroDivisionError"),
        ("x = 1\nx = (", "  File \"a.ipynb:cell 2\", line 2\n    x = (\n        ^\nSyntaxError: '(' was never closed"),
        ("\ndef f():\n\nx = 1", "IndentationError: expected an indented block after function definition on line 2"),
    ] {
        let case = Case::with("a.ipynb", notebook(&["# nothing", cell, "print(1)"]));
        let output = case.run(&["run", "a.ipynb"]);
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains(expected), "{}", shown(&output));
    }
}

#[test]
fn cells_before_one_that_does_not_parse_run() {
    let cells = ["x = 1\nprint('first')", "x + 1", "print('third')\nx = (", "print('last')"];
    let case = Case::with("a.ipynb", notebook(&cells));
    let output = case.run(&["run", "a.ipynb"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "first\n2\n", "{}", shown(&output));
    let expected = "  File \"a.ipynb:cell 3\", line 2\n    x = (\n        ^\nSyntaxError: '(' was never closed";
    assert!(String::from_utf8_lossy(&output.stderr).contains(expected), "{}", shown(&output));
}

#[test]
fn what_is_no_notebook_is_refused() {
    for (text, expected) in [
        ("{", "a.ipynb:1:1: is no notebook: EOF while parsing an object"),
        (
            "{\"nbformat\": 3}",
            "a.ipynb: is a notebook of version 3; `jupyter nbconvert --to notebook --inplace a.ipynb` makes it",
        ),
        (
            "{\"cells\": [], \"metadata\": {\"language_info\": {\"name\": \"R\"}}}",
            "a.ipynb: is a notebook in R, not in Python",
        ),
    ] {
        let case = Case::with("a.ipynb", text);
        for command in ["run", "check"] {
            let output = case.run(&[command, "a.ipynb"]);
            assert_eq!(output.status.code(), Some(2));
            assert!(String::from_utf8_lossy(&output.stderr).contains(expected), "{}", shown(&output));
        }
    }
}

#[test]
fn a_folder_is_searched_for_notebooks() {
    let case = Case::with("add.ipynb", notebook(CELLS));
    fs::create_dir(case.folder.path().join(".ipynb_checkpoints")).expect("a folder");
    fs::write(case.folder.path().join(".ipynb_checkpoints/add.ipynb"), notebook(CELLS)).expect("written");
    let output = run_in(case.folder.path(), &["check", "--output-format", "concise", "."]);
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 2, "{}", shown(&output));
}

#[test]
fn profiles_name_cells() {
    let case = Case::with("add.ipynb", notebook(CELLS));
    let output = case.run(&["profile", "add.ipynb"]);
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("add_kernel (add.ipynb:cell 3:3:10)"),
        "{}",
        shown(&output)
    );
}

#[test]
fn tuning_writes_into_the_cell_and_nowhere_else() {
    let case = Case::with("add.ipynb", notebook(CELLS));
    let file = case.folder.path().join("add.ipynb");
    // A mark of the byte order, and an indent that nobody else would make.
    let before = format!("\u{feff}{}\n\n", notebook(CELLS).replace("\"nbformat\":", "\"nbformat\"  :\t"));
    fs::write(&file, &before).expect("written");
    let output = case.run(&["tune", "--param", "grid=(4,)", "--write", "add.ipynb"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("add.ipynb: written, cell 2, line 5: (4,)"), "{said}");
    assert_eq!(fs::read_to_string(&file).expect("read"), before.replace("grid = (5,)", "grid = (4,)"));
}
