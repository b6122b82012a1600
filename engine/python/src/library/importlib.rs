//! `importlib`: imports by name. What is installed is not known here: packages have no version and no metadata.

use super::support::{add_class, row};
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "importlib",
    doc: "Imports by name.",
    functions: &[
        row("import_module", "(name, package=None)", "A module by its dotted name.", import_module),
        row("reload", "(module)", "The module: it is not run again.", |_, args| Ok(args.get(0).clone())),
        row("invalidate_caches", "()", "Nothing to do.", |_, _| Ok(Value::None)),
    ],
    populate: |_, _| {},
};

pub(super) static UTIL: ModuleDef = ModuleDef {
    name: "importlib.util",
    doc: "Whether modules can be imported.",
    functions: &[row(
        "find_spec",
        "(name, package=None)",
        "Something where a module can be imported, else None.",
        |interp, args| {
            let name = interp.to_str(args.get(0))?;
            match interp.import(&name) {
                Ok(_) => Ok(super::types::namespace_of(interp, [("name", Value::Str(name))])),
                Err(stop) if interp.stop_is(&stop, &interp.types().import_error) => Ok(Value::None),
                Err(stop) => Err(stop),
            }
        },
    )],
    populate: |_, _| {},
};

pub(super) static RESOURCES: ModuleDef = ModuleDef {
    name: "importlib.resources",
    doc: "Files that lie beside modules.",
    functions: &[row("files", "(anchor=None)", "The folder of a module.", |interp, args| {
        let module = match args.get(0) {
            Value::Str(name) => interp.import(name)?,
            module => module.clone(),
        };
        let file = match interp.find_attr(&module, "__file__")? {
            Some(file) if !file.is_none() => file,
            _ => {
                let name = interp.str(args.get(0))?;
                return Err(interp.type_error(format!("'{name}' has no folder that is known here")));
            }
        };
        let path = interp.get_attr(&interp.import("pathlib")?, "Path")?;
        interp.get_attr(&interp.call_values(&path, vec![file])?, "parent")
    })],
    populate: |_, _| {},
};

pub(super) static METADATA: ModuleDef = ModuleDef {
    name: "importlib.metadata",
    doc: "Metadata of packages: there is none.",
    functions: &[
        row("version", "(distribution_name)", "Raises PackageNotFoundError.", absent),
        row("metadata", "(distribution_name)", "Raises PackageNotFoundError.", absent),
        row("distribution", "(distribution_name)", "Raises PackageNotFoundError.", absent),
    ],
    populate: |interp, names| {
        add_class(
            names,
            &interp.exception_class(
                "importlib.metadata",
                "PackageNotFoundError",
                &interp.types().module_not_found_error,
            ),
        );
    },
};

fn absent(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let class =
        interp.exception_class("importlib.metadata", "PackageNotFoundError", &interp.types().module_not_found_error);
    let name = interp.str(args.get(0))?;
    Err(interp.error(&class, format!("No package metadata was found for {name}")))
}

fn import_module(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let name = interp.to_str(args.get(0))?;
    let relative = name.trim_start_matches('.');
    let dots = name.len() - relative.len();
    if dots == 0 {
        return interp.import(&name);
    }
    if args.get(1).is_none() {
        return Err(interp.type_error(format!(
            "the 'package' argument is required to perform a relative import for {}",
            interp.repr(args.get(0))?
        )));
    }
    let package = interp.to_str(args.get(1))?;
    let parts: Vec<&str> = package.split('.').collect();
    let keep = (parts.len() + 1).saturating_sub(dots);
    if keep == 0 {
        return Err(interp.error(&interp.types().import_error, "attempted relative import beyond top-level package"));
    }
    interp.import(&format!("{}.{relative}", parts[..keep].join(".")))
}
