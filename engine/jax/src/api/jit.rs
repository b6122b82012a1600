//! `jax.jit`: functions traced once per combination of static arguments and argument types, then run as IR.
//! Inside an open trace a jitted function is traced in place.

use super::not_abstract::{self, not_abstract};
use crate::array::ArrayObject;
use crate::context::Context;
use crate::convert;
use crate::held::HeldRef;
use crate::held::threads::Threads;
use crate::pallas::call::PallasCall;
use crate::sharding::{self, Placement};
use crate::tile::Tile;
use crate::trace::{Trace, TraceKind};
use crate::tree::{self, TreeDef};
use pallas_ir::{Function, TensorType, Type};
use pallas_python::CallArgs;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::{Diagnosis, PyResult, Stop};
use pallas_python::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

/// A jitted function.
pub struct Jitted {
    pub(super) function: Value,
    static_numbers: Vec<i64>,
    static_names: Vec<Rc<str>>,
    cache: RefCell<Vec<Entry>>,
}

/// One trace.
struct Entry {
    key: Key,
    function: Rc<Function>,
    out: Rc<Outcome>,
}

/// What a traced function gives.
struct Outcome {
    tree: TreeDef,
    /// How results lie on devices.
    placed: Vec<Placed>,
}

/// How a result lies on devices.
struct Placed {
    /// Its number among the results.
    leaf: usize,
    sharding: Value,
    /// The axes along which devices hold something else; all of it is given behind the other results.
    differing: Option<Value>,
}

/// What decides whether a trace can be used again.
struct Key {
    tree: TreeDef,
    types: Vec<TensorType>,
    statics: Vec<Value>,
    x64: bool,
    /// What `pltpu.force_tpu_interpret_mode` says: launches are traced for it.
    forced: Option<pallas_ir::Interpretation>,
    /// Traces of another era are forgotten ([`JaxState::forget_traces`]).
    era: u64,
}

static CLASS: NativeClass = NativeClass {
    name: "PjitFunction",
    module: "jaxlib._jax",
    doc: "A function that is traced and compiled.",
    methods: &[
        crate::support::METHOD,
        NativeDef {
            name: "clear_cache",
            signature: "(self)",
            doc: "Forgets the traces made so far.",
            run: clear_cache,
        },
        NativeDef {
            name: "lower",
            signature: "(self, /, *args, **kwargs)",
            doc: "Prepares the function for arguments like these.",
            run: |interp, args| stage(interp, "lower", args),
        },
        NativeDef {
            name: "trace",
            signature: "(self, /, *args, **kwargs)",
            doc: "Traces the function for arguments like these.",
            run: |interp, args| stage(interp, "trace", args),
        },
        NativeDef {
            name: "eval_shape",
            signature: "(self, /, *args, **kwargs)",
            doc: "The types of what the function returns for arguments like these.",
            run: |interp, args| stage(interp, "eval_shape", args),
        },
        NativeDef { name: "_cache_size", signature: "(self)", doc: "How many traces are kept.", run: cache_size },
    ],
    properties: &[],
    construct: None,
    instance_check: None,
};

/// Rows of `jax`.
pub static FUNCTIONS: &[NativeDef] = &[NativeDef {
    name: "jit",
    signature: "(fun=None, /, *, in_shardings=None, out_shardings=None, static_argnums=None, static_argnames=None, \
                donate_argnums=None, donate_argnames=None, keep_unused=False, device=None, backend=None, inline=False, \
                abstracted_axes=None, compiler_options=None)",
    doc: "Traces a function to be compiled; Python runs once per combination of argument types.",
    run: jit,
}];

