//! Notebooks as Python: the text of a program that is kept in cells, and the way back from a place in it to the cell that people see.
//! Knows cells as texts; how a file keeps them is the business of who reads it.
//!
//! A notebook is analysed and run as one text, its cells in order, each behind a line `# %% cell 3`: what Spyder, VS Code and
//! jupytext take for the beginning of a cell in a Python file. Everything that works on a file works on it.

mod magics;

use crate::span::{LineColumn, SourceFile};
use std::borrow::Cow;

/// How the line before a cell begins.
const MARK: &str = "# %% cell ";

/// Whether a path names a notebook.
pub fn is_notebook(path: &str) -> bool {
    path.ends_with(".ipynb")
}

/// The text of a notebook's program, from the texts of its code cells in order. Lines of a cell stay lines, so that the way back is a
/// subtraction; what IPython adds to Python ([`magics`]) is said in Python, or becomes a comment.
pub fn program<'a>(cells: impl IntoIterator<Item = &'a str>) -> String {
    let mut program = String::new();
    for (index, cell) in cells.into_iter().enumerate() {
        program.push_str(&format!("{MARK}{}\n", index + 1));
        for line in magics::python(cell).split('\n') {
            program.push_str(line);
            // A line that looks like the beginning of a cell is none with a blank at its end.
            program.push_str(if number(line).is_some() { " \n" } else { "\n" });
        }
    }
    program
}

/// The number of the cell that a line begins.
fn number(line: &str) -> Option<u32> {
    line.trim_end_matches('\r').strip_prefix(MARK)?.parse().ok()
}

/// A cell of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Counts code cells from 1.
    pub number: u32,
    /// The one-based line of the program before its first one: that with the mark.
    pub mark: u32,
}

/// The cells of a program's text, in order.
pub(crate) fn cells(text: &str) -> Vec<Cell> {
    let numbers = text.split('\n').zip(1..).filter_map(|(line, mark)| Some(Cell { number: number(line)?, mark }));
    numbers.collect()
}

/// A place as people look for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown<'a> {
    /// The path; of a notebook with the cell, `a.ipynb:cell 3`.
    pub path: Cow<'a, str>,
    /// The cell of a notebook.
    pub cell: Option<Cell>,
    /// Line and column, of the cell where there is one.
    pub at: LineColumn,
}

impl SourceFile {
    /// The cell that a one-based line is in.
    pub fn cell_of(&self, line: u32) -> Option<Cell> {
        let after = self.cells.partition_point(|cell| cell.mark <= line);
        self.cells.get(after.checked_sub(1)?).copied()
    }

    /// The place of a byte offset as people look for it.
    pub fn shown(&self, offset: u32) -> Shown<'_> {
        let LineColumn { line, column } = self.line_column(offset);
        let (cell, line) = self.shown_line(line);
        let path = match cell {
            None => Cow::Borrowed(&*self.path),
            Some(cell) => Cow::Owned(format!("{}:cell {}", self.path, cell.number)),
        };
        Shown { path, cell, at: LineColumn { line, column } }
    }

    /// A one-based line as people look for it: of a notebook the cell, and the line of that.
    pub fn shown_line(&self, line: u32) -> (Option<Cell>, u32) {
        match self.cell_of(line) {
            None => (None, line),
            // The mark itself is no line of the cell; what is said of it is said of the cell's beginning.
            Some(cell) => (Some(cell), (line - cell.mark).max(1)),
        }
    }

    /// A one-based line in words: `line 12`, `cell 3, line 2`.
    pub fn line_words(&self, line: u32) -> String {
        match self.shown_line(line) {
            (None, line) => format!("line {line}"),
            (Some(cell), line) => format!("cell {}, line {line}", cell.number),
        }
    }

    /// The part of the text that people see as one: the cell that a byte offset is in, or all of it. With the offset in the text where it
    /// begins. Lines and offsets of the part are its own.
    pub fn part_at(&self, offset: u32) -> (SourceFile, u32) {
        let Shown { path, cell: Some(cell), .. } = self.shown(offset) else { return (self.clone(), 0) };
        let start = self.line_range(cell.mark + 1).start;
        let next = self.cells.iter().find(|other| other.mark > cell.mark);
        let end = next.map_or(self.text.len(), |next| self.line_range(next.mark).start);
        (SourceFile::new(self.id, &*path, self.text.get(start..end).unwrap_or("")), start as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileId;

    fn notebook(cells: &[&str]) -> SourceFile {
        SourceFile::new(FileId(0), "a.ipynb", program(cells.iter().copied()))
    }

    fn at(source: &SourceFile, what: &str) -> String {
        source.place(source.text.find(what).expect("it is there") as u32)
    }

    #[test]
    fn places_are_those_of_cells() {
        let source = notebook(&["import jax", "", "x = 1\n  y = 2\n", "z"]);
        assert_eq!(
            &*source.text,
            "# %% cell 1\nimport jax\n# %% cell 2\n\n# %% cell 3\nx = 1\n  y = 2\n\n# %% cell 4\nz\n"
        );
        assert_eq!(at(&source, "jax"), "a.ipynb:cell 1:1:8");
        assert_eq!(at(&source, "y"), "a.ipynb:cell 3:2:3");
        assert_eq!(at(&source, "z"), "a.ipynb:cell 4:1:1");
        assert_eq!(at(&source, "# %% cell 3"), "a.ipynb:cell 3:1:1");
        assert_eq!(source.cell_of(0), None);
        assert_eq!(source.line_words(7), "cell 3, line 2");
    }

    #[test]
    fn other_files_have_no_cells() {
        let source = SourceFile::new(FileId(0), "a.py", "# %% cell 1\nx = 1\n");
        assert_eq!(at(&source, "x"), "a.py:2:1");
        assert_eq!(source.line_words(2), "line 2");
        assert_eq!(source.part_at(3), (source.clone(), 0));
    }

    #[test]
    fn a_part_is_a_cell() {
        let source = notebook(&["a = 1", "b = 2\nc = 3", "d = 4"]);
        let (part, start) = source.part_at(source.text.find('c').expect("it is there") as u32 + 20);
        assert_eq!((&*part.path, &*part.text), ("a.ipynb:cell 2", "b = 2\nc = 3\n"));
        assert_eq!(&source.text[start as usize..][..5], "b = 2");
        assert_eq!(&*source.part_at(source.text.len() as u32).0.text, "d = 4\n");
    }

    #[test]
    fn what_looks_like_the_beginning_of_a_cell_is_none() {
        let source = notebook(&["# %% cell 7\nx", "y"]);
        assert_eq!(source.cells.iter().map(|cell| cell.number).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(at(&source, "x"), "a.ipynb:cell 1:2:1");
    }

    #[test]
    fn pieces_know_the_cells_of_the_whole() {
        let source = notebook(&["a = 1", "b = 2\nc = 3"]);
        let module = crate::Pieces::default().parse(&std::sync::Arc::new(source));
        let last = &module.pieces.iter().last().expect("there is one").source;
        assert_eq!((&*last.text, &*last.place(0)), ("c = 3", "a.ipynb:cell 2:2:1"));
    }
}
