//! Notebooks as files: Jupyter's JSON (`.ipynb`) to the program that its code cells are, and the way back into the file for whoever
//! changes it or opens it as a text. What cells have shown is not read.
//!
//! <https://nbformat.readthedocs.io/en/stable/format_description.html>

mod texts;

use pallas_syntax::{FileId, SourceFile, notebook};
use serde_json::Value;
use std::ops::Range;
use texts::Text;

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
    if !file["cells"].is_array() {
        return Err(refused("is no notebook: it has no list of `cells`".to_string()));
    }
    let metadata = &file["metadata"];
    let language = [&metadata["language_info"]["name"], &metadata["kernelspec"]["language"]];
    if let Some(language) = language.into_iter().find_map(Value::as_str).filter(|language| *language != "python") {
        return Err(refused(format!("is a notebook in {language}, not in Python")));
    }
    Ok(program(&texts::texts(json)))
}

fn program(cells: &[Text]) -> String {
    notebook::program(cells.iter().map(|cell| cell.text.as_str()))
}

/// A notebook's file beside its program.
#[derive(Debug)]
pub struct Notebook {
    json: String,
    program: SourceFile,
    cells: Vec<Text>,
}

impl Notebook {
    /// The file at `path`, with the text that it has.
    ///
    /// # Errors
    /// What is wrong with the file, and what to do.
    pub fn new(path: &str, json: &str) -> Result<Notebook, String> {
        read(path, json)?;
        let cells = texts::texts(json);
        let program = SourceFile::new(FileId(0), path, program(&cells));
        Ok(Notebook { json: json.to_string(), program, cells })
    }

    /// The program.
    pub fn program(&self) -> &SourceFile {
        &self.program
    }

    /// The one-based line of the file that says a line of the program, or where its cell begins.
    pub fn line(&self, line: u32) -> usize {
        let start = self.program.line_range(line).start;
        let place = (start..self.program.text.len()).find_map(|at| self.place(at..at + 1));
        let place = place.filter(|_| self.program.cell_of(line).is_some());
        1 + place.map_or(0, |place| self.json[..place.start].matches('\n').count())
    }

    /// The bytes of the file that say these bytes of the program: `None` where it does not say just them.
    fn place(&self, range: Range<usize>) -> Option<Range<usize>> {
        let line = self.program.line_of(range.start as u32);
        let cell = self.program.cell_of(line)?;
        let text = self.cells.get(cell.number as usize - 1)?;
        let before = (line - cell.mark).checked_sub(1)? as usize;
        let lines_before: usize = text.text.split_inclusive('\n').take(before).map(str::len).sum();
        let start = lines_before + range.start - self.program.line_range(line).start;
        let own = start..start + range.len();
        // A line that is none of Python's is another one in the program.
        (text.text.get(own.clone())? == self.program.text.get(range)?).then(|| text.place(own))?
    }

    /// The file with other texts at places of its program, which do not overlap. Nothing else of it changes, by no byte.
    ///
    /// # Errors
    /// Where in the program something was to be changed that its file does not say in the same words.
    pub fn changed(&self, changes: &[(Range<usize>, &str)]) -> Result<String, String> {
        let mut places = Vec::new();
        for (range, text) in changes {
            let place = self.place(range.clone()).ok_or_else(|| self.program.place(range.start as u32))?;
            let quoted = Value::from(*text).to_string();
            places.push((place, quoted[1..quoted.len() - 1].to_string()));
        }
        places.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
        let mut json = self.json.clone();
        for (place, text) in places {
            json.replace_range(place, &text);
        }
        Ok(json)
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

    /// Kept in lines and as one text, with escapes of every kind, and spaces where nobody else puts them.
    const FILE: &str = r##"{ "nbformat" : 4,
  "cells":[{"cell_type":"markdown","source":["bm = 1"]},
 {"cell_type" : "code", "outputs": [{"text": "bm = 128"}],
  "source": [
    "s = \"\u00e9\ud83d\ude80\"; bm = 128\n",
    "%time bn = 64\n",
    "pair = (1,\n",
    "  2)"
  ]},
 {"cell_type":"code","source":"# \/\t\nk = 'a\\n'; é = 7"}],
 "metadata": {}}
"##;

    fn changed(changes: &[(&str, &str)]) -> Result<String, String> {
        let file = Notebook::new("a.ipynb", FILE).expect("a notebook");
        let at = |what: &str| {
            let start = file.program().text.find(what).expect("it is there");
            start..start + what.len()
        };
        let changes: Vec<_> = changes.iter().map(|(what, text)| (at(what), *text)).collect();
        file.changed(&changes)
    }

    #[test]
    fn a_change_is_made_where_it_stands_and_nowhere_else() {
        let expected = FILE
            .replace("; bm = 128", "; bm = 256")
            .replace("bn = 64", "bn = 8")
            .replace("= 7\"", "= (\\\"x\\\", 1)\"");
        assert_eq!(changed(&[("128", "256"), ("7", "(\"x\", 1)"), ("64", "8")]), Ok(expected));
    }

    #[test]
    fn a_value_over_two_lines_leaves_a_notebook() {
        let text = changed(&[("(1,\n  2)", "(3, 4)")]).expect("changed");
        let file = Notebook::new("a.ipynb", &text).expect("a notebook");
        assert!(file.program().text.contains("\npair = (3, 4)\n"), "{text}");
    }

    #[test]
    fn what_the_file_does_not_say_cannot_be_changed() {
        assert_eq!(changed(&[("if 1:", "if 0:")]), Err("a.ipynb:cell 1:2:1".to_string()));
        assert_eq!(changed(&[("# %% cell 2", "#")]), Err("a.ipynb:cell 2:1:1".to_string()));
    }

    #[test]
    fn lines_are_those_of_the_file() {
        let file = Notebook::new("a.ipynb", FILE).expect("a notebook");
        let line = |what: &str| {
            let offset = file.program().text.find(what).expect("it is there");
            file.line(file.program().line_of(offset as u32))
        };
        assert_eq!((line("bm"), line("bn"), line("2)"), line("k =")), (5, 6, 8, 10));
        assert_eq!((line("# %% cell 1"), file.line(0), file.line(99)), (5, 1, 1));
    }
}
