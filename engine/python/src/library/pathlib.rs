//! `pathlib`: paths as values. What they do with files is in [`super::files`].

use super::os::path::{join_paths, normalise, split, split_extension};
use super::support::{ClassBuilder, add_class, classes, row, unknown, variadic};
use crate::call::CallArgs;
use crate::class::Class;
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::{Arguments, NativeDef};
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "pathlib",
    doc: "Paths as values.",
    functions: &[],
    populate: |interp, names| {
        let class = class(interp);
        add_class(names, &class);
        for name in ["PurePath", "PosixPath", "PurePosixPath"] {
            names.insert(name.into(), Value::Class(class.clone()));
        }
    },
};

/// What is not there for files in memory.
const UNAVAILABLE: &[NativeDef] = &[
    row("chmod", "(self, mode)", "Not available.", |interp, _| super::os::unavailable(interp, "pathlib.Path.chmod")),
    row("symlink_to", "(self, target)", "Not available.", |interp, _| {
        super::os::unavailable(interp, "pathlib.Path.symlink_to")
    }),
];

const METHODS: &[NativeDef] = &[
    row("__repr__", "(self)", "PosixPath('a/b')", |interp, args| {
        Ok(Value::from(format!("PosixPath({})", interp.repr(&Value::from(own(&args)))?)))
    }),
    row("__str__", "(self)", "a/b", |_, args| Ok(Value::from(own(&args)))),
    row("__fspath__", "(self)", "a/b", |_, args| Ok(Value::from(own(&args)))),
    row("as_posix", "(self)", "a/b", |_, args| Ok(Value::from(own(&args)))),
    row("__truediv__", "(self, key)", "A path below.", |interp, args| {
        let key = super::os::as_path(interp, args.get(1))?;
        Ok(make(interp, &join_paths(&own(&args), [key.as_str()])))
    }),
    row("__rtruediv__", "(self, key)", "This path below another.", |interp, args| {
        let key = super::os::as_path(interp, args.get(1))?;
        Ok(make(interp, &join_paths(&key, [own(&args).as_str()])))
    }),
    row("__eq__", "(self, other)", "By text.", |interp, args| {
        if !interp.type_of(args.get(1)).is_subclass(&class(interp)) {
            return Ok(Value::NotImplemented);
        }
        Ok(Value::Bool(own(&args) == text_of(args.get(1))))
    }),
    row("__lt__", "(self, other)", "By text.", |_, args| Ok(Value::Bool(own(&args) < text_of(args.get(1))))),
    row("__hash__", "(self)", "By text.", |interp, args| {
        interp.hash(&Value::from(own(&args))).map(|hash| Value::from(hash as i64))
    }),
    row("joinpath", "(self, *other)", "A path below.", |interp, args| {
        let parts =
            variadic(args.get(1)).iter().map(|part| super::os::as_path(interp, part)).collect::<PyResult<Vec<_>>>()?;
        Ok(make(interp, &join_paths(&own(&args), parts.iter().map(String::as_str))))
    }),
    row("with_suffix", "(self, suffix)", "The path with another extension.", |interp, args| {
        let path = own(&args);
        let suffix = interp.to_str(args.get(1))?;
        Ok(make(interp, &format!("{}{suffix}", split_extension(&path).0)))
    }),
    row("with_name", "(self, name)", "The path with another last part.", |interp, args| {
        let name = interp.to_str(args.get(1))?;
        Ok(make(interp, &join_paths(&split(&own(&args)).0, [&*name])))
    }),
    row("relative_to", "(self, *other)", "The path from another.", relative_to),
    row("is_absolute", "(self)", "Whether it begins with /.", |_, args| Ok(Value::Bool(own(&args).starts_with('/')))),
    row("absolute", "(self)", "The path from /.", |interp, args| {
        Ok(make(interp, &join_paths(&folder(interp), [own(&args).as_str()])))
    }),
    row("resolve", "(self, strict=False)", "The path from /.", |interp, args| {
        Ok(make(interp, &normalise(&join_paths(&folder(interp), [own(&args).as_str()]))))
    }),
    row("expanduser", "(self)", "The path.", |_, args| Ok(args.get(0).clone())),
];

