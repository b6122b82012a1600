//! Folders and files in memory, by absolute path. Knows nothing of Python, nor of the disk.

use std::collections::BTreeMap;
use std::rc::Rc;

/// The folder that there is at the beginning. Everything else is below it.
pub(super) const ROOT: &str = "/tmp";
/// All files together have no more bytes.
const MOST_BYTES: usize = 1 << 30;

/// Why something was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::library) enum Trouble {
    Missing,
    Exists,
    NotFolder,
    IsFolder,
    NotEmpty,
    Full,
    /// The place is not in memory.
    Outside,
}

impl Trouble {
    /// The number on Linux, and its words.
    pub(in crate::library) fn errno(self) -> (i64, &'static str) {
        match self {
            Trouble::Missing => (2, "No such file or directory"),
            Trouble::Exists => (17, "File exists"),
            Trouble::NotFolder => (20, "Not a directory"),
            Trouble::IsFolder => (21, "Is a directory"),
            Trouble::NotEmpty => (39, "Directory not empty"),
            Trouble::Full => (28, "No space left on device (files of a program are kept in memory, up to 1 GiB)"),
            Trouble::Outside => (
                13,
                "Permission denied (programs run here without the disk: what they write is kept in memory, below /tmp)",
            ),
        }
    }
}

type Outcome<T> = Result<T, Trouble>;

enum Node {
    Folder,
    /// What is in it, and when that was written.
    File(Rc<[u8]>, f64),
}

/// Everything that there is.
pub(super) struct Tree {
    nodes: BTreeMap<String, Node>,
    bytes: usize,
}

impl Default for Tree {
    fn default() -> Self {
        Tree { nodes: BTreeMap::from([(ROOT.to_owned(), Node::Folder)]), bytes: 0 }
    }
}

/// The folder that a path is in.
fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// Whether a path is below a folder.
fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

impl Tree {
    pub(super) fn is_folder(&self, path: &str) -> bool {
        matches!(self.nodes.get(path), Some(Node::Folder))
    }

    pub(super) fn exists(&self, path: &str) -> bool {
        self.nodes.contains_key(path)
    }

    /// What is in a file, and when that was written.
    pub(super) fn read(&self, path: &str) -> Outcome<(Rc<[u8]>, f64)> {
        match self.nodes.get(path) {
            Some(Node::File(bytes, written)) => Ok((bytes.clone(), *written)),
            Some(Node::Folder) => Err(Trouble::IsFolder),
            None => Err(self.missing(path)),
        }
    }

    /// Why there is nothing at a path.
    fn missing(&self, path: &str) -> Trouble {
        match self.nodes.get(parent(path)) {
            Some(Node::File(..)) => Trouble::NotFolder,
            _ => Trouble::Missing,
        }
    }

    /// That something could be made at a path.
    fn has_place(&self, path: &str) -> Outcome<()> {
        match self.nodes.get(parent(path)) {
            Some(Node::Folder) => Ok(()),
            Some(Node::File(..)) => Err(Trouble::NotFolder),
            None if is_below(path, ROOT) => Err(Trouble::Missing),
            None => Err(Trouble::Outside),
        }
    }

    pub(super) fn write(&mut self, path: &str, bytes: Rc<[u8]>, now: f64) -> Outcome<()> {
        let before = match self.nodes.get(path) {
            Some(Node::Folder) => return Err(Trouble::IsFolder),
            Some(Node::File(before, _)) => before.len(),
            None => 0,
        };
        self.has_place(path)?;
        let all = self.bytes - before + bytes.len();
        if all > MOST_BYTES {
            return Err(Trouble::Full);
        }
        self.bytes = all;
        self.nodes.insert(path.to_owned(), Node::File(bytes, now));
        Ok(())
    }

    pub(super) fn make_folder(&mut self, path: &str) -> Outcome<()> {
        if self.exists(path) {
            return Err(Trouble::Exists);
        }
        self.has_place(path)?;
        self.nodes.insert(path.to_owned(), Node::Folder);
        Ok(())
    }

    pub(super) fn remove_file(&mut self, path: &str) -> Outcome<()> {
        self.bytes -= self.read(path)?.0.len();
        self.nodes.remove(path);
        Ok(())
    }

    pub(super) fn remove_folder(&mut self, path: &str) -> Outcome<()> {
        if !self.list(path)?.is_empty() {
            return Err(Trouble::NotEmpty);
        }
        if path == ROOT {
            return Err(Trouble::Outside);
        }
        self.nodes.remove(path);
        Ok(())
    }

    /// The names in a folder, in order.
    pub(super) fn list(&self, path: &str) -> Outcome<Vec<String>> {
        match self.nodes.get(path) {
            Some(Node::Folder) => {}
            Some(Node::File(..)) => return Err(Trouble::NotFolder),
            None => return Err(self.missing(path)),
        }
        let below =
            self.nodes.range(format!("{path}/")..).map(|(name, _)| name).take_while(|name| is_below(name, path));
        let names = below.map(|name| &name[path.len() + 1..]).filter(|name| !name.contains('/'));
        Ok(names.map(str::to_owned).collect())
    }

