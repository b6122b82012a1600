//! Modules of a few names each: `__future__`, `gc`, `weakref`, `platform`, `atexit`, `numbers`, `traceback`.

use super::support::{ClassBuilder, add_class, callable, row};
use crate::class::NativeClass;
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::Arguments;
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

pub(super) static FUTURE: ModuleDef = ModuleDef {
    name: "__future__",
    doc: "Features that came later.",
    functions: &[],
    populate: |interp, names| {
        for name in [
            "annotations",
            "division",
            "absolute_import",
            "print_function",
            "unicode_literals",
            "generators",
            "nested_scopes",
            "with_statement",
            "generator_stop",
            "barry_as_FLUFL",
        ] {
            let feature = super::types::namespace_of(interp, [("compiler_flag", Value::int(0i64))]);
            names.insert(name.into(), feature);
        }
    },
};

pub(super) static GC: ModuleDef = ModuleDef {
    name: "gc",
    doc: "The garbage collector: there is none to steer.",
    functions: &[
        row("collect", "(generation=2)", "0", |_, _| Ok(Value::int(0i64))),
        row("enable", "()", "Nothing to do.", |_, _| Ok(Value::None)),
        row("disable", "()", "Nothing to do.", |_, _| Ok(Value::None)),
        row("isenabled", "()", "True", |_, _| Ok(Value::Bool(true))),
        row("freeze", "()", "Nothing to do.", |_, _| Ok(Value::None)),
        row("unfreeze", "()", "Nothing to do.", |_, _| Ok(Value::None)),
        row("get_objects", "(generation=None)", "[]", |_, _| Ok(Value::list([]))),
    ],
    populate: |_, _| {},
};

pub(super) static PLATFORM: ModuleDef = ModuleDef {
    name: "platform",
    doc: "Names of the system.",
    functions: &[
        row("system", "()", "'Linux'", |_, _| Ok(Value::str("Linux"))),
        row("machine", "()", "'x86_64'", |_, _| Ok(Value::str("x86_64"))),
        row("processor", "()", "'x86_64'", |_, _| Ok(Value::str("x86_64"))),
        row("node", "()", "'localhost'", |_, _| Ok(Value::str("localhost"))),
        row("release", "()", "''", |_, _| Ok(Value::str(""))),
        row("version", "()", "''", |_, _| Ok(Value::str(""))),
        row("platform", "(aliased=False, terse=False)", "'Linux'", |_, _| Ok(Value::str("Linux"))),
        row("python_version", "()", "'3.11.7'", |_, _| Ok(Value::str("3.11.7"))),
        row("python_implementation", "()", "'CPython'", |_, _| Ok(Value::str("CPython"))),
        row("python_version_tuple", "()", "('3', '11', '7')", |_, _| {
            Ok(Value::tuple(["3", "11", "7"].map(Value::str)))
        }),
        row("architecture", "(executable='', bits='', linkage='')", "('64bit', 'ELF')", |_, _| {
            Ok(Value::tuple(["64bit", "ELF"].map(Value::str)))
        }),
    ],
    populate: |_, _| {},
};

pub(super) static ATEXIT: ModuleDef = ModuleDef {
    name: "atexit",
    doc: "Functions for the end of the program; they are not called here.",
    functions: &[
        row("register", "(func, /, *args, **kwargs)", "func, unchanged.", |_, args| Ok(args.get(0).clone())),
        row("unregister", "(func, /)", "Nothing to do.", |_, _| Ok(Value::None)),
    ],
    populate: |_, _| {},
};

/// Abstract classes of numbers. Each knows the builtin values that belong to it.
pub(super) static NUMBERS: ModuleDef = ModuleDef {
    name: "numbers",
    doc: "Abstract base classes of numbers.",
    functions: &[],
    populate: |interp, names| {
        let meta = interp.native_class_with(&NUMBER_META, &[super::abc::meta(interp)]);
        let mut base = interp.native_class_full(&NUMBER_CLASSES[0], &[], Some(meta));
        add_class(names, &base);
        for table in &NUMBER_CLASSES[1..] {
            base = interp.native_class_with(table, &[base]);
            add_class(names, &base);
        }
    },
};