const PROPERTIES: &[NativeDef] = &[
    row("name", "(self)", "The last part.", |_, args| Ok(Value::from(split(&own(&args)).1))),
    row("stem", "(self)", "The last part without its extension.", |_, args| {
        let name = split(&own(&args)).1;
        Ok(Value::str(split_extension(&name).0))
    }),
    row("suffix", "(self)", "The extension.", |_, args| {
        let name = split(&own(&args)).1;
        Ok(Value::str(split_extension(&name).1))
    }),
    row("parent", "(self)", "The path without its last part.", |interp, args| Ok(make(interp, &split(&own(&args)).0))),
    row("parents", "(self)", "The paths above.", |interp, args| {
        let mut path = own(&args);
        let mut parents = Vec::new();
        while path != "/" && path != "." {
            path = clean(&split(&path).0);
            parents.push(make(interp, &path));
        }
        Ok(Value::tuple(parents))
    }),
    row("parts", "(self)", "The parts.", |_, args| {
        let path = own(&args);
        let root = path.starts_with('/').then(|| Value::str("/"));
        let parts = path.split('/').filter(|part| !part.is_empty() && *part != ".").map(Value::str);
        Ok(Value::tuple(root.into_iter().chain(parts).collect::<Vec<_>>()))
    }),
];

const CLASS_METHODS: &[NativeDef] = &[
    row("cwd", "(cls)", "The folder that relative paths begin in.", |interp, _| Ok(make(interp, &folder(interp)))),
    row("home", "(cls)", "The home folder.", |interp, _| {
        let home = interp.host().environment("HOME").unwrap_or_else(|| "/".to_owned());
        Ok(make(interp, &home))
    }),
];

fn class(interp: &Interp) -> Rc<Class> {
    classes::cached(interp, "Path", |interp| {
        ClassBuilder::new("Path", "pathlib", &interp.types().object)
            .doc("Path(*pathsegments): a path.")
            .construct(construct)
            .methods(METHODS)
            .methods(super::files::PATH_METHODS)
            .methods(UNAVAILABLE)
            .properties(PROPERTIES)
            .class_methods(CLASS_METHODS)
            .build()
    })
}

/// Without empty and `.` parts.
fn clean(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let root = if path.starts_with('/') { "/" } else { "" };
    let result = format!("{root}{}", parts.join("/"));
    if result.is_empty() { ".".to_owned() } else { result }
}

/// The folder that relative paths begin in.
fn folder(interp: &Interp) -> String {
    super::files::Files::of(interp).folder()
}

pub(super) fn make(interp: &Interp, path: &str) -> Value {
    of_class(&class(interp), path)
}

fn of_class(class: &Rc<Class>, path: &str) -> Value {
    let value = classes::instance(class, Value::Unset);
    if let Value::Instance(instance) = &value {
        instance.fields.borrow_mut().insert("_path".into(), Value::from(clean(path)));
    }
    value
}

fn text_of(value: &Value) -> String {
    match value {
        Value::Instance(instance) => match instance.fields.borrow().get("_path") {
            Some(Value::Str(path)) => path.to_string(),
            _ => String::new(),
        },
        _ => String::new(),
    }
}

pub(super) fn own(args: &Arguments) -> String {
    text_of(args.get(0))
}

fn construct(interp: &Interp, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    if let Some(unknown) = unknown(&args.positional) {
        return Ok(unknown);
    }
    let parts = args.positional.iter().map(|part| super::os::as_path(interp, part)).collect::<PyResult<Vec<_>>>()?;
    Ok(of_class(class, &join_paths("", parts.iter().map(String::as_str))))
}

fn relative_to(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let path = own(&args);
    let others =
        variadic(args.get(1)).iter().map(|part| super::os::as_path(interp, part)).collect::<PyResult<Vec<_>>>()?;
    let other = clean(&join_paths("", others.iter().map(String::as_str)));
    let rest = if other == "." {
        Some(path.as_str())
    } else {
        path.strip_prefix(&other).filter(|rest| rest.is_empty() || rest.starts_with('/') || other.ends_with('/'))
    };
    match rest {
        Some(rest) => Ok(make(interp, rest.trim_start_matches('/'))),
        None => {
            let (shown, base) = (interp.repr(&Value::from(path))?, interp.repr(&Value::from(other))?);
            Err(interp.value_error(format!(
                "{shown} is not in the subpath of {base} OR one path is relative and the other is absolute."
            )))
        }
    }
}
