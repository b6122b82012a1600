//! `TypeAliasType`: what `type X = ...` makes (PEP 695). Its value is computed when it is first asked for, so that an
//! alias may name itself or what comes later.

use super::alias::Alias;
use super::special::or_union;
use crate::class::{Class, Namespace, NativeClass};
use crate::interp::Interp;
use crate::library::support::{add_class, arguments, form};
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::{BinaryOp, Name};
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

type Compute = Box<dyn Fn(&Interp) -> PyResult<Value>>;

/// An alias of a type.
pub(crate) struct TypeAliasType {
    name: Name,
    parameters: Value,
    value: OnceCell<Value>,
    /// Taken while the value is computed: an alias cannot need its own value to be made.
    compute: RefCell<Option<Compute>>,
}

static CLASS: NativeClass = NativeClass {
    name: "TypeAliasType",
    module: "typing",
    doc: "TypeAliasType(name, value, *, type_params=()): an alias of a type, as `type` makes it.",
    methods: &[],
    properties: &[],
    construct: Some(|interp, _, args| {
        let form = const { &form("TypeAliasType", "(name, value, *, type_params=())") };
        let [name, value, parameters] = arguments(interp, form, args)?.take();
        let alias = TypeAliasType {
            name: Name::from(&*interp.to_str(&name)?),
            parameters: if parameters.is_unset() { Value::tuple([]) } else { parameters },
            value: OnceCell::from(value),
            compute: RefCell::default(),
        };
        Ok(Value::object(alias))
    }),
    instance_check: None,
};

pub(super) fn populate(interp: &Interp, names: &mut Namespace) {
    add_class(names, &interp.native_class(&CLASS));
}

impl TypeAliasType {
    /// An alias whose value is computed later.
    pub(crate) fn new(name: Name, parameters: Value, compute: impl Fn(&Interp) -> PyResult<Value> + 'static) -> Self {
        TypeAliasType { name, parameters, value: OnceCell::new(), compute: RefCell::new(Some(Box::new(compute))) }
    }

    /// `__value__`
    pub(crate) fn value(&self, interp: &Interp) -> PyResult<Value> {
        if let Some(value) = self.value.get() {
            return Ok(value.clone());
        }
        let Some(compute) = self.compute.borrow_mut().take() else {
            return Err(interp.error(
                &interp.types().name_error,
                format!("the value of the type alias '{}' needs itself to be computed", self.name),
            ));
        };
        let computed = compute(interp);
        *self.compute.borrow_mut() = Some(compute);
        let value = computed?;
        Ok(self.value.get_or_init(|| value).clone())
    }
}

impl Object for TypeAliasType {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn get_attr(&self, _: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        Ok(Some(match name {
            "__value__" => self.value(interp)?,
            "__name__" => Value::from(&*self.name),
            "__type_params__" | "__parameters__" => self.parameters.clone(),
            _ => return Ok(None),
        }))
    }

    fn get_item(&self, this: &Value, key: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        let generic = matches!(&self.parameters, Value::Tuple(parameters) if !parameters.is_empty());
        Some(if generic {
            let args = match key {
                Value::Tuple(items) => items.clone(),
                key => Rc::from([key.clone()]),
            };
            Ok(Value::object(Alias { base: this.clone(), args }))
        } else {
            Err(interp.type_error("Only generic type aliases are subscriptable"))
        })
    }

    fn binary(
        &self,
        this: &Value,
        op: BinaryOp,
        other: &Value,
        reflected: bool,
        interp: &Interp,
    ) -> PyResult<Option<Value>> {
        or_union(interp, this, op, other, reflected)
    }

    fn repr(&self, _: &Value, _: &Interp) -> PyResult<Option<String>> {
        Ok(Some(self.name.to_string()))
    }
}