    /// Moves a file or a folder with all that is in it; a file, or an empty folder, that is there gives way.
    pub(super) fn rename(&mut self, from: &str, to: &str) -> Outcome<()> {
        if !self.exists(from) {
            return Err(self.missing(from));
        }
        self.has_place(to)?;
        if from == to {
            return Ok(());
        }
        match (self.is_folder(from), self.nodes.get(to)) {
            // A folder cannot be put into itself.
            (true, _) if from == ROOT || is_below(to, from) => return Err(Trouble::NotEmpty),
            (true, Some(Node::File(..))) => return Err(Trouble::NotFolder),
            (false, Some(Node::Folder)) => return Err(Trouble::IsFolder),
            (true, Some(Node::Folder)) => self.remove_folder(to)?,
            (false, Some(Node::File(..))) => self.remove_file(to)?,
            (_, None) => {}
        }
        let inside: Vec<String> =
            self.nodes.keys().filter(|name| *name == from || is_below(name, from)).cloned().collect();
        for name in inside {
            if let Some(node) = self.nodes.remove(&name) {
                self.nodes.insert(format!("{to}{}", &name[from.len()..]), node);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> Rc<[u8]> {
        Rc::from(text.as_bytes())
    }

    #[test]
    fn files_lie_in_folders() {
        let mut tree = Tree::default();
        assert_eq!(tree.write("/tmp/a/b.txt", bytes("1"), 0.0), Err(Trouble::Missing));
        assert_eq!(tree.make_folder("/tmp/a"), Ok(()));
        assert_eq!(tree.make_folder("/tmp/a"), Err(Trouble::Exists));
        assert_eq!(tree.write("/tmp/a/b.txt", bytes("1"), 2.0), Ok(()));
        assert_eq!(tree.write("/tmp/a/b.txt/c", bytes("1"), 0.0), Err(Trouble::NotFolder));
        assert_eq!(tree.write("/tmp/a", bytes("1"), 0.0), Err(Trouble::IsFolder));
        assert_eq!(tree.read("/tmp/a/b.txt"), Ok((bytes("1"), 2.0)));
        assert_eq!(tree.write("/tmp/ab", bytes("2"), 0.0), Ok(()));
        assert_eq!(tree.list("/tmp"), Ok(vec!["a".to_owned(), "ab".to_owned()]));
        assert_eq!(tree.list("/tmp/a"), Ok(vec!["b.txt".to_owned()]));
        assert_eq!(tree.remove_folder("/tmp/a"), Err(Trouble::NotEmpty));
        assert_eq!(tree.remove_file("/tmp/a"), Err(Trouble::IsFolder));
        assert_eq!(tree.remove_file("/tmp/a/b.txt"), Ok(()));
        assert_eq!(tree.remove_folder("/tmp/a"), Ok(()));
        assert_eq!(tree.read("/tmp/a/b.txt"), Err(Trouble::Missing));
    }

    #[test]
    fn nothing_is_made_anywhere_else() {
        let mut tree = Tree::default();
        for path in ["/etc/passwd", "/tmpx/a", "/a", "", "a"] {
            assert_eq!(tree.write(path, bytes("1"), 0.0), Err(Trouble::Outside), "{path}");
            assert_eq!(tree.make_folder(path), Err(Trouble::Outside), "{path}");
        }
        tree.write("/tmp/a", bytes("1"), 0.0).expect("written");
        assert_eq!(tree.rename("/tmp/a", "/etc/a"), Err(Trouble::Outside));
        assert_eq!(tree.remove_folder("/tmp"), Err(Trouble::NotEmpty));
    }

    #[test]
    fn folders_move_with_what_is_in_them() {
        let mut tree = Tree::default();
        tree.make_folder("/tmp/a").expect("made");
        tree.write("/tmp/a/x", bytes("12"), 0.0).expect("written");
        tree.write("/tmp/ax", bytes("3"), 0.0).expect("written");
        assert_eq!(tree.rename("/tmp/a", "/tmp/a/b"), Err(Trouble::NotEmpty));
        assert_eq!(tree.rename("/tmp/a", "/tmp/ax"), Err(Trouble::NotFolder));
        assert_eq!(tree.rename("/tmp/a", "/tmp/b"), Ok(()));
        assert_eq!(tree.read("/tmp/b/x").map(|(bytes, _)| bytes.len()), Ok(2));
        assert_eq!(tree.rename("/tmp/ax", "/tmp/b/x"), Ok(()));
        assert_eq!((tree.list("/tmp").as_deref(), tree.bytes), (Ok(&["b".to_owned()][..]), 1));
    }

    #[test]
    fn memory_is_bounded() {
        let mut tree = Tree { bytes: MOST_BYTES - 1, ..Tree::default() };
        assert_eq!(tree.write("/tmp/a", bytes("1"), 0.0), Ok(()));
        assert_eq!(tree.write("/tmp/b", bytes("1"), 0.0), Err(Trouble::Full));
        assert_eq!(tree.write("/tmp/a", bytes("2"), 0.0), Ok(()), "in the place of what was there");
    }
}
