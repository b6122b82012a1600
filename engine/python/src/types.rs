//! The classes of the builtin types and exceptions: one [`Types`] per interpreter.
//! The methods of `int`, `str`, `list`... come from the tables in [`crate::builtins`]; this file makes the classes.

use crate::builtins;
use crate::class::{Builtin, Class, Namespace, NativeClass};
use crate::native::{NativeDef, NativeFunction};
use crate::value::{Property, Value};
use pallas_syntax::ast::Name;
use std::cell::RefCell;
use std::rc::Rc;

macro_rules! types {
    (
        builtin { $($field:ident $name:literal $layout:expr;)* }
        derived { $($derived:ident $derived_name:literal $parent:ident;)* }
        exceptions { $($exception:ident $exception_name:literal $base:ident;)* }
    ) => {
        /// Every builtin class.
        #[expect(missing_docs, reason = "fields are named after the Python classes")]
        pub struct Types {
            pub object: Rc<Class>,
            $(pub $field: Rc<Class>,)*
            $(pub $derived: Rc<Class>,)*
            $(pub $exception: Rc<Class>,)*
        }

        impl Types {
            pub(crate) fn new() -> Types {
                let object = builtin_class("object", &[], None);
                $(let $field = builtin_class($name, &[&object], $layout);)*
                $(let $derived = builtin_class($derived_name, &[&$parent], $parent.builtin);)*
                $(let $exception = exception_class($exception_name, &types!(@base $base object));)*
                Types { object, $($field,)* $($derived,)* $($exception,)* }
            }

            /// Every class with its name in `builtins`, and those that have none there.
            pub(crate) fn all(&self) -> Vec<&Rc<Class>> {
                vec![&self.object, $(&self.$field,)* $(&self.$derived,)* $(&self.$exception,)*]
            }
        }
    };
    (@base object $object:ident) => { $object };
    (@base $base:ident $object:ident) => { $base };
}

types! {
    builtin {
        type_ "type" Some(Builtin::Type);
        int "int" Some(Builtin::Int);
        float "float" Some(Builtin::Float);
        complex "complex" None;
        str "str" Some(Builtin::Str);
        bytes "bytes" Some(Builtin::Bytes);
        tuple "tuple" Some(Builtin::Tuple);
        list "list" Some(Builtin::List);
        dict "dict" Some(Builtin::Dict);
        set "set" Some(Builtin::Set);
        frozenset "frozenset" Some(Builtin::FrozenSet);
        range "range" None;
        slice "slice" None;
        property "property" None;
        static_method "staticmethod" None;
        class_method "classmethod" None;
        super_ "super" None;
        none_type "NoneType" None;
        not_implemented_type "NotImplementedType" None;
        ellipsis_type "ellipsis" None;
        function "function" None;
        native_function "builtin_function_or_method" None;
        native_method "method_descriptor" None;
        method "method" None;
        module "module" None;
        generator "generator" None;
        traceback "traceback" None;
        code "code" None;
        frame "frame" None;
        cell "cell" None;
        mapping_proxy "mappingproxy" None;
        generic_alias "GenericAlias" None;
        union_type "UnionType" None;
        unknown "Unknown" None;
    }
    derived {
        bool "bool" int;
    }
    exceptions {
        base_exception "BaseException" object;
        exception "Exception" base_exception;
        generator_exit "GeneratorExit" base_exception;
        keyboard_interrupt "KeyboardInterrupt" base_exception;
        system_exit "SystemExit" base_exception;
        arithmetic_error "ArithmeticError" exception;
        floating_point_error "FloatingPointError" arithmetic_error;
        overflow_error "OverflowError" arithmetic_error;
        zero_division_error "ZeroDivisionError" arithmetic_error;
        assertion_error "AssertionError" exception;
        attribute_error "AttributeError" exception;
        buffer_error "BufferError" exception;
        eof_error "EOFError" exception;
        import_error "ImportError" exception;
        module_not_found_error "ModuleNotFoundError" import_error;
        lookup_error "LookupError" exception;
        index_error "IndexError" lookup_error;
        key_error "KeyError" lookup_error;
        memory_error "MemoryError" exception;
        name_error "NameError" exception;
        unbound_local_error "UnboundLocalError" name_error;
        os_error "OSError" exception;
        blocking_io_error "BlockingIOError" os_error;
        child_process_error "ChildProcessError" os_error;
        connection_error "ConnectionError" os_error;
        broken_pipe_error "BrokenPipeError" connection_error;
        file_exists_error "FileExistsError" os_error;
        file_not_found_error "FileNotFoundError" os_error;
        interrupted_error "InterruptedError" os_error;
        is_a_directory_error "IsADirectoryError" os_error;
        not_a_directory_error "NotADirectoryError" os_error;
        permission_error "PermissionError" os_error;
        process_lookup_error "ProcessLookupError" os_error;
        timeout_error "TimeoutError" os_error;
        reference_error "ReferenceError" exception;
        runtime_error "RuntimeError" exception;
        not_implemented_error "NotImplementedError" runtime_error;
        recursion_error "RecursionError" runtime_error;
        stop_async_iteration "StopAsyncIteration" exception;
        stop_iteration "StopIteration" exception;
        syntax_error "SyntaxError" exception;
        indentation_error "IndentationError" syntax_error;
        tab_error "TabError" indentation_error;
        system_error "SystemError" exception;
        type_error "TypeError" exception;
        value_error "ValueError" exception;
        unicode_error "UnicodeError" value_error;
        unicode_decode_error "UnicodeDecodeError" unicode_error;
        unicode_encode_error "UnicodeEncodeError" unicode_error;
        unicode_translate_error "UnicodeTranslateError" unicode_error;
        warning "Warning" exception;
        bytes_warning "BytesWarning" warning;
        deprecation_warning "DeprecationWarning" warning;
        encoding_warning "EncodingWarning" warning;
        future_warning "FutureWarning" warning;
        import_warning "ImportWarning" warning;
        pending_deprecation_warning "PendingDeprecationWarning" warning;
        resource_warning "ResourceWarning" warning;
        runtime_warning "RuntimeWarning" warning;
        syntax_warning "SyntaxWarning" warning;
        unicode_warning "UnicodeWarning" warning;
        user_warning "UserWarning" warning;
    }
}