fn jit(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function, _, _, static_numbers, static_names, ..] = args.take::<13>();
    let static_numbers = match static_numbers.given() {
        None => Vec::new(),
        Some(Value::Int(n)) => vec![n.to_i64().unwrap_or(0)],
        Some(list) => interp.collect(&list)?.iter().map(|n| interp.to_i64(n)).collect::<PyResult<_>>()?,
    };
    let static_names = match static_names.given() {
        None => Vec::new(),
        Some(Value::Str(name)) => vec![name],
        Some(list) => interp.collect(&list)?.iter().map(|n| interp.to_str(n)).collect::<PyResult<_>>()?,
    };
    if function.is_none() || function.is_unset() {
        return Ok(Value::object(JitDecorator { static_numbers, static_names }));
    }
    if !interp.is_callable(&function) && !function.is_unknown() {
        let shown = interp.repr(&function)?;
        return Err(interp.type_error(format!("Expected a callable value, got {shown}")));
    }
    Ok(Value::object(Jitted { function, static_numbers, static_names, cache: RefCell::default() }))
}

/// `jax.jit(static_argnames=...)` waiting for its function.
struct JitDecorator {
    static_numbers: Vec<i64>,
    static_names: Vec<Rc<str>>,
}

impl Object for JitDecorator {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn call(&self, _this: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        Some(match args.positional.first() {
            Some(function) => Ok(Value::object(Jitted {
                function: function.clone(),
                static_numbers: self.static_numbers.clone(),
                static_names: self.static_names.clone(),
                cache: RefCell::default(),
            })),
            None => Err(interp.type_error("jit takes a function".to_string())),
        })
    }
}

impl Object for Jitted {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn get_attr(&self, _this: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        crate::transform::wrapped_attribute(interp, &self.function, name)
    }

    fn call(&self, _this: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        let cx = Context::jax(interp);
        if cx.state.jit_disabled.get() > 0 || self.function.is_unknown() {
            return Some(interp.call(&self.function, args));
        }
        if cx.innermost().is_some() {
            let _sealed = crate::transform::known::seal(&cx);
            return Some(interp.call(&self.function, args));
        }
        Some(self.run(&cx, args))
    }

    fn repr(&self, _this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(format!("<PjitFunction of {}>", interp.repr(&self.function)?)))
    }
}

/// A call split into what is traced and what is not.
#[derive(Clone)]
pub(super) struct Split {
    /// A tuple of what is traced.
    pub(super) dynamic: Value,
    statics: Vec<Value>,
    rebuild: Vec<Slot>,
}

/// Where an argument of the call comes from.
#[derive(Clone)]
enum Slot {
    Positional,
    StaticPositional(usize),
    Keyword(pallas_syntax::ast::Name),
    StaticKeyword(pallas_syntax::ast::Name, usize),
}

impl Split {
    /// Where a traced argument stands: the number of a positional one, or a keyword.
    pub(super) fn place(&self, argument: usize) -> Option<Result<usize, &str>> {
        let mut traced = 0;
        for (number, slot) in self.rebuild.iter().enumerate() {
            match slot {
                // Positional arguments come first.
                Slot::Positional if traced == argument => return Some(Ok(number)),
                Slot::Keyword(name) if traced == argument => return Some(Err(name)),
                Slot::Positional | Slot::Keyword(_) => traced += 1,
                Slot::StaticPositional(_) | Slot::StaticKeyword(..) => {}
            }
        }
        None
    }

    /// The call again, with other values for what is traced.
    pub(super) fn join(&self, dynamic: Vec<Value>) -> CallArgs {
        let mut dynamic = dynamic.into_iter();
        let mut args = CallArgs::default();
        for slot in &self.rebuild {
            match slot {
                Slot::Positional => args.positional.extend(dynamic.next()),
                Slot::StaticPositional(index) => args.positional.push(self.statics[*index].clone()),
                Slot::Keyword(name) => args.keywords.extend(dynamic.next().map(|v| (name.clone(), v))),
                Slot::StaticKeyword(name, index) => args.keywords.push((name.clone(), self.statics[*index].clone())),
            }
        }
        args
    }
}

