//! `typing` and `typing_extensions`: everything that annotations use. Types are values here, nothing is checked.
//! Special forms are in [`special`] and, by name, [`forms`]; what they make in [`alias`], type variables in [`variables`], `Generic` and
//! `Protocol` in [`generic`], `NamedTuple` and `TypedDict` in [`records`], the functions in [`functions`].

mod alias;
mod forms;
mod functions;
mod generic;
mod records;
mod special;
mod type_alias;
mod variables;

pub(super) use forms::is_class_var;
pub(crate) use type_alias::TypeAliasType;

use super::support::row;
use crate::class::Namespace;
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::NativeDef;
use crate::value::Value;

const FUNCTIONS: &[NativeDef] = &[
    row("cast", "(typ, val)", "val, unchanged.", |_, args| Ok(args.get(1).clone())),
    row(
        "overload",
        "(func)",
        "Marks one of several signatures; the last, undecorated definition is called.",
        functions::overload,
    ),
    row("get_overloads", "(func)", "The overloads of a function: none are recorded.", |_, _| Ok(Value::list([]))),
    row("clear_overloads", "()", "Forgets overloads.", |_, _| Ok(Value::None)),
    row("final", "(f)", "Marks a method or class as final.", functions::mark_final),
    row("override", "(arg, /)", "Marks a method as overriding one of a base class.", functions::mark_override),
    row("no_type_check", "(arg)", "Marks annotations as no types.", |_, args| Ok(args.get(0).clone())),
    row("no_type_check_decorator", "(decorator)", "Marks annotations as no types.", |_, args| Ok(args.get(0).clone())),
    row(
        "runtime_checkable",
        "(cls)",
        "Lets isinstance() look at the members of a protocol.",
        generic::runtime_checkable,
    ),
    row("runtime", "(cls)", "Lets isinstance() look at the members of a protocol.", generic::runtime_checkable),
    row(
        "get_type_hints",
        "(obj, globalns=None, localns=None, include_extras=False)",
        "Annotations, evaluated.",
        functions::get_type_hints,
    ),
    row("get_origin", "(tp)", "The type that a type was made from by subscription.", functions::get_origin),
    row("get_args", "(tp)", "What a type was subscripted with.", functions::get_args),
    row("is_typeddict", "(tp)", "Whether tp is a TypedDict class.", records::is_typed_dict),
    row("assert_type", "(val, typ, /)", "val, unchanged.", |_, args| Ok(args.get(0).clone())),
    row("assert_never", "(arg, /)", "Code that a type checker must find unreachable.", functions::assert_never),
    row("reveal_type", "(obj, /)", "Prints the type of obj to standard error.", functions::reveal_type),
    row("dataclass_transform", "(**kwargs)", "Marks what makes dataclasses.", functions::dataclass_transform),
    row(
        "NewType",
        "(name, tp)",
        "A name for a type, of which type checkers make a type of its own.",
        variables::new_type,
    ),
    row(
        "deprecated",
        "(msg, /, *, category=None, stacklevel=1)",
        "Marks something as deprecated.",
        functions::deprecated,
    ),
];

pub(super) static MODULE: ModuleDef = ModuleDef { name: "typing", doc: "Type hints.", functions: FUNCTIONS, populate };

pub(super) static EXTENSIONS: ModuleDef =
    ModuleDef { name: "typing_extensions", doc: "Backported type hints.", functions: FUNCTIONS, populate };

fn populate(interp: &Interp, names: &mut Namespace) {
    forms::populate(interp, names);
    variables::populate(interp, names);
    generic::populate(interp, names);
    records::populate(interp, names);
    type_alias::populate(interp, names);
    names.insert("TYPE_CHECKING".into(), Value::Bool(false));
    names.insert("Text".into(), Value::Class(interp.types().str.clone()));
}
