//! `functools.lru_cache`, `cache` and `cached_property`.

use super::super::support::{arguments, callable, dict, form, row};
use super::wrap::copy_metadata;
use crate::call::CallArgs;
use crate::class::{Class, Namespace, NativeClass};
use crate::dict::Dict;
use crate::interp::Interp;
use crate::library::support::callable as functions;
use crate::native::Arguments;
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

static WRAPPER: NativeClass = NativeClass {
    name: "_lru_cache_wrapper",
    module: "functools",
    doc: "A function with a cache.",
    methods: &[
        row("__get__", "(self, instance, owner=None, /)", "Binds to an instance.", functions::get),
        row("cache_info", "(self, /)", "Hits, misses, maxsize and currsize of the cache.", cache_info),
        row("cache_clear", "(self, /)", "Empties the cache and its statistics.", cache_clear),
        row("cache_parameters", "(self, /)", "maxsize and typed of the cache.", cache_parameters),
    ],
    properties: &[],
    construct: None,
    instance_check: None,
};

struct LruCache {
    function: Value,
    /// `None` for no bound.
    maxsize: Option<usize>,
    typed: bool,
    /// From the key of a call to its result, the least recently used first.
    results: RefCell<Dict>,
    hits: Cell<usize>,
    misses: Cell<usize>,
    fields: RefCell<Namespace>,
}

pub(super) fn lru_cache(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [maxsize, typed] = args.take();
    let typed = interp.truth(&typed)?;
    let maxsize = match maxsize {
        Value::None => None,
        Value::Int(size) => Some(usize::try_from(size.to_i64().unwrap_or(i64::MAX)).unwrap_or(0)),
        Value::Bool(size) => Some(usize::from(size)),
        // `@lru_cache` without parentheses.
        function if interp.is_callable(&function) => return make(interp, function, Some(128), typed),
        function @ Value::Unknown(_) => return Ok(function),
        _ => return Err(interp.type_error("Expected first argument to be an integer, a callable, or None")),
    };
    Ok(callable("decorating_function", move |interp, args| {
        let [function] = arguments(interp, const { &form("decorating_function", "(user_function)") }, args)?.take();
        make(interp, function, maxsize, typed)
    }))
}

pub(super) fn cache(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function] = args.take();
    make(interp, function, None, false)
}

fn make(interp: &Interp, function: Value, maxsize: Option<usize>, typed: bool) -> PyResult<Value> {
    let wrapper = Value::object(LruCache {
        function: function.clone(),
        maxsize,
        typed,
        results: RefCell::default(),
        hits: Cell::new(0),
        misses: Cell::new(0),
        fields: RefCell::default(),
    });
    copy_metadata(interp, &wrapper, &function)?;
    Ok(wrapper)
}

impl LruCache {
    /// Positional values, then a mark and the keywords, then the types if `typed`, as `functools._make_key` does it.
    fn key(&self, interp: &Interp, args: &CallArgs) -> Value {
        // One integer or text is its own key, so that `f(1)` and `f(1.0)` are different calls.
        if let ([only @ (Value::Int(_) | Value::Str(_))], true, false) =
            (args.positional.as_slice(), args.keywords.is_empty(), self.typed)
        {
            return only.clone();
        }
        let mut key: Vec<Value> = args.positional.to_vec();
        if !args.keywords.is_empty() {
            key.push(Value::Ellipsis);
            for (name, value) in &args.keywords {
                key.push(Value::name(name));
                key.push(value.clone());
            }
        }
        if self.typed {
            let types = args.positional.iter().chain(args.keywords.iter().map(|(_, value)| value));
            key.extend(types.map(|value| Value::Class(interp.type_of(value))).collect::<Vec<_>>());
        }
        Value::tuple(key)
    }
}

impl Object for LruCache {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&WRAPPER)
    }

    fn get_attr(&self, _: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        if name == "__dict__" {
            return Ok(Some(interp.dict_of(self.fields.borrow().iter().map(|(k, v)| (k, v.clone())))));
        }
        Ok(self.fields.borrow().get(name).cloned())
    }

    fn set_attr(&self, name: &str, value: Value, _: &Interp) -> PyResult<bool> {
        self.fields.borrow_mut().insert(name.into(), value);
        Ok(true)
    }

    fn call(&self, _: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        Some(self.look_up(args, interp))
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn repr(&self, this: &Value, _: &Interp) -> PyResult<Option<String>> {
        let address = super::super::support::address(this);
        Ok(Some(format!("<functools._lru_cache_wrapper object at 0x{address:x}>")))
    }
}

