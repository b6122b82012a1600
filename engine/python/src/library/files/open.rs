//! `open`: what a file is opened for. The stream itself is one of [`crate::library::io`].

use super::tree::Trouble;
use super::{Files, error};
use crate::interp::Interp;
use crate::library::support::{row, text};
use crate::native::{Arguments, NativeDef};
use crate::raise::PyResult;
use crate::value::Value;
use std::cell::Cell;
use std::rc::Rc;

/// The builtin; `io` has it, too.
pub(crate) const ROW: NativeDef = row(
    "open",
    "(file, mode='r', buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None)",
    "A file: below /tmp one in memory; elsewhere one that can be read, as text.",
    open,
);

/// What a file is opened for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::library) struct Mode {
    /// As the program says it.
    pub(in crate::library) text: String,
    pub(in crate::library) reads: bool,
    pub(in crate::library) writes: bool,
    pub(in crate::library) appends: bool,
    pub(in crate::library) is_bytes: bool,
    /// What was there is thrown away.
    empties: bool,
    /// There must be nothing yet.
    is_new: bool,
}

impl Mode {
    /// # Errors
    /// What Python says of a mode that is none.
    fn read(text: &str) -> Result<Mode, String> {
        let has = |letter: char| text.contains(letter);
        let is_once =
            text.chars().enumerate().all(|(at, letter)| !text.chars().skip(at + 1).any(|other| other == letter));
        if !text.chars().all(|letter| "rwaxbt+".contains(letter)) || !is_once {
            return Err(format!("invalid mode: '{text}'"));
        }
        if has('b') && has('t') {
            return Err("can't have text and binary mode at once".to_owned());
        }
        if text.chars().filter(|letter| "rwax".contains(*letter)).count() != 1 {
            return Err("must have exactly one of create/read/write/append mode".to_owned());
        }
        Ok(Mode {
            text: text.to_owned(),
            reads: has('r') || has('+'),
            writes: !has('r') || has('+'),
            appends: has('a'),
            is_bytes: has('b'),
            empties: has('w'),
            is_new: has('x'),
        })
    }
}

/// The file of a stream.
pub(in crate::library) struct Opened {
    files: Rc<Files>,
    path: String,
    /// The path as the program said it.
    pub(in crate::library) name: String,
    pub(in crate::library) mode: Mode,
    /// Whether there is something to put into the file.
    pub(in crate::library) changed: Cell<bool>,
    time: f64,
}

impl Opened {
    /// Puts what a stream holds into the file, if it is other than before.
    ///
    /// # Errors
    /// Memory is full, or the folder has gone.
    pub(in crate::library) fn store(&self, bytes: impl FnOnce() -> Rc<[u8]>) -> Result<(), Trouble> {
        if !self.changed.replace(false) {
            return Ok(());
        }
        self.files.tree.borrow_mut().write(&self.path, bytes(), self.time)
    }
}

fn open(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [file, mode, _, encoding, ..]: [Value; 8] = args.take();
    if interp.is_analysis() {
        return Ok(Value::unknown("files are not opened in analysis", Some(interp.span())));
    }
    if let Value::Int(number) = &file {
        return Err(interp.not_implemented_error(format!("open({number}): there are no file descriptors here")));
    }
    let path = crate::library::os::as_path(interp, &file)?;
    let mode = Mode::read(&interp.to_str(&mode)?).map_err(|why| interp.value_error(why))?;
    if let Some(encoding) = text(&encoding)
        && !mode.is_bytes
        && !["utf-8", "utf8", "ascii", "us-ascii", "locale"].contains(&&*encoding.to_lowercase().replace('_', "-"))
    {
        return Err(interp.not_implemented_error(format!(
            "open(encoding={}): text is read and written as UTF-8 here; open the file as 'rb', and decode the bytes",
            interp.repr(&Value::str(&encoding))?
        )));
    }
    let files = Files::of(interp);
    let absolute = files.absolute(&path);
    if mode.is_new && Files::exists(interp, &path) {
        return Err(error(interp, Trouble::Exists, &path));
    }
    if mode.writes && !files.tree.borrow().exists(&absolute) {
        // What lies on the disk stays as it is: the program changes a copy.
        let before = match Files::read(interp, &path) {
            Ok(bytes) if !mode.empties => bytes,
            Err(missing) if !(mode.empties || mode.appends || mode.is_new) => return Err(missing),
            _ => Rc::from([]),
        };
        Files::write(interp, &path, before)?;
    } else if mode.empties {
        Files::write(interp, &path, Rc::from([]))?;
    }
    let bytes = Files::read(interp, &path)?;
    let time = interp.host().seconds();
    let opened = Opened { files, path: absolute, name: path, mode, changed: Cell::new(false), time };
    crate::library::io::of_file(interp, &bytes, opened)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_read_as_python_reads_them() {
        let mode = |text: &str| Mode::read(text).map(|mode| (mode.reads, mode.writes, mode.appends, mode.is_bytes));
        assert_eq!(mode("r"), Ok((true, false, false, false)));
        assert_eq!(mode("wb"), Ok((false, true, false, true)));
        assert_eq!(mode("a+"), Ok((true, true, true, false)));
        assert_eq!(mode("rb+"), Ok((true, true, false, true)));
        assert_eq!(mode("rw"), Err("must have exactly one of create/read/write/append mode".to_owned()));
        assert_eq!(mode("rr"), Err("invalid mode: 'rr'".to_owned()));
        assert_eq!(mode("rbt"), Err("can't have text and binary mode at once".to_owned()));
        assert_eq!(mode(""), Err("must have exactly one of create/read/write/append mode".to_owned()));
    }
}
