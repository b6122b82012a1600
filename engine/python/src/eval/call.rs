//! Calls: evaluating callee and arguments, and running what is called.

use crate::call::CallArgs;
use crate::exec::control::{Completion, Frame};
use crate::exec::env::{Closure, Env, Kind};
use crate::exec::replay::Replay;
use crate::function::{Body, Function, Scope};
use crate::generators::Generator;
use crate::interp::Interp;
use crate::native::NativeFunction;
use crate::raise::{PyResult, Stop, TraceEntry};
use crate::value::Value;
use pallas_syntax::ast::{Arg, Expr, ExprKind, Name, StmtKind};
use pallas_syntax::{Span, visit};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

impl Interp {
    pub(super) fn eval_call(&self, env: &Rc<Env>, expr: &Expr, function: &Expr, args: &[Arg]) -> PyResult<Value> {
        // `receiver.method(...)` finds the method without making a bound one.
        if let ExprKind::Attribute { value, name, .. } = &function.kind
            && env.replay.as_ref().is_none_or(|replay| !replay.active.get())
        {
            let receiver = self.eval(env, value)?;
            self.position.set(function.span);
            let (callee, receiver) = match self.method_of(&receiver, name)? {
                Some(found) => found,
                None => (self.get_attr(&receiver, name)?, None),
            };
            if self.observing.get() {
                let shown = match &receiver {
                    Some(receiver) => crate::attributes::bound(receiver, &callee),
                    None => callee.clone(),
                };
                self.observe(function.span, &shown);
            }
            let mut args = self.eval_arguments_of(env, args, &callee)?;
            if let Some(receiver) = receiver {
                args = args.with_receiver(receiver);
            }
            self.position.set(expr.span);
            return self.call(&callee, args);
        }
        let callee = self.eval(env, function)?;
        let args = self.eval_arguments_of(env, args, &callee)?;
        self.position.set(expr.span);
        self.call(&callee, args)
    }

    /// The arguments of a class statement.
    pub(crate) fn eval_arguments(&self, env: &Rc<Env>, args: &[Arg]) -> PyResult<CallArgs> {
        self.eval_arguments_of(env, args, &Value::None)
    }

    fn eval_arguments_of(&self, env: &Rc<Env>, args: &[Arg], callee: &Value) -> PyResult<CallArgs> {
        let mut call = CallArgs::default();
        for arg in args {
            match arg {
                Arg::Positional(value) => match &value.kind {
                    ExprKind::Starred(inner) => self.star_argument(env, value, inner, callee, &mut call)?,
                    // Behind so many that it is not known which one it is.
                    _ if call.unknown.positional.is_some() => drop(self.eval(env, value)?),
                    _ => call.positional.push(self.eval(env, value)?),
                },
                Arg::Star(value) => self.star_argument(env, value, value, callee, &mut call)?,
                Arg::Keyword(name, value, _) => {
                    let value = self.eval(env, value)?;
                    if call.keywords.iter().any(|(known, _)| known == name) {
                        return Err(self.repeated_keyword(callee, name));
                    }
                    call.keywords.push((name.clone(), value));
                }
                Arg::DoubleStar(value) => {
                    let mapping = self.eval(env, value)?;
                    self.position.set(value.span);
                    if mapping.is_unknown() {
                        call.unknown.keywords = Some(mapping);
                        continue;
                    }
                    let Some(items) = self.mapping_items(&mapping)? else {
                        return Err(self.type_error(format!(
                            "{}() argument after ** must be a mapping, not {}",
                            self.qualified_callable_name(callee),
                            self.type_name(&mapping)
                        )));
                    };
                    for (key, value) in items {
                        let Value::Str(key) = self.plain(&key) else {
                            return Err(self.type_error("keywords must be strings"));
                        };
                        let name = Name::from(&*key);
                        if call.keywords.iter().any(|(known, _)| *known == name) {
                            return Err(self.repeated_keyword(callee, &name));
                        }
                        call.keywords.push((name, value));
                    }
                }
            }
        }
        Ok(call)
    }

