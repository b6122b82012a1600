//! Keys of paths into pytrees: `SequenceKey`, `DictKey`, `GetAttrKey`, `FlattenedIndexKey`, and how paths print.

use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::CompareOp;
use std::rc::Rc;

/// The kinds of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyKind {
    /// `[0]` of a list or tuple.
    Sequence,
    /// `['a']` of a dict.
    Dict,
    /// `.a` of a namedtuple or dataclass.
    Attribute,
    /// The position among the children of a class that names none.
    FlatIndex,
}

/// A key.
pub(super) struct KeyObject {
    /// Its kind.
    pub kind: KeyKind,
    /// The index, key or name.
    pub key: Value,
}

macro_rules! key_classes {
    ($($table:ident $def:ident $kind:ident $name:literal $signature:literal $attribute:literal)*) => {
        $(
            static $def: NativeDef = NativeDef {
                name: $name,
                signature: $signature,
                doc: "A step of a path into a pytree.",
                run: |_interp, args: Arguments| Ok(KeyObject::value(KeyKind::$kind, args.get(0).clone())),
            };
            static $table: NativeClass = NativeClass {
                name: $name,
                module: "jax.tree_util",
                doc: "A step of a path into a pytree.",
                methods: &[],
                properties: &[],
                construct: Some(|interp, _class, args| {
                    let args = crate::support::bind(interp, &$def, args)?;
                    ($def.run)(interp, args)
                }),
                instance_check: None,
            };
        )*
        /// Every kind with its class and the name of its attribute.
        static KINDS: &[(KeyKind, &NativeClass, &str)] = &[$((KeyKind::$kind, &$table, $attribute)),*];
    };
}

key_classes! {
    SEQUENCE SEQUENCE_DEF Sequence "SequenceKey" "(idx)" "idx"
    DICT DICT_DEF Dict "DictKey" "(key)" "key"
    ATTRIBUTE ATTRIBUTE_DEF Attribute "GetAttrKey" "(name)" "name"
    FLAT_INDEX FLAT_INDEX_DEF FlatIndex "FlattenedIndexKey" "(key)" "key"
}

/// The classes, for the namespace of `jax.tree_util`.
pub fn classes(interp: &Interp) -> Vec<(&'static str, Value)> {
    KINDS.iter().map(|(_, table, _)| (table.name, Value::Class(interp.native_class(table)))).collect()
}

impl KeyObject {
    /// A key as a value.
    pub(super) fn value(kind: KeyKind, key: Value) -> Value {
        Value::object(KeyObject { kind, key })
    }

    fn table(&self) -> (&'static NativeClass, &'static str) {
        KINDS
            .iter()
            .find(|(kind, ..)| *kind == self.kind)
            .map_or((&SEQUENCE, "idx"), |(_, table, attribute)| (*table, *attribute))
    }

    fn text(&self, interp: &Interp) -> PyResult<String> {
        Ok(match self.kind {
            KeyKind::Sequence | KeyKind::Dict => format!("[{}]", interp.repr(&self.key)?),
            KeyKind::Attribute => format!(".{}", interp.str(&self.key)?),
            KeyKind::FlatIndex => format!("[<flat index {}>]", interp.str(&self.key)?),
        })
    }
}

/// `keystr`: the keys one after the other, or their bare values with a separator.
pub fn key_string(interp: &Interp, path: &[Value], simple: bool, separator: &str) -> PyResult<String> {
    let parts = path
        .iter()
        .map(|key| match key.downcast::<KeyObject>() {
            Some(object) if simple => interp.str(&object.key),
            _ => interp.str(key),
        })
        .collect::<PyResult<Vec<_>>>()?;
    Ok(parts.join(separator))
}

impl Object for KeyObject {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(self.table().0)
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok((name == self.table().1).then(|| self.key.clone()))
    }

    fn attribute_names(&self) -> Vec<&'static str> {
        vec![self.table().1]
    }

    fn compare(&self, _this: &Value, op: CompareOp, other: &Value, interp: &Interp) -> PyResult<Option<Value>> {
        let Some(other) = other.downcast::<KeyObject>() else { return Ok(None) };
        let equal = self.kind == other.kind && interp.equals(&self.key, &other.key)?;
        Ok(match op {
            CompareOp::Eq => Some(Value::Bool(equal)),
            CompareOp::NotEq => Some(Value::Bool(!equal)),
            _ => None,
        })
    }

    fn hash(&self, _this: &Value, interp: &Interp) -> Option<PyResult<u64>> {
        Some(interp.hash(&self.key).map(|hash| hash.wrapping_mul(4).wrapping_add(self.kind as u64)))
    }

    fn repr(&self, _this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        let (table, attribute) = self.table();
        Ok(Some(format!("{}({attribute}={})", table.name, interp.repr(&self.key)?)))
    }

    fn str(&self, _this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        self.text(interp).map(Some)
    }
}