/// Names of builtin classes that are not in the `builtins` namespace: they live in `types`, if anywhere.
pub(crate) const HIDDEN: &[&str] = &[
    "NoneType",
    "NotImplementedType",
    "ellipsis",
    "function",
    "builtin_function_or_method",
    "method_descriptor",
    "method",
    "module",
    "generator",
    "traceback",
    "code",
    "frame",
    "cell",
    "mappingproxy",
    "GenericAlias",
    "UnionType",
    "Unknown",
];

fn builtin_class(name: &'static str, bases: &[&Rc<Class>], layout: Option<Builtin>) -> Rc<Class> {
    let table = crate::classes::native::core_table(name)
        .or_else(|| builtins::CLASSES.iter().copied().find(|table| table.name == name));
    let mut class = plain(name, "builtins", bases);
    class.builtin = layout;
    if let Some(table) = table {
        class.doc = table.doc;
        class.construct = table.construct;
        class.instance_check = table.instance_check;
        fill(&mut class.namespace.borrow_mut(), table);
    }
    Rc::new(class)
}

fn exception_class(name: &'static str, base: &Rc<Class>) -> Rc<Class> {
    let mut class = plain(name, "builtins", &[base]);
    class.builtin = Some(Builtin::Exception);
    if let Some(table) = crate::classes::native::core_table(name) {
        class.doc = table.doc;
        class.construct = table.construct;
        fill(&mut class.namespace.borrow_mut(), table);
    }
    Rc::new(class)
}

/// A class with single inheritance and an empty namespace.
pub(crate) fn plain(name: &str, module: &str, bases: &[&Rc<Class>]) -> Class {
    let name = Name::from(name);
    let mut ancestors = Vec::new();
    for base in bases {
        ancestors.push(Rc::clone(base));
        ancestors.extend(base.ancestors.iter().cloned());
    }
    Class {
        qualified_name: name.clone(),
        name,
        module: Name::from(module),
        bases: bases.iter().map(|base| Rc::clone(base)).collect(),
        ancestors,
        namespace: RefCell::default(),
        construct: None,
        builtin: bases.iter().find_map(|base| base.builtin),
        instance_check: None,
        span: None,
        doc: "",
        metaclass: bases.iter().find_map(|base| base.metaclass.clone()),
        unknown_base: None,
    }
}

/// Puts the methods and properties of a native class into its namespace. A method whose first parameter is `cls` becomes
/// a class method, one whose first parameter is neither `self` nor `cls` a static method.
pub(crate) fn fill(namespace: &mut Namespace, table: &'static NativeClass) {
    for def in table.methods {
        let function = Value::Native(NativeFunction::method(def, table.module, table.name));
        namespace.insert(Name::from(def.name), bind_kind(def, function));
    }
    for def in table.properties {
        let getter = Value::Native(NativeFunction::method(def, table.module, table.name));
        let property = Property { getter, setter: Value::None, deleter: Value::None, doc: Value::str(def.doc) };
        namespace.insert(Name::from(def.name), Value::Property(Rc::new(property)));
    }
}

fn bind_kind(def: &NativeDef, function: Value) -> Value {
    let parameters = def.signature.split_once('(').map_or("", |(_, parameters)| parameters);
    let first = parameters.split([',', ')', '=', ':']).next().unwrap_or("").trim();
    match first {
        "self" => function,
        // `__new__` is called with its class written out, as in Python.
        "cls" if def.name == "__new__" => Value::StaticMethod(Rc::new(function)),
        "cls" => Value::ClassMethod(Rc::new(function)),
        _ => Value::StaticMethod(Rc::new(function)),
    }
}