    fn star_argument(
        &self,
        env: &Rc<Env>,
        whole: &Expr,
        inner: &Expr,
        callee: &Value,
        call: &mut CallArgs,
    ) -> PyResult<()> {
        let iterable = self.eval(env, inner)?;
        if iterable.is_unknown() && binds_in_python(callee) {
            call.unknown.positional = Some(iterable);
            return Ok(());
        }
        // `Arg::Star` has no node of its own to keep the items at; the tail of the expression serves.
        let items = self.once(env, &whole.span, || {
            self.position.set(inner.span);
            match self.collect(&iterable) {
                Ok(items) => Ok(Value::tuple(items)),
                Err(stop)
                    if matches!(&*stop, Stop::Raise(raise)
                        if self.exception_message(&raise.exception).ends_with("object is not iterable")) =>
                {
                    Err(self.type_error(format!(
                        "{}() argument after * must be an iterable, not {}",
                        self.qualified_callable_name(callee),
                        self.type_name(&iterable)
                    )))
                }
                Err(stop) => Err(stop),
            }
        })?;
        if let Value::Tuple(items) = items {
            call.positional.extend(items.iter().cloned());
        }
        Ok(())
    }

    fn repeated_keyword(&self, callee: &Value, name: &str) -> Box<Stop> {
        self.type_error(format!(
            "{}() got multiple values for keyword argument '{name}'",
            self.qualified_callable_name(callee)
        ))
    }

    /// `__module__.__qualname__` as CPython names the callee in argument errors; builtins without their module.
    fn qualified_callable_name(&self, callee: &Value) -> String {
        match callee {
            Value::Function(function) => match &*function.module.name {
                "builtins" => function.qualified_name.to_string(),
                module => format!("{module}.{}", self.function_qualified_name(function)),
            },
            Value::BoundMethod(method) => self.qualified_callable_name(&method.function),
            Value::Native(native) => native.qualified_name(),
            Value::Class(class) => match &*class.module {
                "builtins" => class.qualified_name.to_string(),
                module => format!("{module}.{}", class.qualified_name),
            },
            other => format!("{} object", self.type_name(other)),
        }
    }

    /// `function(*args)`. TypeError where it is not callable or the arguments do not fit.
    pub fn call(&self, function: &Value, args: CallArgs) -> PyResult<Value> {
        match function {
            Value::Function(function) => self.call_python(function, args),
            Value::Native(native) => self.call_native(native, args),
            Value::BoundMethod(method) => self.call(&method.function, args.with_receiver(method.receiver.clone())),
            Value::Class(class) => {
                let unknown = if class.construct.is_some() { self.unknown_argument(&args) } else { None };
                let result = self.nested(|| self.instantiate(class, args));
                self.forgiving(unknown, result)
            }
            Value::StaticMethod(inner) => self.call(inner, args),
            Value::Unknown(_) => Ok(function.clone()),
            Value::Instance(instance) => {
                let class = Rc::clone(&instance.class.borrow());
                match class.lookup("__call__") {
                    Some(call @ (Value::Function(_) | Value::Native(_))) => {
                        self.nested(|| self.call(&call, args.with_receiver(function.clone())))
                    }
                    Some(call) => {
                        let call = self.bind_descriptor(&call, function, &class)?;
                        self.nested(|| self.call(&call, args))
                    }
                    None => Err(self.not_callable(function)),
                }
            }
            Value::Object(object) => {
                let unknown = self.unknown_argument(&args);
                let result = self.nested(|| {
                    // `Object::call` takes the arguments even where it then says that it is not callable.
                    if !object.is_callable() {
                        return match self.special_method(function, "__call__")? {
                            Some(call) => self.call(&call, args),
                            None => match object.call(function, args, self) {
                                Some(result) => result,
                                None => Err(self.not_callable(function)),
                            },
                        };
                    }
                    match object.call(function, args, self) {
                        Some(result) => result,
                        None => Err(self.not_callable(function)),
                    }
                });
                self.forgiving(unknown, result)
            }
            _ => Err(self.not_callable(function)),
        }
    }

