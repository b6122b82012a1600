//! Notebooks as files: Jupyter's JSON (`.ipynb`) to the program that its code cells are. What cells have shown is not read.
//!
//! <https://nbformat.readthedocs.io/en/stable/format_description.html>

use pallas_syntax::notebook;
use serde_json::Value;

/// The text of the program of a notebook, with marks between its cells ([`pallas_syntax::notebook`]).
///
/// # Errors
/// What is wrong with the file, and what to do.
pub(crate) fn read(path: &str, json: &str) -> Result<String, String> {
    let refused = |problem: String| format!("{path}: {problem}");
    let file: Value = serde_json::from_str(json).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        format!("{path}:{line}:{column}: is no notebook: {error}")
    })?;
    if file["nbformat"].as_u64().is_some_and(|version| version < 4) {
        let version = &file["nbformat"];
        return Err(refused(format!(
            "is a notebook of version {version}; `jupyter nbconvert --to notebook --inplace {path}` makes it one of version 4"
        )));
    }
    let Some(cells) = file["cells"].as_array() else {
        return Err(refused("is no notebook: it has no list of `cells`".to_string()));
    };
    let metadata = &file["metadata"];
    let language = [&metadata["language_info"]["name"], &metadata["kernelspec"]["language"]];
    if let Some(language) = language.into_iter().find_map(Value::as_str).filter(|language| *language != "python") {
        return Err(refused(format!("is a notebook in {language}, not in Python")));
    }
    let code = cells.iter().filter(|cell| cell["cell_type"] == "code");
    let texts: Vec<String> = code.map(|cell| text(&cell["source"])).collect();
    Ok(notebook::program(texts.iter().map(String::as_str)))
}

/// A text, which may be kept in lines.
fn text(source: &Value) -> String {
    match source {
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        text => text.as_str().unwrap_or_default().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read_json(file: &Value) -> Result<String, String> {
        read("a.ipynb", &file.to_string())
    }

    #[test]
    fn code_cells_are_the_program() {
        let cells = json!([
            {"cell_type": "markdown", "source": ["# Title"]},
            {"cell_type": "code", "source": ["import jax\n", "%time f()"]},
            {"cell_type": "code", "source": "x = 1"},
            {"cell_type": "code", "source": []},
        ]);
        let program = read_json(&json!({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}));
        assert_eq!(program.as_deref(), Ok("# %% cell 1\nimport jax\nif 1: f()\n# %% cell 2\nx = 1\n# %% cell 3\n\n"));
    }

    #[test]
    fn what_is_no_notebook_says_why() {
        let of = |language: &str| json!({"cells": [], "metadata": {"kernelspec": {"language": language}}});
        assert_eq!(read_json(&of("julia")), Err("a.ipynb: is a notebook in julia, not in Python".to_string()));
        assert_eq!(read_json(&of("python")), Ok(String::new()));
        assert_eq!(read_json(&json!([1])), Err("a.ipynb: is no notebook: it has no list of `cells`".to_string()));
        let old = read_json(&json!({"nbformat": 3, "worksheets": []})).expect_err("refused");
        assert!(old.starts_with("a.ipynb: is a notebook of version 3; `jupyter nbconvert"), "{old}");
        let broken = read("a.ipynb", "{\n\"cells\": [}").expect_err("refused");
        assert!(broken.starts_with("a.ipynb:2:11: is no notebook: expected value"), "{broken}");
    }
}
