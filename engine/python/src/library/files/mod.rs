//! Files of a program: below `/tmp`, in memory, gone with the program. What lies on the disk can be read as text, where the host
//! can, and is never written. In analysis there are no files at all: what would come of them is unknown.

mod folders;
mod matching;
pub(crate) mod open;
mod tree;

pub(super) use folders::{FUNCTIONS, PATH_FUNCTIONS, PATH_METHODS};

use super::os::path::{join_paths, normalise};
use crate::interp::Interp;
use crate::raise::{PyResult, Stop};
use crate::value::Value;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use tree::{Tree, Trouble};

/// The files of a program, and where it stands among them.
#[derive(Default)]
pub(super) struct Files {
    tree: RefCell<Tree>,
    /// Where `os.chdir` has gone; None as long as nobody has gone anywhere.
    folder: RefCell<Option<String>>,
    /// How many temporary names were given.
    given: Cell<u64>,
}

impl Files {
    pub(super) fn of(interp: &Interp) -> Rc<Files> {
        interp.extension::<Files>()
    }

    /// The folder that relative paths begin in.
    pub(super) fn folder(&self) -> String {
        self.folder.borrow().clone().unwrap_or_else(|| "/".to_owned())
    }

    /// The path from `/`, without `.` and `..`.
    fn absolute(&self, path: &str) -> String {
        normalise(&join_paths(&self.folder(), [path]))
    }

    /// The path by which the host is asked: as it stands, as long as the program has not gone elsewhere.
    fn outside(&self, path: &str) -> String {
        if self.folder.borrow().is_some() { self.absolute(path) } else { path.to_owned() }
    }

    /// Whether there is something at a path.
    pub(super) fn exists(interp: &Interp, path: &str) -> bool {
        Self::is_folder(interp, path) || Self::is_file(interp, path)
    }

    pub(super) fn is_folder(interp: &Interp, path: &str) -> bool {
        let files = Self::of(interp);
        let known = !interp.is_analysis() && files.tree.borrow().is_folder(&files.absolute(path));
        known || interp.host().read_source(&files.outside(path)).is_err()
    }

    pub(super) fn is_file(interp: &Interp, path: &str) -> bool {
        let files = Self::of(interp);
        let known = !interp.is_analysis() && files.tree.borrow().read(&files.absolute(path)).is_ok();
        known || matches!(interp.host().read_source(&files.outside(path)), Ok(Some(_)))
    }

    /// What is in a file: one in memory, or one on the disk that the host can read as text.
    fn read(interp: &Interp, path: &str) -> PyResult<Rc<[u8]>> {
        let files = Self::of(interp);
        let found = files.tree.borrow().read(&files.absolute(path));
        match found {
            Ok((bytes, _)) => Ok(bytes),
            Err(why @ Trouble::IsFolder) => Err(error(interp, why, path)),
            Err(why) => match interp.host().read_source(&files.outside(path)) {
                Ok(Some(text)) => Ok(Rc::from(text.into_bytes())),
                Ok(None) => Err(error(interp, why, path)),
                Err(_) => Err(error(interp, Trouble::Outside, path)),
            },
        }
    }

    fn write(interp: &Interp, path: &str, bytes: Rc<[u8]>) -> PyResult<()> {
        let files = Self::of(interp);
        let now = interp.host().seconds();
        let written = files.tree.borrow_mut().write(&files.absolute(path), bytes, now);
        written.map_err(|why| error(interp, why, path))
    }
}

/// The exception that Python raises for it.
pub(super) fn error(interp: &Interp, why: Trouble, path: &str) -> Box<Stop> {
    let (number, words) = why.errno();
    let arguments = [Value::int(number), Value::str(words), Value::str(path)];
    match interp.call_values(&Value::Class(interp.types().os_error.clone()), arguments) {
        Ok(exception) => interp.raise_value(exception, None),
        Err(raised) => raised,
    }
}