    fn not_callable(&self, v: &Value) -> Box<Stop> {
        self.type_error(format!("'{}' object is not callable", self.type_name(v)))
    }

    /// A call with positional arguments.
    pub fn call_values(&self, function: &Value, args: impl IntoIterator<Item = Value>) -> PyResult<Value> {
        self.call(function, CallArgs::positional(args))
    }

    /// `receiver.name(*args)`
    pub fn call_method(&self, receiver: &Value, name: &str, args: impl IntoIterator<Item = Value>) -> PyResult<Value> {
        match self.method_of(receiver, name)? {
            Some((function, Some(receiver))) => self.call_values(&function, std::iter::once(receiver).chain(args)),
            Some((function, None)) => self.call_values(&function, args),
            None => {
                let method = self.get_attr(receiver, name)?;
                self.call_values(&method, args)
            }
        }
    }

    /// Natives run at the position of their call.
    fn call_native(&self, native: &Rc<NativeFunction>, mut args: CallArgs) -> PyResult<Value> {
        self.charge(1)?;
        // Methods of builtin types work on the value inside instances of users' subclasses.
        if let Some(first @ Value::Instance(_)) = args.positional.first()
            && crate::attributes::is_of_layout(&Value::Native(Rc::clone(native)))
        {
            args.positional[0] = self.plain(first);
        }
        let unknown = self.unknown_argument(&args);
        let position = self.position.get();
        self.enter()?;
        let result = native.signature().bind(self, native, args).and_then(|args| (native.def.run)(self, args));
        self.leave();
        // Where it fails, the error belongs to the call, whatever it evaluated on the way.
        self.position.set(position);
        match (result, unknown) {
            // A standard module that stumbles over an unknown value says nothing about the program.
            (Err(stop), Some(unknown)) if matches!(*stop, Stop::Raise(_)) && crate::library::is_standard(native) => {
                Ok(unknown)
            }
            (result, unknown) => self.forgiving(unknown, result),
        }
    }

    fn unknown_argument(&self, args: &CallArgs) -> Option<Value> {
        if self.is_analysis() { crate::library::unknown_argument(args) } else { None }
    }

    /// In analysis: what a native makes of arguments, one of which is unknown. That it does not take them says nothing about
    /// the program; what Python code raises that it calls, does.
    fn forgiving(&self, unknown: Option<Value>, result: PyResult<Value>) -> PyResult<Value> {
        let result = result.or_else(|stop| match stumbled_over(&stop) {
            Some(unknown) => Ok(unknown),
            None => Err(stop),
        });
        let Some(unknown) = unknown else { return result };
        let types = self.types();
        result.or_else(|stop| match &*stop {
            Stop::Raise(raise)
                if raise.traceback.is_empty()
                    && [&types.type_error, &types.value_error]
                        .iter()
                        .any(|class| self.exception_is(&raise.exception, class)) =>
            {
                Ok(unknown)
            }
            _ => Err(stop),
        })
    }

