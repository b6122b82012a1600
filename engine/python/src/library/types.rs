//! `types`: names for the classes that have none in `builtins`, `SimpleNamespace`, and a few helpers.

use super::support::{ClassBuilder, add_class, classes, keywords, row};
use crate::call::CallArgs;
use crate::class::{Class, Namespace, NativeClass};
use crate::interp::Interp;
use crate::module::{Module, ModuleDef};
use crate::native::{Arguments, NativeDef};
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::{CompareOp, Name};
use std::rc::Rc;

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "types",
    doc: "Names for builtin types, and tools for classes.",
    functions: &[
        row("new_class", "(name, bases=(), kwds=None, exec_body=None)", "Makes a class.", new_class),
        row("coroutine", "(func)", "func, unchanged.", |_, args| Ok(args.get(0).clone())),
    ],
    populate: |interp, names| {
        let types = interp.types();
        for (name, class) in [
            ("FunctionType", &types.function),
            ("LambdaType", &types.function),
            ("BuiltinFunctionType", &types.native_function),
            ("BuiltinMethodType", &types.native_function),
            ("GeneratorType", &types.generator),
            ("NoneType", &types.none_type),
            ("NotImplementedType", &types.not_implemented_type),
            ("EllipsisType", &types.ellipsis_type),
            ("GenericAlias", &types.generic_alias),
            ("UnionType", &types.union_type),
            ("TracebackType", &types.traceback),
            ("CodeType", &types.code),
            ("FrameType", &types.frame),
            ("CellType", &types.cell),
            ("MethodDescriptorType", &types.native_method),
            ("WrapperDescriptorType", &types.native_method),
        ] {
            names.insert(name.into(), Value::Class(class.clone()));
        }
        names.insert("MappingProxyType".into(), Value::Class(interp.native_class(&MAPPING_PROXY)));
        names.insert("MethodType".into(), Value::Class(method_type(interp)));
        names.insert("ModuleType".into(), Value::Class(module_type(interp)));
        add_class(names, &simple_namespace(interp));
        names.insert("DynamicClassAttribute".into(), Value::Class(types.property.clone()));
    },
};

/// `types.MethodType(function, instance)` binds; `isinstance` asks the builtin class.
fn method_type(interp: &Interp) -> Rc<Class> {
    classes::cached(interp, "MethodType", |interp| {
        ClassBuilder::new("method", "builtins", &interp.types().method)
            .construct(|interp, _, args| {
                let form = const { &super::support::form("method", "(function, instance, /)") };
                let [function, receiver] = super::support::arguments(interp, form, args)?.take();
                if !interp.is_callable(&function) && !function.is_unknown() {
                    return Err(interp.type_error("first argument must be callable".to_string()));
                }
                Ok(super::support::callable::method(receiver, function))
            })
            .metaclass(&by_value_meta(interp))
            .build()
    })
}

/// `types.ModuleType(name)` makes an empty module; `isinstance` asks the builtin class. Instances of classes that derive from it
/// (packages that import their parts late) are no modules to the evaluator, but objects with a module's attributes, which may
/// stand in `sys.modules`.
fn module_type(interp: &Interp) -> Rc<Class> {
    classes::cached(interp, "ModuleType", |interp| {
        ClassBuilder::new("module", "builtins", &interp.types().module)
            .methods(DERIVED_MODULE)
            .construct(|interp, class, args| {
                if class.span.is_some() {
                    return Ok(classes::instance(class, Value::Unset));
                }
                let form = const { &super::support::form("module", "(name, doc=None)") };
                let [name, doc] = super::support::arguments(interp, form, args)?.take();
                let name = interp.to_str(&name)?;
                let mut namespace = Namespace::default();
                namespace.insert("__name__".into(), Value::Str(name.clone()));
                namespace.insert("__doc__".into(), doc);
                Ok(Value::Module(Rc::new(Module {
                    name: Name::from(&*name),
                    path: None,
                    namespace: std::cell::RefCell::new(namespace),
                })))
            })
            .metaclass(&by_value_meta(interp))
            .build()
    })
}