impl Jitted {
    /// Any function as `jax.jit` without static arguments makes it.
    pub(super) fn plain(function: Value) -> Jitted {
        Jitted { function, static_numbers: Vec::new(), static_names: Vec::new(), cache: RefCell::default() }
    }

    fn run(&self, cx: &Context<'_>, args: CallArgs) -> PyResult<Value> {
        let interp = cx.interp;
        let split = self.split(cx, args)?;
        let (leaves, tree) = tree::flatten(interp, &split.dynamic, None)?;
        let mut tiles = Vec::with_capacity(leaves.len());
        let mut refs = Vec::with_capacity(leaves.len());
        for (number, leaf) in leaves.iter().enumerate() {
            let is_ref = leaf.downcast::<HeldRef>().is_some();
            refs.push(is_ref.then(|| leaf.clone()));
            match convert::try_tile(cx, leaf)? {
                Some(tile) => tiles.push(tile),
                None if is_ref => {}
                None if leaf.is_unknown() => return Ok(leaf.clone()),
                None => return Err(not_abstract(cx, &self.function, &split, number)),
            }
        }
        // Whatever Refs there are go in and come out: the function may read and write any of them.
        let threads = Threads::live(cx);
        tiles.extend(threads.tiles());
        let mut statics = split.statics.clone();
        statics.extend(threads.numbers());
        statics.extend(refs.iter().flatten().filter_map(|leaf| leaf.downcast::<HeldRef>()?.number()));
        let key = Key {
            tree,
            types: tiles.iter().map(Tile::ty).collect(),
            statics,
            x64: cx.x64(),
            forced: cx.state.forced_interpretation.get(),
            era: cx.state.era.get(),
        };
        if let Some(result) = self.cached(cx, &key, &tiles, &threads)? {
            return Ok(result);
        }
        let traced = self.trace(cx, &key, (&split, &tiles), &refs, &threads);
        threads.restore();
        let (function, out) = match traced? {
            Ok(traced) => traced,
            Err(unknown) => return Ok(unknown),
        };
        let function = Rc::new(function);
        let outputs = cx.run_function(&function, &tiles)?;
        let result = out.assemble(cx, outputs, &threads)?;
        self.cache.borrow_mut().push(Entry { key, function, out: Rc::new(out) });
        Ok(result)
    }

    fn cached(&self, cx: &Context<'_>, key: &Key, tiles: &[Tile], threads: &Threads) -> PyResult<Option<Value>> {
        let mut hit = None;
        for entry in self.cache.borrow().iter() {
            if entry.key.era == key.era
                && entry.key.types == key.types
                && entry.key.x64 == key.x64
                && entry.key.forced == key.forced
                && same_statics(cx, &entry.key, key)?
            {
                hit = Some((entry.function.clone(), entry.out.clone()));
                break;
            }
        }
        let Some((function, out)) = hit else { return Ok(None) };
        let outputs = cx.run_function(&function, tiles)?;
        out.assemble(cx, outputs, threads).map(Some)
    }