    fn call_python(&self, function: &Rc<Function>, args: CallArgs) -> PyResult<Value> {
        let names = self.bind_python(function, args)?;
        if self.observing.get() {
            self.note_entered(function.code.span());
            for param in function.code.params().iter() {
                if let Some(value) = names.get(&param.name) {
                    self.observe(param.span, value);
                }
            }
        }
        let is_generator = function.code.scope().is_generator;
        let env = Rc::new(Env {
            kind: Kind::Function,
            scope: Rc::new(Scope { names: RefCell::new(names), declared: Some(Rc::clone(&function.info.declared)) }),
            closure: Closure::Of(Rc::clone(function)),
            module: Rc::clone(&function.module),
            info: Rc::clone(&function.info),
            function: Some(Rc::clone(function)),
            parent: None,
            prefix: function.info.prefix(&function.qualified_name),
            methods: RefCell::default(),
            replay: is_generator.then(Box::<Replay>::default),
        });
        let name = function.info.name(&function.code);
        // Of arguments that are not known it is not known either how deep a function calls itself.
        if self.is_analysis()
            && self.frames.borrow().len() >= self.limits.recursion
            && env.scope.names.borrow().values().any(Value::is_unknown)
        {
            let reason = format!("how often `{name}` calls itself depends on what is not known");
            return Ok(Value::unknown(reason, Some(self.position.get())));
        }
        if let Some(body) = &function.info.lambda_body {
            let frame = Frame::new(env, name, body);
            return Ok(Generator::value(frame, Rc::from(self.function_qualified_name(function))));
        }
        match function.code.body() {
            Body::Expression(expr) => self.in_frame(&env, &name, || {
                self.eval(&env, expr).map_err(|mut stop| {
                    if let Stop::Raise(raise) = &mut *stop {
                        raise.traceback.push(TraceEntry { span: self.position.get(), function: Rc::clone(&name) });
                    }
                    stop
                })
            }),
            Body::Statements(body) => {
                let mut frame = Frame::new(Rc::clone(&env), Rc::clone(&name), body);
                if is_generator {
                    return Ok(Generator::value(frame, Rc::from(self.function_qualified_name(function))));
                }
                self.in_frame(&env, &name, || {
                    self.nested(|| match self.run_frame(&mut frame)? {
                        Completion::Return(value) | Completion::Yield(value) => Ok(value),
                    })
                })
            }
        }
    }

    /// Binds a call to the parameters of a function without running it: names and values in the order of declaration.
    /// TypeError in Python's words where it does not fit, or where `function` is nothing that can be bound.
    pub fn bind(&self, function: &Value, args: CallArgs) -> PyResult<Vec<(Name, Value)>> {
        match function {
            Value::Function(function) => {
                let names = self.bind_python(function, args)?;
                let params = function.code.params();
                Ok(params
                    .iter()
                    .filter_map(|param| Some((param.name.clone(), names.get(&param.name)?.clone())))
                    .collect())
            }
            Value::Native(native) => {
                let bound = native.signature().bind(self, native, args)?;
                let names = native.signature().parameters.iter().map(|parameter| parameter.name.clone());
                Ok(names.zip(bound.values().iter().cloned()).collect())
            }
            Value::BoundMethod(method) => {
                let mut bound = self.bind(&method.function, args.with_receiver(method.receiver.clone()))?;
                if !bound.is_empty() {
                    bound.remove(0);
                }
                Ok(bound)
            }
            Value::StaticMethod(inner) => self.bind(inner, args),
            _ => {
                if let Some((inner, args)) = self.unwrap_partial(function, &args)? {
                    return self.bind(&inner, args);
                }
                // What wraps a function (`jax.jit`) binds as the function does.
                if let Value::Object(_) = function
                    && let Some(wrapped) = self.find_attr(function, "__wrapped__")?
                {
                    return self.bind(&wrapped, args);
                }
                match self.special_method(function, "__call__")? {
                    Some(call) => self.bind(&call, args),
                    None => Err(self.not_callable(function)),
                }
            }
        }
    }

    /// For a `functools.partial`: the function inside, and the arguments with those of the partial in front.
    fn unwrap_partial(&self, v: &Value, args: &CallArgs) -> PyResult<Option<(Value, CallArgs)>> {
        if &*self.type_of(v).name != "partial" {
            return Ok(None);
        }
        let (Some(inner), Some(front), Some(keywords)) =
            (self.find_attr(v, "func")?, self.find_attr(v, "args")?, self.find_attr(v, "keywords")?)
        else {
            return Ok(None);
        };
        let mut all = self.call_args(&front, &keywords)?;
        all.positional.extend(args.positional.iter().cloned());
        for (name, value) in &args.keywords {
            match all.keywords.iter_mut().find(|(known, _)| known == name) {
                Some((_, old)) => *old = value.clone(),
                None => all.keywords.push((name.clone(), value.clone())),
            }
        }
        Ok(Some((inner, all)))
    }

