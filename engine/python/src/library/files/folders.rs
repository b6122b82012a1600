//! What `os`, `os.path` and `pathlib.Path` do with files and folders of the program.

use super::tree::Trouble;
use super::{Files, error, matching};
use crate::interp::Interp;
use crate::library::os::path::{join_paths, split};
use crate::library::os::{as_path, unavailable};
use crate::library::pathlib::{make, own};
use crate::library::support::{iterator_of, row};
use crate::library::types::namespace_of;
use crate::native::{Arguments, NativeDef};
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

/// Runs `body` on a path, in a run; in analysis the result is unknown.
fn on(
    interp: &Interp,
    what: &str,
    path: &str,
    body: impl FnOnce(&Files, &str) -> Result<Value, Trouble>,
) -> PyResult<Value> {
    if interp.is_analysis() {
        return unavailable(interp, what);
    }
    let files = Files::of(interp);
    let absolute = files.absolute(path);
    body(&files, &absolute).map_err(|why| error(interp, why, path))
}

fn make_folder(interp: &Interp, path: &str) -> PyResult<Value> {
    on(interp, "mkdir", path, |files, path| files.tree.borrow_mut().make_folder(path).map(|()| Value::None))
}

/// The folders above first. A folder that is there already is none to complain about where that is said.
fn make_folders(interp: &Interp, path: &str, may_exist: bool) -> PyResult<Value> {
    on(interp, "makedirs", path, |files, path| {
        let mut tree = files.tree.borrow_mut();
        if may_exist && tree.is_folder(path) {
            return Ok(Value::None);
        }
        let above = path.match_indices('/').skip(1).map(|(at, _)| &path[..at]);
        for folder in above {
            if !tree.is_folder(folder) {
                tree.make_folder(folder)?;
            }
        }
        tree.make_folder(path).map(|()| Value::None)
    })
}

fn remove_file(interp: &Interp, path: &str) -> PyResult<Value> {
    on(interp, "remove", path, |files, path| files.tree.borrow_mut().remove_file(path).map(|()| Value::None))
}

fn remove_folder(interp: &Interp, path: &str) -> PyResult<Value> {
    on(interp, "rmdir", path, |files, path| files.tree.borrow_mut().remove_folder(path).map(|()| Value::None))
}

fn rename(interp: &Interp, from: &str, to: &str) -> PyResult<Value> {
    on(interp, "rename", from, |files, from| {
        let to = files.absolute(to);
        files.tree.borrow_mut().rename(from, &to).map(|()| Value::None)
    })
}

fn names(interp: &Interp, path: &str) -> PyResult<Vec<String>> {
    let files = Files::of(interp);
    let names = files.tree.borrow().list(&files.absolute(path));
    names.map_err(|why| error(interp, why, path))
}

/// How long a file is, and when it was written.
fn size(interp: &Interp, path: &str) -> PyResult<(usize, f64)> {
    let files = Files::of(interp);
    let absolute = files.absolute(path);
    let tree = files.tree.borrow();
    match tree.read(&absolute) {
        Ok((bytes, written)) => Ok((bytes.len(), written)),
        Err(Trouble::IsFolder) => Ok((0, 0.0)),
        Err(why) => Err(error(interp, why, path)),
    }
}

fn stat(interp: &Interp, what: &str, path: &str) -> PyResult<Value> {
    if interp.is_analysis() {
        return unavailable(interp, what);
    }
    let (size, written) = size(interp, path)?;
    let kind = if Files::is_folder(interp, path) { 0o040_755_i64 } else { 0o100_644 };
    let fields = [("st_mode", Value::int(kind)), ("st_size", size.into()), ("st_mtime", Value::Float(written))];
    Ok(namespace_of(interp, fields))
}

/// `os.walk`: a folder, the folders in it, and the files in it; then the same for each of those folders.
fn walk(interp: &Interp, top: &str, all: &mut Vec<Value>) -> PyResult<()> {
    let (folders, files): (Vec<String>, Vec<String>) =
        names(interp, top)?.into_iter().partition(|name| Files::is_folder(interp, &join_paths(top, [name.as_str()])));
    let list = |names: &[String]| Value::list(names.iter().map(Value::str).collect::<Vec<_>>());
    all.push(Value::tuple([Value::str(top), list(&folders), list(&files)]));
    folders.iter().try_for_each(|name| walk(interp, &join_paths(top, [name.as_str()]), all))
}