    /// Separates static arguments, by position, by name, and by the name of a positional parameter.
    pub(super) fn split(&self, cx: &Context<'_>, args: CallArgs) -> PyResult<Split> {
        let interp = cx.interp;
        let parameters: Vec<pallas_syntax::ast::Name> = interp
            .underlying_function(&self.function)
            .map(|f| {
                f.code
                    .params()
                    .positional_only
                    .iter()
                    .chain(&f.code.params().positional)
                    .map(|p| p.name.clone())
                    .collect()
            })
            .unwrap_or_default();
        let count = args.positional.len() as i64;
        let number_is_static = |position: usize| {
            self.static_numbers.iter().any(|&n| if n < 0 { n + count == position as i64 } else { n == position as i64 })
                || parameters.get(position).is_some_and(|name| self.static_names.iter().any(|s| **s == **name))
        };
        let name_is_static = |name: &str| {
            self.static_names.iter().any(|s| **s == *name)
                || parameters
                    .iter()
                    .position(|p| **p == *name)
                    .is_some_and(|i| self.static_numbers.contains(&(i as i64)))
        };
        let mut dynamic = Vec::new();
        let mut statics = Vec::new();
        let mut rebuild = Vec::new();
        for (position, value) in args.positional.into_iter().enumerate() {
            if number_is_static(position) {
                rebuild.push(Slot::StaticPositional(statics.len()));
                statics.push(value);
            } else {
                rebuild.push(Slot::Positional);
                dynamic.push(value);
            }
        }
        for (name, value) in args.keywords {
            if name_is_static(&name) {
                rebuild.push(Slot::StaticKeyword(name, statics.len()));
                statics.push(value);
            } else {
                rebuild.push(Slot::Keyword(name));
                dynamic.push(value);
            }
        }
        for value in &statics {
            if let Err(stop) = interp.hash(value) {
                let Stop::Raise(raise) = &*stop else { return Err(stop) };
                let class = interp.repr(&Value::Class(interp.type_of(value)))?;
                return Err(interp.value_error(format!(
                    "Non-hashable static arguments are not supported. An error occurred while trying to hash an object of type \
                     {class}, {}. The error was:\n{}\n",
                    interp.str(value)?,
                    interp.exception_line(&raise.exception)
                )));
            }
        }
        Ok(Split { dynamic: Value::tuple(dynamic), statics, rebuild })
    }

    /// `refs` are the arguments that are Refs, at the places of their leaves. In analysis a function may give what is not
    /// known: then nothing is known of the call, and the inner error is that value.
    fn trace(
        &self,
        cx: &Context<'_>,
        key: &Key,
        (split, given): (&Split, &[Tile]),
        refs: &[Option<Value>],
        threads: &Threads,
    ) -> PyResult<Result<(Function, Outcome), Value>> {
        let interp = cx.interp;
        let name = interp.callable_name(&self.function);
        let origin = format!("{} for jit", crate::pallas::launch::origin_of(cx, &self.function));
        let trace = Trace::new(cx, TraceKind::Jit, &name, origin, None);
        let mut params = key
            .types
            .iter()
            .filter_map(|ty| trace.tile(trace.param(Type::Tensor(ty.clone()), None)))
            .collect::<Vec<_>>();
        if interp.is_analysis() {
            trace.note_arguments(&params, given);
        }
        let arrays: Vec<usize> = (0..refs.len()).filter(|&leaf| refs[leaf].is_none()).collect();
        trace.name_arguments(not_abstract::names(&self.function, split, arrays));
        let held = params.split_off(params.len() - threads.len());
        let mut params = params.into_iter();
        let mut arguments = refs.iter().map(|leaf| match leaf {
            Some(leaf) => leaf.clone(),
            None => params.next().map_or(Value::None, |tile| Value::object(ArrayObject { tile })),
        });
        let args = split.join(interp.collect(&tree::unflatten(interp, &key.tree, &mut arguments)?)?);
        let traced = trace.within(cx, || {
            threads.set(held);
            let result = interp.call(&self.function, args)?;
            let (leaves, out_tree) = tree::flatten(interp, &result, None)?;
            let mut yields = Vec::new();
            for leaf in &leaves {
                let Some(tile) = convert::try_tile(cx, leaf)? else {
                    if leaf.is_unknown() {
                        return Ok(Err(leaf.clone()));
                    }
                    if let Some(reference) = leaf.downcast::<HeldRef>() {
                        let ty = crate::held::text(&reference.read(cx)?);
                        return Err(interp.value_error(format!(
                            "function {} traced for jit returned a mutable array reference of type {ty}, but mutable array \
                             references cannot be returned.",
                            trace.origin.trim_end_matches(" for jit")
                        )));
                    }
                    let class = interp.repr(&Value::Class(interp.type_of(leaf)))?;
                    let text = format!(
                        "function {} traced for jit returned a value of type {class}, which is not a valid JAX type",
                        trace.origin.trim_end_matches(" for jit")
                    );
                    if leaf.downcast::<PallasCall>().is_none() {
                        return Err(interp.type_error(text));
                    }
                    let diagnosis = Diagnosis {
                        help: Some("a launch is called with its arrays: `pl.pallas_call(...)(x)`".to_string()),
                        ..Diagnosis::default()
                    };
                    return Err(interp.error_with(&interp.types().type_error, text, diagnosis));
                };
                yields.push(cx.value_in(&trace, &tile)?);
            }
            let leaves = yields.iter().enumerate();
            let known: Vec<_> = leaves.filter_map(|(leaf, id)| Some((leaf, trace.placement(*id)?))).collect();
            for tile in threads.now() {
                yields.push(cx.value_in(&trace, &tile)?);
            }
            let mut placed = Vec::with_capacity(known.len());
            for (leaf, Placement { sharding, copies }) in known {
                let mut differing = None;
                if let Some((tile, axes)) = copies {
                    yields.push(cx.value_in(&trace, &tile)?);
                    differing = Some(axes);
                }
                placed.push(Placed { leaf, sharding, differing });
            }
            Ok(Ok((yields, Outcome { tree: out_tree, placed })))
        })?;
        Ok(traced.map(|(yields, out)| (trace.finish(yields), out)))
    }
}