const DERIVED_MODULE: &[NativeDef] = &[
    row("__init__", "(self, name, doc=None)", "Names the module.", |interp, args| {
        let [this, name, doc] = args.take();
        interp.to_str(&name)?;
        for (attribute, value) in [("__name__", name), ("__doc__", doc)] {
            interp.set_attr_plainly(&this, attribute, value)?;
        }
        Ok(Value::None)
    }),
    row("__repr__", "(self, /)", "<module 'name'>", |interp, args| {
        let shown = |attribute| match interp.find_attr(args.get(0), attribute)? {
            Some(value) => interp.repr(&value).map(Some),
            None => Ok(None),
        };
        let name = shown("__name__")?.unwrap_or_else(|| "'?'".to_string());
        let place = shown("__file__")?.map_or(String::new(), |path| format!(" from {path}"));
        Ok(Value::from(format!("<module {name}{place}>")))
    }),
];

/// `types.MappingProxyType`
static MAPPING_PROXY: NativeClass = NativeClass {
    name: "mappingproxy",
    module: "builtins",
    doc: "mappingproxy(mapping): a view that cannot be written to.",
    methods: &[
        row("__class_getitem__", "(cls, params)", "The class for certain types.", |interp, args| {
            Ok(interp.generic_alias(&Value::Class(interp.native_class(&MAPPING_PROXY)), args.get(1)))
        }),
        row("get", "(self, key, default=None, /)", "A value, or the default.", |i, a| forward(i, &a, "get")),
        row("keys", "(self, /)", "The keys.", |i, a| forward(i, &a, "keys")),
        row("values", "(self, /)", "The values.", |i, a| forward(i, &a, "values")),
        row("items", "(self, /)", "The entries.", |i, a| forward(i, &a, "items")),
        row("copy", "(self, /)", "A copy of the mapping.", |i, a| forward(i, &a, "copy")),
    ],
    properties: &[],
    construct: Some(|interp, _, args| {
        let form = const { &super::support::form("mappingproxy", "(mapping)") };
        let [mapping] = super::support::arguments(interp, form, args)?.take();
        if interp.find_attr(&mapping, "keys")?.is_none() {
            return Err(interp
                .type_error(format!("mappingproxy() argument must be a mapping, not {}", interp.type_name(&mapping))));
        }
        Ok(Value::object(MappingProxy { mapping }))
    }),
    instance_check: None,
};

struct MappingProxy {
    mapping: Value,
}

fn forward(interp: &Interp, args: &Arguments, method: &str) -> PyResult<Value> {
    match args.get(0).downcast::<MappingProxy>() {
        Some(proxy) => interp.call_method(&proxy.mapping, method, args.values()[1..].iter().cloned()),
        None => Ok(Value::None),
    }
}

impl Object for MappingProxy {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&MAPPING_PROXY)
    }

    fn get_item(&self, _: &Value, key: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        Some(interp.get_item(&self.mapping, key))
    }

    fn length(&self, _: &Value, interp: &Interp) -> Option<PyResult<usize>> {
        Some(interp.len(&self.mapping))
    }

    fn iterate(&self, _: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        Some(interp.iter(&self.mapping))
    }

    fn contains(&self, _: &Value, item: &Value, interp: &Interp) -> Option<PyResult<bool>> {
        Some(interp.contains(&self.mapping, item))
    }

    fn compare(&self, _: &Value, op: CompareOp, other: &Value, interp: &Interp) -> PyResult<Option<Value>> {
        let other = other.downcast::<MappingProxy>().map_or(other, |other| &other.mapping);
        interp.compare(op, &self.mapping, other).map(Some)
    }

    fn repr(&self, _: &Value, interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(format!("mappingproxy({})", interp.repr(&self.mapping)?)))
    }
}