    /// The Python function behind partials, bound methods and callable instances.
    pub fn underlying_function(&self, callable: &Value) -> Option<Rc<Function>> {
        let mut current = callable.clone();
        // Partials of partials end; a `__wrapped__` that names itself would not.
        for _ in 0..64 {
            current = match &current {
                Value::Function(function) => return Some(Rc::clone(function)),
                Value::BoundMethod(method) => method.function.clone(),
                Value::StaticMethod(inner) | Value::ClassMethod(inner) => (**inner).clone(),
                Value::Instance(instance) => instance.class.borrow().lookup("__call__")?,
                Value::Object(_) => {
                    let inner = self.find_attr(&current, "func").ok().flatten();
                    match inner {
                        Some(inner) => inner,
                        None => self.find_attr(&current, "__wrapped__").ok().flatten()?,
                    }
                }
                _ => return None,
            };
        }
        None
    }

    /// `__name__` of what is called in the end, for messages: partials and bound methods are looked through.
    pub fn callable_name(&self, callable: &Value) -> String {
        match callable {
            Value::Native(native) => native.def.name.to_owned(),
            Value::BoundMethod(method) => self.callable_name(&method.function),
            Value::Class(class) => class.name.to_string(),
            _ => {
                if let Ok(Some(Value::Str(name))) = self.find_attr(callable, "__name__") {
                    return name.to_string();
                }
                match self.underlying_function(callable) {
                    Some(function) => function.code.name().to_string(),
                    None => self.type_name(callable),
                }
            }
        }
    }

    /// The written arguments of the call at the current position: keyword name and span of each.
    pub fn argument_spans(&self) -> Option<Vec<(Option<Name>, Span)>> {
        // Calls are many and questions few, so nothing is noted at calls: the call is looked for in the tree of its file.
        let span = self.span();
        if let Some(body) = self.trees.borrow().get(&span.file)
            && let Some(args) = visit::call_at(body, span)
        {
            return Some(args.iter().map(|arg| spelt(arg, |inner| inner)).collect());
        }
        // Text that was evaluated without a tree that lasts (`eval`) is read again.
        let source = self.source(span.file)?;
        let text = source.slice(span);
        let piece = Arc::new(pallas_syntax::SourceFile::new(span.file, Arc::clone(&source.path), text));
        let tree = pallas_syntax::parse(piece);
        let StmtKind::Expr(Expr { kind: ExprKind::Call { args, .. }, .. }) = &tree.body.first()?.kind else {
            return None;
        };
        let moved =
            |inner: Span| Span { file: span.file, start: span.start + inner.start, end: span.start + inner.end };
        Some(args.iter().map(|arg| spelt(arg, moved)).collect())
    }
}

/// The keyword and the place of an argument as it is written.
fn spelt(arg: &Arg, place: impl FnOnce(Span) -> Span) -> (Option<Name>, Span) {
    match arg {
        Arg::Positional(value) | Arg::Star(value) | Arg::DoubleStar(value) => (None, place(value.span)),
        Arg::Keyword(name, value, _) => (Some(name.clone()), place(value.span)),
    }
}

/// Whether it is a function in Python that takes the arguments of a call.
pub(crate) fn binds_in_python(callee: &Value) -> bool {
    match callee {
        Value::Function(_) => true,
        // Keeps them for the function that it will call.
        Value::Class(class) if crate::library::is_partial(class) => true,
        Value::Object(_) if callee.downcast::<crate::library::Partial>().is_some() => true,
        Value::BoundMethod(method) => binds_in_python(&method.function),
        Value::Class(class) => {
            class.construct.is_none()
                && class.lookup("__new__").is_none()
                && matches!(class.lookup("__init__"), Some(Value::Function(_)))
        }
        _ => false,
    }
}

/// The unknown value that a native found inside of what it was given or has called, and did not take.
fn stumbled_over(stop: &Stop) -> Option<Value> {
    match stop {
        Stop::Raise(raise) => raise.diagnosis.as_ref()?.unknown.clone().map(Value::Unknown),
        _ => None,
    }
}
