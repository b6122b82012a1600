//! The special forms and aliases by name.

use super::alias::Alias;
use super::special::{Form, Shape};
use crate::class::{Class, Namespace, NativeClass};
use crate::interp::Interp;
use crate::library::support::row;
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

const FORMS: &[(&str, Shape)] = &[
    ("Optional", Shape::Optional),
    ("Union", Shape::Union),
    ("Literal", Shape::Literal),
    ("ClassVar", Shape::One),
    ("Final", Shape::One),
    ("Annotated", Shape::Annotated),
    ("Concatenate", Shape::Many),
    ("TypeGuard", Shape::One),
    ("TypeIs", Shape::One),
    ("Unpack", Shape::One),
    ("Required", Shape::One),
    ("NotRequired", Shape::One),
    ("ReadOnly", Shape::One),
    ("Self", Shape::Bare),
    ("NoReturn", Shape::Bare),
    ("Never", Shape::Bare),
    ("LiteralString", Shape::Bare),
    ("TypeAlias", Shape::Bare),
];

/// Aliases of classes in `collections.abc`, and of a few elsewhere.
const ABSTRACT: &[&str] = &[
    "AbstractSet",
    "AsyncGenerator",
    "AsyncIterable",
    "AsyncIterator",
    "Awaitable",
    "ByteString",
    "Collection",
    "Container",
    "Coroutine",
    "Generator",
    "Hashable",
    "ItemsView",
    "Iterable",
    "Iterator",
    "KeysView",
    "Mapping",
    "MappingView",
    "MutableMapping",
    "MutableSequence",
    "MutableSet",
    "Reversible",
    "Sequence",
    "Sized",
    "ValuesView",
];

const COLLECTIONS: &[(&str, &str)] = &[
    ("Deque", "deque"),
    ("DefaultDict", "defaultdict"),
    ("OrderedDict", "OrderedDict"),
    ("Counter", "Counter"),
    ("ChainMap", "ChainMap"),
];

/// Types of which nothing is known but the name.
const NOMINAL: &[&str] = &["IO", "TextIO", "BinaryIO", "Pattern", "Match", "ContextManager", "AsyncContextManager"];

static ANY_TYPE: NativeClass = NativeClass {
    name: "_AnyMeta",
    module: "typing",
    doc: "The class of Any.",
    methods: &[
        row("__repr__", "(self)", "typing.Any", |_, _| Ok(Value::str("typing.Any"))),
        row("__instancecheck__", "(self, obj)", "Refuses.", |interp, _| {
            Err(interp.type_error("typing.Any cannot be used with isinstance()"))
        }),
    ],
    properties: &[],
    construct: None,
    instance_check: None,
};

static ANY: NativeClass = NativeClass {
    name: "Any",
    module: "typing",
    doc: "Any type at all.",
    methods: &[],
    properties: &[],
    construct: Some(|interp, class, _| {
        if class.span.is_some() {
            // A subclass of Any is an ordinary class.
            return Ok(crate::library::support::classes::instance(class, Value::Unset));
        }
        Err(interp.type_error("Any cannot be instantiated"))
    }),
    instance_check: None,
};

fn any(interp: &Interp) -> Rc<Class> {
    let meta = interp.native_class_with(&ANY_TYPE, &[interp.types().type_.clone()]);
    interp.native_class_full(&ANY, &[], Some(meta))
}

pub(super) fn populate(interp: &Interp, names: &mut Namespace) {
    names.insert("Any".into(), Value::Class(any(interp)));
    let mut add = |name: &'static str, shape: Shape, origin: Option<Value>| {
        names.insert(name.into(), Value::object(Form { name, shape, origin }));
    };
    for &(name, shape) in FORMS {
        // `Union` is asked for by identity wherever `X | Y` is made.
        if name != "Union" {
            add(name, shape, None);
        }
    }
    let types = interp.types();
    let builtin = [
        ("List", &types.list),
        ("Dict", &types.dict),
        ("Set", &types.set),
        ("FrozenSet", &types.frozenset),
        ("Tuple", &types.tuple),
        ("Type", &types.type_),
    ];
    for (name, class) in builtin {
        add(name, Shape::Many, Some(Value::Class(class.clone())));
    }
    for &name in ABSTRACT {
        let class = crate::library::collections::abc::class(interp, if name == "AbstractSet" { "Set" } else { name });
        add(name, Shape::Many, class.map(Value::Class));
    }
    add("Callable", Shape::Callable, crate::library::collections::abc::class(interp, "Callable").map(Value::Class));
    for &(name, class) in COLLECTIONS {
        let class = interp.import("collections").and_then(|module| interp.get_attr(&module, class)).ok();
        add(name, Shape::Many, class);
    }
    for &name in NOMINAL {
        add(name, Shape::Many, None);
    }
    if let Ok(union) = form(interp, "Union") {
        names.insert("Union".into(), union);
    }
}

#[derive(Default)]
struct Shared {
    union: std::cell::RefCell<Option<Value>>,
}

/// `Union`, the form that is made implicitly, one per interpreter; other forms by import.
pub(super) fn form(interp: &Interp, name: &str) -> PyResult<Value> {
    if name != "Union" {
        return interp.get_attr(&interp.import("typing")?, name);
    }
    let shared = interp.extension::<Shared>();
    let union = shared
        .union
        .borrow_mut()
        .get_or_insert_with(|| Value::object(Form { name: "Union", shape: Shape::Union, origin: None }))
        .clone();
    Ok(union)
}

/// Whether an annotation is `ClassVar` or `ClassVar[...]`.
pub(in crate::library) fn is_class_var(annotation: &Value) -> bool {
    let base = annotation.downcast::<Alias>().map_or(annotation, |alias| &alias.base);
    base.downcast::<Form>().is_some_and(|form| form.name == "ClassVar")
}