static BY_VALUE: NativeClass = NativeClass {
    name: "type",
    module: "builtins",
    doc: "The class of a class whose instances are builtin values.",
    methods: &[row("__instancecheck__", "(self, instance)", "Whether instance is such a value.", |_, args| {
        if let (Value::Class(class), Value::Instance(instance)) = (args.get(0), args.get(1)) {
            return Ok(Value::Bool(instance.class.borrow().is_subclass(class)));
        }
        let wanted = match args.get(1) {
            Value::Module(_) => "module",
            Value::BoundMethod(_) => "method",
            _ => return Ok(Value::Bool(false)),
        };
        Ok(Value::Bool(matches!(args.get(0), Value::Class(class) if &*class.name == wanted)))
    })],
    properties: &[],
    construct: None,
    instance_check: None,
};

fn by_value_meta(interp: &Interp) -> Rc<Class> {
    interp.native_class_with(&BY_VALUE, std::slice::from_ref(&interp.types().type_))
}

const METHODS: &[NativeDef] = &[
    row("__repr__", "(self, /)", "namespace(x=1)", repr),
    row("__eq__", "(self, other, /)", "Compares the attributes.", eq),
];

pub(super) fn simple_namespace(interp: &Interp) -> Rc<Class> {
    classes::cached(interp, "SimpleNamespace", |interp| {
        ClassBuilder::new("SimpleNamespace", "types", &interp.types().object)
            .doc("SimpleNamespace(**kwargs): an object with attributes.")
            .construct(construct)
            .methods(METHODS)
            .attribute("__hash__", Value::None)
            .build()
    })
}

/// A `SimpleNamespace` with these attributes.
pub(super) fn namespace_of<K: AsRef<str>>(interp: &Interp, fields: impl IntoIterator<Item = (K, Value)>) -> Value {
    let value = classes::instance(&simple_namespace(interp), Value::Unset);
    if let Value::Instance(instance) = &value {
        instance.fields.borrow_mut().extend(fields.into_iter().map(|(name, field)| (name.as_ref().into(), field)));
    }
    value
}

fn construct(interp: &Interp, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    if !args.positional.is_empty() {
        return Err(interp.type_error("no positional arguments expected"));
    }
    let value = classes::instance(class, Value::Unset);
    if let Value::Instance(instance) = &value {
        instance.fields.borrow_mut().extend(args.keywords);
    }
    Ok(value)
}

fn fields(value: &Value) -> Vec<(Name, Value)> {
    match value {
        Value::Instance(instance) => {
            instance.fields.borrow().iter().map(|(name, value)| (name.clone(), value.clone())).collect()
        }
        _ => Vec::new(),
    }
}

fn repr(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    let class = interp.type_of(&this);
    let name = if Rc::ptr_eq(&class, &simple_namespace(interp)) { "namespace" } else { &*class.name };
    let parts = interp.nested(|| {
        fields(&this)
            .iter()
            .map(|(name, value)| Ok(format!("{name}={}", interp.repr(value)?)))
            .collect::<PyResult<Vec<_>>>()
    })?;
    Ok(Value::str(format!("{name}({})", parts.join(", "))))
}

fn eq(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, other] = args.take();
    if !interp.type_of(&other).is_subclass(&simple_namespace(interp)) {
        return Ok(Value::NotImplemented);
    }
    let (a, b) = (interp.dict_of(fields(&this)), interp.dict_of(fields(&other)));
    interp.equals(&a, &b).map(Value::Bool)
}

fn new_class(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [name, bases, keyword_values, body] = args.take();
    let namespace = super::support::dict();
    if !body.is_none() {
        interp.call_values(&body, [namespace.clone()])?;
    }
    let mut call = CallArgs::positional([name, bases, namespace]);
    call.keywords.extend(keywords(&keyword_values));
    interp.call(&Value::Class(interp.types().type_.clone()), call)
}
