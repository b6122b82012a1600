//! What IPython adds to Python, said in Python: magics (`%time`, `%%capture`), commands of the shell (`!pip`), help (`x?`).
//! Lines stay lines, and what Python there is keeps its columns. Runs nothing: no command, no magic but those that run Python.
//!
//! <https://ipython.readthedocs.io/en/stable/interactive/reference.html>

use crate::layout;
use crate::span::{FileId, SourceFile};
use std::borrow::Cow;

/// Magics of a line that run the Python behind them.
const RUN: &[&str] = &["time", "timeit", "prun", "memit"];
/// Magics of a cell whose other lines are Python.
const PYTHON: &[&str] = &["time", "timeit", "capture", "prun", "memit", "debug", "python", "python3", "py"];

/// A cell's text as Python.
pub(super) fn python(cell: &str) -> String {
    if !cell.contains(['%', '!', '?']) {
        return cell.to_string();
    }
    let mut lines: Vec<Cow<'_, str>> = cell.split('\n').map(Cow::Borrowed).collect();
    let mut first = lines.iter().position(|line| !line.trim().is_empty()).unwrap_or(0);
    if let Some(magic) = lines[first].trim_end().strip_prefix("%%") {
        let name = magic.split_whitespace().next().unwrap_or("");
        let last = if PYTHON.contains(&name) { first } else { lines.len() - 1 };
        lines[first..=last].iter_mut().for_each(comment_out);
        first = last + 1;
    }
    replace(cell, &mut lines, first);
    lines.join("\n")
}

fn comment_out(line: &mut Cow<'_, str>) {
    *line = format!("# {line}").into();
}

/// Replaces lines of a cell, from the line `number` on, where statements begin that are none of Python's.
fn replace(cell: &str, lines: &mut [Cow<'_, str>], mut number: usize) {
    let source = SourceFile::new(FileId(0), "cell", cell);
    let start = |number: usize| source.line_range(number as u32 + 1).start;
    while number < lines.len() {
        let line = &lines[number];
        let mut next = number + 1;
        if let Some(replaced) = replacement(line) {
            // A command goes on behind a backslash at the end of its line.
            let mut goes_on = line.trim_end().ends_with('\\');
            lines[number] = replaced.into();
            while goes_on && next < lines.len() {
                goes_on = lines[next].trim_end().ends_with('\\');
                comment_out(&mut lines[next]);
                next += 1;
            }
        } else if !line.trim().is_empty() && !line.trim().starts_with('#') {
            // Lines inside of brackets and strings begin no statement.
            let end = layout::line(&source, start(number)).map_or(cell.len(), |(_, end)| end);
            while next < lines.len() && start(next) < end {
                next += 1;
            }
        }
        number = next;
    }
}

/// What stands for a line that a statement begins on; `None` if that is Python.
fn replacement(line: &str) -> Option<String> {
    let text = line.trim();
    let indent = &line[..line.len() - line.trim_start().len()];
    if let Some(magic) = text.strip_prefix('%') {
        let (name, rest) = magic.split_at(magic.find(char::is_whitespace).unwrap_or(magic.len()));
        let code = behind_options(rest);
        return Some(match RUN.contains(&name) && !code.is_empty() {
            // As long as `%time`, so that columns stay, and any statement may follow.
            true => format!("{indent}if 1:{}{code}", " ".repeat(text.len() - code.len() - 5)),
            false => format!("{indent}pass  # {text}"),
        });
    }
    let code = text.split('#').next().unwrap_or("").trim_end();
    if text.starts_with(['!', '?']) || (code.ends_with('?') && !code.contains(['"', '\''])) {
        return Some(format!("{indent}pass  # {text}"));
    }
    // `files = !ls`: a list of lines, of which nothing is known here.
    let (target, value) = text.split_once('=')?;
    let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_') && !name.is_empty();
    let is_command = value.trim_start().starts_with(['!', '%']) && is_name(target.trim());
    is_command.then(|| format!("{indent}{}= []  # {}", target, value.trim()))
}

/// A magic's code: what stands behind its options, each a dash with a letter and its value.
fn behind_options(rest: &str) -> &str {
    let mut rest = rest.trim_start();
    while let Some(option) = rest.strip_prefix('-').filter(|option| option.starts_with(char::is_alphabetic)) {
        let (word, after) = option.split_at(option.find(char::is_whitespace).unwrap_or(option.len()));
        rest = after.trim_start();
        // `-n 10` and `-n10`; `-q`, `-o`, `-c` and `-p 3` of timeit.
        if word.len() == 1 && "nrps".contains(word) && rest.starts_with(|c: char| c.is_ascii_digit()) {
            rest = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())).1.trim_start();
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::python;

    #[test]
    fn python_stays() {
        for cell in
            ["x = 1\n", "a % b", "x = (a\n     % b)", "s = '''\n%time x\n!ls\n'''", "# what?", "x = 'a?'", "a != b"]
        {
            assert_eq!(python(cell), cell);
        }
    }

    #[test]
    fn lines_that_are_none_of_python_are_passed_over() {
        for (cell, expected) in [
            ("%matplotlib inline\nx = 1", "pass  # %matplotlib inline\nx = 1"),
            ("!pip install \\\n  jax\nx", "pass  # !pip install \\\n#   jax\nx"),
            ("if x:\n  %load_ext a\n", "if x:\n  pass  # %load_ext a\n"),
            ("jnp.dot?", "pass  # jnp.dot?"),
            ("?jnp.dot\n", "pass  # ?jnp.dot\n"),
            ("files = !ls", "files = []  # !ls"),
            ("x = f(\n  1)\n%time\n", "x = f(\n  1)\npass  # %time\n"),
            ("!echo '(\nx = 1\n%pip a", "pass  # !echo '(\nx = 1\npass  # %pip a"),
        ] {
            assert_eq!(python(cell), expected);
        }
    }

    #[test]
    fn magics_that_run_python_keep_its_columns() {
        for (cell, expected) in [
            ("%time f(x)", "if 1: f(x)"),
            ("%timeit f(x)", "if 1:   f(x)"),
            ("%timeit -n 10 -r5 f(x).block_until_ready()", "if 1:             f(x).block_until_ready()"),
            ("%time y = f(x); z = 2", "if 1: y = f(x); z = 2"),
            ("  %time -x", "  pass  # %time -x"),
        ] {
            assert_eq!(python(cell), expected);
        }
    }

    #[test]
    fn magics_of_cells() {
        for (cell, expected) in [
            ("%%time\nx = f(y)", "# %%time\nx = f(y)"),
            ("\n%%capture out\n!ls\nx", "\n# %%capture out\npass  # !ls\nx"),
            ("%%bash\nls (\n", "# %%bash\n# ls (\n# "),
        ] {
            assert_eq!(python(cell), expected);
        }
    }
}