/// The paths below a folder that a pattern of [`matching`] means, in order.
fn glob(interp: &Interp, args: &Arguments, above: &str) -> PyResult<Value> {
    if interp.is_analysis() {
        return unavailable(interp, "pathlib.Path.glob");
    }
    let folder = own(args);
    let pattern = join_paths(above, [as_path(interp, args.get(1))?.as_str()]);
    let mut found = Vec::new();
    search(interp, &folder, &pattern.split('/').filter(|part| !part.is_empty()).collect::<Vec<_>>(), &mut found)?;
    found.sort();
    found.dedup();
    Ok(iterator_of(found.iter().map(|path| make(interp, path)).collect()))
}

fn search(interp: &Interp, folder: &str, pattern: &[&str], found: &mut Vec<String>) -> PyResult<()> {
    let Some((first, rest)) = pattern.split_first() else {
        found.push(folder.to_owned());
        return Ok(());
    };
    if !Files::is_folder(interp, folder) {
        return Ok(());
    }
    if *first == "**" {
        search(interp, folder, rest, found)?;
    }
    for name in names(interp, folder).unwrap_or_default() {
        let path = join_paths(folder, [name.as_str()]);
        if *first == "**" && Files::is_folder(interp, &path) {
            search(interp, &path, pattern, found)?;
        } else if *first != "**" && matching::matches(&name, first) {
            search(interp, &path, rest, found)?;
        }
    }
    Ok(())
}

fn bytes_of(interp: &Interp, value: &Value) -> PyResult<Rc<[u8]>> {
    match value {
        Value::Bytes(bytes) => Ok(bytes.clone()),
        other => Err(interp
            .type_error(format!("memoryview: a bytes-like object is required, not '{}'", interp.type_name(other)))),
    }
}

fn path_at(interp: &Interp, args: &Arguments, at: usize) -> PyResult<String> {
    as_path(interp, args.get(at))
}

/// Rows of `os`.
pub(in crate::library) const FUNCTIONS: &[NativeDef] = &[
    row("getcwd", "()", "The folder that relative paths begin in.", |interp, _| {
        Ok(Value::from(Files::of(interp).folder()))
    }),
    row("getcwdb", "()", "The folder that relative paths begin in.", |interp, _| {
        Ok(Value::Bytes(Rc::from(Files::of(interp).folder().into_bytes())))
    }),
    row("chdir", "(path)", "Goes to a folder of the program.", |interp, args| {
        let path = path_at(interp, &args, 0)?;
        on(interp, "os.chdir", &path, |files, absolute| {
            let tree = files.tree.borrow();
            match absolute {
                "/" => {}
                _ if tree.is_folder(absolute) => {}
                _ if tree.exists(absolute) => return Err(Trouble::NotFolder),
                _ => return Err(Trouble::Missing),
            }
            *files.folder.borrow_mut() = Some(absolute.to_owned()).filter(|path| path != "/");
            Ok(Value::None)
        })
    }),
    row("listdir", "(path='.')", "The names in a folder.", |interp, args| {
        let path = path_at(interp, &args, 0)?;
        on(interp, "os.listdir", &path, |files, path| {
            Ok(Value::list(files.tree.borrow().list(path)?.into_iter().map(Value::from).collect::<Vec<_>>()))
        })
    }),
    row("mkdir", "(path, mode=511)", "Makes a folder.", |interp, args| {
        make_folder(interp, &path_at(interp, &args, 0)?)
    }),
    row("makedirs", "(name, mode=511, exist_ok=False)", "Makes a folder, and those above.", |interp, args| {
        let may_exist = interp.truth(args.get(2))?;
        make_folders(interp, &path_at(interp, &args, 0)?, may_exist)
    }),
    row("remove", "(path)", "Removes a file.", |interp, args| remove_file(interp, &path_at(interp, &args, 0)?)),
    row("unlink", "(path)", "Removes a file.", |interp, args| remove_file(interp, &path_at(interp, &args, 0)?)),
    row("rmdir", "(path)", "Removes an empty folder.", |interp, args| {
        remove_folder(interp, &path_at(interp, &args, 0)?)
    }),
    row("rename", "(src, dst)", "Gives a file or a folder another name.", |interp, args| {
        rename(interp, &path_at(interp, &args, 0)?, &path_at(interp, &args, 1)?)
    }),
    row("replace", "(src, dst)", "Gives a file or a folder another name.", |interp, args| {
        rename(interp, &path_at(interp, &args, 0)?, &path_at(interp, &args, 1)?)
    }),
    row("stat", "(path)", "What kind of thing it is, how long, and of when.", |interp, args| {
        stat(interp, "os.stat", &path_at(interp, &args, 0)?)
    }),
    row(
        "walk",
        "(top, topdown=True, onerror=None, followlinks=False)",
        "Folders with what is in them.",
        |interp, args| {
            if interp.is_analysis() {
                return unavailable(interp, "os.walk");
            }
            let (top, mut all) = (path_at(interp, &args, 0)?, Vec::new());
            if Files::is_folder(interp, &top) {
                walk(interp, &top, &mut all)?;
            }
            if !interp.truth(args.get(1))? {
                all.reverse();
            }
            Ok(iterator_of(all))
        },
    ),
    row("_temporary", "(folder, prefix, suffix)", "A path that was not given before.", |interp, args| {
        let files = Files::of(interp);
        let number = files.given.replace(files.given.get() + 1);
        let name = format!("{}{number:08}{}", interp.to_str(args.get(1))?, interp.to_str(args.get(2))?);
        Ok(Value::from(join_paths(&path_at(interp, &args, 0)?, [name.as_str()])))
    }),
];