fn same_statics(cx: &Context<'_>, a: &Key, b: &Key) -> PyResult<bool> {
    if a.statics.len() != b.statics.len() || !a.tree.same(&b.tree, cx.interp)? {
        return Ok(false);
    }
    for (x, y) in a.statics.iter().zip(&b.statics) {
        if !cx.interp.equals(x, y)? {
            return Ok(false);
        }
    }
    Ok(true)
}

impl Outcome {
    /// The results as the function gives them.
    fn assemble(&self, cx: &Context<'_>, mut tiles: Vec<Tile>, threads: &Threads) -> PyResult<Value> {
        let copied = self.placed.iter().filter(|placed| placed.differing.is_some()).count();
        let mut copies = tiles.split_off(tiles.len().saturating_sub(copied)).into_iter();
        let tiles = threads.take_from(tiles);
        let leaves: Vec<Value> = tiles.into_iter().map(|tile| Value::object(ArrayObject { tile })).collect();
        for placed in &self.placed {
            let copies = placed.differing.clone().and_then(|axes| Some((copies.next()?, axes)));
            if let Some(leaf) = leaves.get(placed.leaf) {
                sharding::remember(cx.interp, leaf, Placement { sharding: placed.sharding.clone(), copies });
            }
        }
        tree::unflatten(cx.interp, &self.tree, &mut leaves.into_iter())
    }
}

/// Hands a call over to `written/stages.py`, with what is static in it.
fn stage(interp: &Interp, function: &str, args: Arguments) -> PyResult<Value> {
    let [this, positional, named] = args.take();
    let Some(jitted) = this.downcast::<Jitted>() else { return Err(interp.type_error("expected a jitted function")) };
    let numbers = Value::tuple(jitted.static_numbers.iter().map(|&number| Value::from(number)));
    let names = Value::tuple(jitted.static_names.iter().map(|name| Value::Str(name.clone())));
    let function = interp.get_attr(&interp.import("jax._src.stages")?, function)?;
    let statics = Value::tuple([numbers, names]);
    interp.call_values(&function, [this.clone(), positional, named, statics])
}

fn clear_cache(_interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    if let Some(jitted) = this.downcast::<Jitted>() {
        jitted.cache.borrow_mut().clear();
    }
    Ok(Value::None)
}

fn cache_size(_interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    Ok(Value::from(this.downcast::<Jitted>().map_or(0, |jitted| jitted.cache.borrow().len())))
}