impl LruCache {
    fn look_up(&self, args: CallArgs, interp: &Interp) -> PyResult<Value> {
        // Nothing is remembered about values that are not known.
        if args.positional.iter().any(Value::is_unknown) || self.maxsize == Some(0) {
            self.misses.set(self.misses.get() + 1);
            return interp.call(&self.function, args);
        }
        let key = self.key(interp, &args);
        if let Some(found) = interp.dict_get(&self.results, &key)? {
            self.hits.set(self.hits.get() + 1);
            if self.maxsize.is_some() {
                interp.dict_remove(&self.results, &key)?;
                interp.dict_set(&self.results, key, found.clone())?;
            }
            return Ok(found);
        }
        self.misses.set(self.misses.get() + 1);
        let result = interp.call(&self.function, args)?;
        interp.dict_set(&self.results, key, result.clone())?;
        if let Some(maxsize) = self.maxsize
            && self.results.borrow().len() > maxsize
        {
            let oldest = self.results.borrow().keys().next().cloned();
            if let Some(oldest) = oldest {
                interp.dict_remove(&self.results, &oldest)?;
            }
        }
        Ok(result)
    }
}

fn cache_info(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    let Some(cache) = this.downcast::<LruCache>() else { return Ok(Value::None) };
    let class = super::super::collections::namedtuple::cached_class(
        interp,
        "CacheInfo",
        "functools",
        &["hits", "misses", "maxsize", "currsize"],
    );
    Ok(super::super::support::classes::instance(
        &class,
        Value::tuple([
            cache.hits.get().into(),
            cache.misses.get().into(),
            cache.maxsize.map_or(Value::None, Value::from),
            cache.results.borrow().len().into(),
        ]),
    ))
}

fn cache_clear(_: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    if let Some(cache) = this.downcast::<LruCache>() {
        let old = cache.results.take();
        cache.hits.set(0);
        cache.misses.set(0);
        drop(old);
    }
    Ok(Value::None)
}

fn cache_parameters(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    let Some(cache) = this.downcast::<LruCache>() else { return Ok(dict()) };
    Ok(interp
        .dict_of([("maxsize", cache.maxsize.map_or(Value::None, Value::from)), ("typed", Value::Bool(cache.typed))]))
}

pub(super) static CACHED_PROPERTY: NativeClass = NativeClass {
    name: "cached_property",
    module: "functools",
    doc: "cached_property(func): a property computed once per instance and kept in its __dict__.",
    methods: &[
        row("__set_name__", "(self, owner, name, /)", "Remembers the name under which it is kept.", set_name),
        row("__get__", "(self, instance, owner=None, /)", "The value, computed the first time.", get_property),
    ],
    properties: &[],
    construct: Some(|interp, _, args| {
        let [function] = arguments(interp, const { &form("__init__", "(func)") }, args)?.take();
        Ok(Value::object(CachedProperty { function, name: RefCell::new(None) }))
    }),
    instance_check: None,
};

struct CachedProperty {
    function: Value,
    name: RefCell<Option<Rc<str>>>,
}

impl Object for CachedProperty {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CACHED_PROPERTY)
    }

    fn get_attr(&self, _: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        match name {
            "func" => Ok(Some(self.function.clone())),
            "attrname" => Ok(Some(self.name.borrow().clone().map_or(Value::None, Value::Str))),
            "__doc__" => interp.find_attr(&self.function, "__doc__"),
            _ => Ok(None),
        }
    }
}

fn set_name(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, _, name] = args.take();
    let name = interp.to_str(&name)?;
    if let Some(property) = this.downcast::<CachedProperty>() {
        let first = property.name.borrow().clone();
        match first {
            None => *property.name.borrow_mut() = Some(name),
            Some(first) if first != name => {
                return Err(interp.type_error(format!(
                    "Cannot assign the same cached_property to two different names ({} and {}).",
                    interp.repr(&Value::Str(first))?,
                    interp.repr(&Value::Str(name))?
                )));
            }
            Some(_) => {}
        }
    }
    Ok(Value::None)
}

fn get_property(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, instance, _] = args.take();
    let Some(property) = this.downcast::<CachedProperty>() else { return Ok(Value::NotImplemented) };
    if instance.is_none() {
        return Ok(this);
    }
    let Some(name) = property.name.borrow().clone() else {
        return Err(interp.type_error("Cannot use cached_property instance without calling __set_name__ on it."));
    };
    let Value::Instance(receiver) = &instance else {
        return interp.call_values(&property.function, [instance.clone()]);
    };
    let name = pallas_syntax::ast::Name::from(&*name);
    let known = receiver.fields.borrow().get(&*name).cloned();
    if let Some(value) = known {
        return Ok(value);
    }
    let value = interp.call_values(&property.function, [instance.clone()])?;
    receiver.fields.borrow_mut().insert(name, value.clone());
    Ok(value)
}