/// Rows of `os.path`.
pub(in crate::library) const PATH_FUNCTIONS: &[NativeDef] = &[
    row("exists", "(path)", "Whether there is something.", |interp, args| {
        Ok(Value::Bool(Files::exists(interp, &path_at(interp, &args, 0)?)))
    }),
    row("lexists", "(path)", "Whether there is something.", |interp, args| {
        Ok(Value::Bool(Files::exists(interp, &path_at(interp, &args, 0)?)))
    }),
    row("isfile", "(path)", "Whether it is a file.", |interp, args| {
        Ok(Value::Bool(Files::is_file(interp, &path_at(interp, &args, 0)?)))
    }),
    row("isdir", "(s)", "Whether it is a folder.", |interp, args| {
        Ok(Value::Bool(Files::is_folder(interp, &path_at(interp, &args, 0)?)))
    }),
    row("getsize", "(filename)", "How many bytes a file has.", |interp, args| {
        interp.get_attr(&stat(interp, "os.path.getsize", &path_at(interp, &args, 0)?)?, "st_size")
    }),
    row("getmtime", "(filename)", "When a file was written.", |interp, args| {
        interp.get_attr(&stat(interp, "os.path.getmtime", &path_at(interp, &args, 0)?)?, "st_mtime")
    }),
];