const fn number_class(name: &'static str) -> NativeClass {
    NativeClass {
        name,
        module: "numbers",
        doc: "An abstract class of numbers.",
        methods: &[],
        properties: &[],
        construct: None,
        instance_check: None,
    }
}

static NUMBER_CLASSES: [NativeClass; 5] = [
    number_class("Number"),
    number_class("Complex"),
    number_class("Real"),
    number_class("Rational"),
    number_class("Integral"),
];

static NUMBER_META: NativeClass = NativeClass {
    name: "ABCMeta",
    module: "abc",
    doc: "The class of abstract base classes.",
    methods: &[row(
        "__instancecheck__",
        "(self, instance)",
        "By the kind of number, or by inheritance.",
        |interp, args| {
            let [class, instance] = args.take();
            let Value::Class(class) = &class else { return Ok(Value::Bool(false)) };
            let rank = |name: &str| NUMBER_CLASSES.iter().position(|table| table.name == name);
            let kind = match super::support::plain(&instance) {
                Value::Int(_) | Value::Bool(_) => Some(4),
                Value::Float(_) => Some(2),
                Value::Complex(..) => Some(1),
                _ => None,
            };
            let listed = match (rank(&class.name), kind) {
                (Some(rank), Some(kind)) => rank <= kind,
                _ => false,
            };
            Ok(Value::Bool(listed || super::abc::is_subclass(interp, &interp.type_of(&instance), class)?))
        },
    )],
    properties: &[],
    construct: None,
    instance_check: None,
};

pub(super) static WEAKREF: ModuleDef = ModuleDef {
    name: "weakref",
    doc: "References; here they keep what they refer to.",
    functions: &[
        row("proxy", "(object, callback=None, /)", "The object itself.", |_, args| Ok(args.get(0).clone())),
        row("getweakrefcount", "(object, /)", "0", |_, _| Ok(Value::int(0i64))),
        row("finalize", "(obj, func, /, *args, **kwargs)", "Nothing is called: nothing is freed early.", |_, _| {
            Ok(callable("finalize", |_, _| Ok(Value::None)))
        }),
    ],
    populate: |interp, names| {
        add_class(names, &interp.native_class(&REFERENCE));
        names.insert("ReferenceType".into(), Value::Class(interp.native_class(&REFERENCE)));
        names.insert("WeakMethod".into(), Value::Class(interp.native_class(&REFERENCE)));
        let types = interp.types();
        for (name, base) in
            [("WeakKeyDictionary", &types.dict), ("WeakValueDictionary", &types.dict), ("WeakSet", &types.set)]
        {
            add_class(names, &ClassBuilder::new(name, "weakref", base).build());
        }
    },
};

struct Reference {
    target: Value,
}

static REFERENCE: NativeClass = NativeClass {
    name: "ref",
    module: "weakref",
    doc: "ref(object, callback=None): calling it gives the object.",
    methods: &[row("__call__", "(self)", "The object.", |_, args: Arguments| {
        Ok(args.get(0).downcast::<Reference>().map_or(Value::None, |reference| reference.target.clone()))
    })],
    properties: &[],
    construct: Some(|interp, _, args| {
        let form = const { &super::support::form("ref", "(object, callback=None, /)") };
        let [target, _] = super::support::arguments(interp, form, args)?.take();
        if matches!(
            target,
            Value::Int(_) | Value::Str(_) | Value::Tuple(_) | Value::None | Value::List(_) | Value::Dict(_)
        ) {
            return Err(
                interp.type_error(format!("cannot create weak reference to '{}' object", interp.type_name(&target)))
            );
        }
        Ok(Value::object(Reference { target }))
    }),
    instance_check: None,
};

impl Object for Reference {
    fn class(&self, interp: &Interp) -> Rc<crate::class::Class> {
        interp.native_class(&REFERENCE)
    }

    fn call(&self, _: &Value, _: crate::call::CallArgs, _: &Interp) -> Option<PyResult<Value>> {
        Some(Ok(self.target.clone()))
    }

    fn is_callable(&self) -> bool {
        true
    }
}