/// Rows of `pathlib.Path`.
pub(in crate::library) const PATH_METHODS: &[NativeDef] = &[
    row("exists", "(self)", "Whether there is something.", |interp, args| {
        Ok(Value::Bool(Files::exists(interp, &own(&args))))
    }),
    row("is_file", "(self)", "Whether it is a file.", |interp, args| {
        Ok(Value::Bool(Files::is_file(interp, &own(&args))))
    }),
    row("is_dir", "(self)", "Whether it is a folder.", |interp, args| {
        Ok(Value::Bool(Files::is_folder(interp, &own(&args))))
    }),
    row(
        "open",
        "(self, mode='r', buffering=-1, encoding=None, errors=None, newline=None)",
        "A stream of the file.",
        |interp, args| {
            let [path, mode, buffering, encoding, ..]: [Value; 6] = args.take();
            interp.call_values(&crate::library::support::builtin(interp, "open")?, [path, mode, buffering, encoding])
        },
    ),
    row("read_text", "(self, encoding=None, errors=None)", "The text of the file.", |interp, args| {
        let path = own(&args);
        // What modules lie beside a program is known in analysis, too.
        if interp.is_analysis() && !Files::is_file(interp, &path) {
            return unavailable(interp, "pathlib.Path.read_text");
        }
        let text = Value::Bytes(Files::read(interp, &path)?);
        interp.call_method(&text, "decode", [])
    }),
    row("read_bytes", "(self)", "The bytes of the file.", |interp, args| {
        if interp.is_analysis() {
            return unavailable(interp, "pathlib.Path.read_bytes");
        }
        Ok(Value::Bytes(Files::read(interp, &own(&args))?))
    }),
    row(
        "write_text",
        "(self, data, encoding=None, errors=None, newline=None)",
        "Puts a text into the file.",
        |interp, args| {
            if interp.is_analysis() {
                return unavailable(interp, "pathlib.Path.write_text");
            }
            if crate::library::support::text(args.get(1)).is_none() {
                let name = interp.type_name(args.get(1));
                return Err(interp.type_error(format!("data must be str, not {name}")));
            }
            let text = interp.to_str(args.get(1))?;
            Files::write(interp, &own(&args), Rc::from(text.as_bytes()))?;
            Ok(text.chars().count().into())
        },
    ),
    row("write_bytes", "(self, data)", "Puts bytes into the file.", |interp, args| {
        if interp.is_analysis() {
            return unavailable(interp, "pathlib.Path.write_bytes");
        }
        let bytes = bytes_of(interp, args.get(1))?;
        let count = bytes.len();
        Files::write(interp, &own(&args), bytes)?;
        Ok(count.into())
    }),
    row("touch", "(self, mode=438, exist_ok=True)", "Makes an empty file, if there is none.", |interp, args| {
        let path = own(&args);
        let now = interp.host().seconds();
        let may_exist = interp.truth(args.get(2))?;
        on(interp, "pathlib.Path.touch", &path, |files, path| {
            let mut tree = files.tree.borrow_mut();
            match tree.read(path) {
                Ok(_) if !may_exist => Err(Trouble::Exists),
                Ok((bytes, _)) => tree.write(path, bytes, now),
                Err(Trouble::IsFolder) => Ok(()),
                Err(_) => tree.write(path, Rc::from([]), now),
            }
            .map(|()| Value::None)
        })
    }),
    row("mkdir", "(self, mode=511, parents=False, exist_ok=False)", "Makes the folder.", |interp, args| {
        let (path, may_exist) = (own(&args), interp.truth(args.get(3))?);
        if interp.truth(args.get(2))? {
            return make_folders(interp, &path, may_exist);
        }
        if may_exist && !interp.is_analysis() && Files::is_folder(interp, &path) {
            return Ok(Value::None);
        }
        make_folder(interp, &path)
    }),
    row("rmdir", "(self)", "Removes the folder, which must be empty.", |interp, args| {
        remove_folder(interp, &own(&args))
    }),
    row("unlink", "(self, missing_ok=False)", "Removes the file.", |interp, args| {
        let path = own(&args);
        if interp.truth(args.get(1))? && !Files::exists(interp, &path) {
            return Ok(Value::None);
        }
        remove_file(interp, &path)
    }),
    row("rename", "(self, target)", "Gives it another name; returns that.", moved),
    row("replace", "(self, target)", "Gives it another name; returns that.", moved),
    row("iterdir", "(self)", "What is in the folder.", |interp, args| {
        let path = own(&args);
        if interp.is_analysis() {
            return unavailable(interp, "pathlib.Path.iterdir");
        }
        let names = names(interp, &path)?;
        Ok(iterator_of(names.iter().map(|name| make(interp, &join_paths(&path, [name.as_str()]))).collect()))
    }),
    row("glob", "(self, pattern)", "What a pattern means below the folder.", |interp, args| glob(interp, &args, "")),
    row("rglob", "(self, pattern)", "What a pattern means anywhere below the folder.", |interp, args| {
        glob(interp, &args, "**")
    }),
    row(
        "match",
        "(self, path_pattern)",
        "Whether the last part, or the last parts, are what a pattern means.",
        |interp, args| {
            let (mut path, pattern) = (own(&args), as_path(interp, args.get(1))?);
            for part in pattern.rsplit('/') {
                let (above, name) = split(&path);
                if name.is_empty() || !matching::matches(&name, part) {
                    return Ok(Value::Bool(false));
                }
                path = above;
            }
            Ok(Value::Bool(true))
        },
    ),
    row("stat", "(self)", "What kind of thing it is, how long, and of when.", |interp, args| {
        stat(interp, "pathlib.Path.stat", &own(&args))
    }),
];

fn moved(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let to = as_path(interp, args.get(1))?;
    rename(interp, &own(&args), &to)?;
    Ok(make(interp, &to))
}
