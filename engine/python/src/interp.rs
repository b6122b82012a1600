//! The interpreter: what every operation needs to know, behind `&self`. Holds state and says where evaluation stands;
//! what operations do is in `eval`, `exec`, `attributes`, `operators`, `classes`, `imports`.

use crate::bounds::{Limits, STEPS_PER_POLL};
use crate::class::{Class, NativeClass};
use crate::exec::cells::Cells;
use crate::exec::env::Env;
use crate::host::Host;
use crate::module::{Module, ModuleDef};
use crate::native::NativeFunction;
use crate::raise::{Abort, PyResult, Raise, Stop, TraceEntry};
use crate::types::Types;
use crate::value::Value;
use pallas_syntax::ast::{Name, Stmt};
use pallas_syntax::{FileId, SourceFile, Span};
use std::any::{Any, TypeId};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::{Rc, Weak};
use std::sync::Arc;

/// What evaluation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Does what Python does.
    Run,
    /// Finds out about values without effects: unknown values spread, broken statements are skipped.
    Analysis,
}

/// A comparison that did not hold: where it stands, and both sides.
pub(crate) type FailedComparison = (Span, Value, pallas_syntax::ast::CompareOp, Value);

/// How a program ended.
pub enum Outcome {
    /// It came to its end.
    Finished,
    /// `sys.exit`: the status, and what Python prints to standard error for it.
    Exit(i32, Option<String>),
    /// An exception that nobody caught.
    Raised(Raise),
    /// A limit of the evaluator.
    Aborted(Abort),
}

/// Sees values as expressions are evaluated: what hovers and hints are made from.
pub trait Observer {
    /// `value` came out of the expression, assignment target or parameter at `span`.
    fn expression(&self, span: Span, value: &Value, interp: &Interp);

    /// Whether it also wants to see expressions of installed packages.
    fn follows_packages(&self) -> bool {
        false
    }

    /// An exception ended a top-level statement in analysis.
    fn raised(&self, stop: &Stop, interp: &Interp);
}

/// Who knows what a top-level statement of the program does, and need not see it run.
pub trait Statements {
    /// The statement of this number is next. Whether all that it does has been done.
    fn begin(&self, number: usize, interp: &Interp) -> bool;

    /// It has run, if it was not known; to its end, or not.
    fn end(&self, number: usize, is_done: bool, interp: &Interp);
}

/// A program's statements, and who knows them.
struct KnownStatements {
    body: Arc<[Stmt]>,
    known: Rc<dyn Statements>,
}

/// One running Python frame.
pub(crate) struct FrameRecord {
    /// `<module>`, or the function's name.
    pub(crate) name: Rc<str>,
    /// Where the frame stood when it called the next one.
    pub(crate) position: Span,
    /// Its names.
    pub(crate) env: Rc<Env>,
}

/// The evaluator of one program. Belongs to one thread, which should have a stack of 1 GiB.
pub struct Interp {
    pub(crate) host: Rc<dyn Host>,
    pub(crate) mode: Mode,
    pub(crate) limits: Limits,
    pub(crate) types: Types,
    pub(crate) registered: RefCell<HashMap<&'static str, &'static ModuleDef>>,
    pub(crate) embedded: RefCell<HashMap<&'static str, &'static crate::embedded::EmbeddedModule>>,
    pub(crate) deferred: RefCell<Vec<&'static crate::embedded::DeferredName>>,
    /// The native modules that were imported so far, in order.
    pub(crate) native_imports: RefCell<Vec<&'static str>>,
    /// `sys.modules`
    pub(crate) modules: RefCell<HashMap<Name, Value>>,
    pub(crate) builtins: Rc<Module>,
    sources: RefCell<BTreeMap<FileId, Arc<SourceFile>>>,
    /// The statements of the files that were run, by file or piece of one.
    pub(crate) trees: RefCell<HashMap<FileId, Arc<[Stmt]>>>,
    /// Files with `from __future__ import annotations`.
    pub(crate) lazy_annotations: RefCell<HashSet<FileId>>,
    /// Import statements whose failure the program catches; filled in analysis.
    pub(crate) guarded_imports: RefCell<HashSet<Span>>,
    /// Where modules come from, and what importing them may take.
    pub(crate) imports: crate::imports::ImportState,
    extensions: RefCell<HashMap<TypeId, Rc<dyn Any>>>,
    pub(crate) frames: RefCell<Vec<FrameRecord>>,
    pub(crate) position: Cell<Span>,
    pub(crate) fuel: Cell<u64>,
    pub(crate) until_poll: Cell<u32>,
    pub(crate) bytes: Cell<u128>,
    pub(crate) depth: Cell<usize>,
    pub(crate) observing: Cell<bool>,
    pub(crate) observer: RefCell<Option<Rc<dyn Observer>>>,
    /// Who knows top-level statements of the program.
    statements: RefCell<Option<KnownStatements>>,
    /// What the cells of the program show, if it is a notebook.
    pub(crate) cells: RefCell<Option<Rc<Cells>>>,
    /// The functions that were called so far, by the place of their definition; filled in analysis.
    entered: RefCell<HashSet<Span>>,
    pub(crate) native_classes: RefCell<HashMap<usize, Rc<Class>>>,
    pub(crate) exception_classes: RefCell<HashMap<String, Rc<Class>>>,
    /// Exceptions whose handlers are running, innermost last: `__context__` of new ones, and what a bare `raise` raises.
    pub(crate) handled: RefCell<Vec<Value>>,
    /// Whether failed assertions say what they have compared, and the last comparison that did not hold.
    pub(crate) explains_assertions: Cell<bool>,
    pub(crate) failed_comparison: RefCell<Option<FailedComparison>>,
    /// Whether something unknown was taken to be another object than something else (`x is None`), since this was reset: a
    /// guess that leads to more of a program, and proves nothing.
    pub(crate) guessed_identity: std::cell::Cell<bool>,
    /// Scopes and classes, to be emptied at the end: closures and methods refer back to them.
    pub(crate) scopes: RefCell<Vec<Weak<crate::function::Scope>>>,
    pub(crate) classes: RefCell<Vec<Weak<Class>>>,
    pub(crate) codes: RefCell<HashMap<usize, Rc<crate::exec::code::CodeInfo>>>,
    this: Weak<Interp>,
}

impl Interp {
    /// An interpreter with the builtin and standard modules.
    pub fn new(host: Rc<dyn Host>, mode: Mode, limits: Limits) -> Rc<Interp> {
        let interp = Rc::new_cyclic(|this| Interp {
            host,
            mode,
            fuel: Cell::new(limits.fuel.unwrap_or(u64::MAX)),
            types: Types::new(),
            registered: RefCell::default(),
            embedded: RefCell::default(),
            deferred: RefCell::default(),
            native_imports: RefCell::default(),
            modules: RefCell::default(),
            builtins: Rc::new(Module { name: Name::from("builtins"), path: None, namespace: RefCell::default() }),
            sources: RefCell::default(),
            trees: RefCell::default(),
            lazy_annotations: RefCell::default(),
            guarded_imports: RefCell::default(),
            imports: crate::imports::ImportState::new(limits.fuel),
            limits,
            extensions: RefCell::default(),
            frames: RefCell::default(),
            position: Cell::default(),
            until_poll: Cell::new(STEPS_PER_POLL),
            bytes: Cell::new(0),
            depth: Cell::new(0),
            observing: Cell::new(false),
            observer: RefCell::default(),
            statements: RefCell::default(),
            cells: RefCell::default(),
            entered: RefCell::default(),
            native_classes: RefCell::default(),
            exception_classes: RefCell::default(),
            handled: RefCell::default(),
            explains_assertions: Cell::new(false),
            failed_comparison: RefCell::default(),
            guessed_identity: std::cell::Cell::default(),
            scopes: RefCell::default(),
            classes: RefCell::default(),
            codes: RefCell::default(),
            this: this.clone(),
        });
        interp.populate_builtins();
        crate::library::register(&interp);
        interp.register_embedded(crate::testing::MODULES);
        interp.register_embedded(crate::library::written::MODULES);
        interp
    }

    fn populate_builtins(&self) {
        let def = &crate::builtins::MODULE;
        let mut namespace = crate::class::Namespace::default();
        for class in self.types.all() {
            if !crate::types::HIDDEN.contains(&&*class.name) {
                namespace.insert(class.name.clone(), Value::Class(Rc::clone(class)));
            }
        }
        namespace.insert(Name::from("EnvironmentError"), Value::Class(Rc::clone(&self.types.os_error)));
        namespace.insert(Name::from("IOError"), Value::Class(Rc::clone(&self.types.os_error)));
        namespace.insert(Name::from("NotImplemented"), Value::NotImplemented);
        namespace.insert(Name::from("Ellipsis"), Value::Ellipsis);
        namespace.insert(Name::from("__debug__"), Value::Bool(true));
        namespace.insert(Name::from("__name__"), Value::str("builtins"));
        for row in def.functions {
            namespace.insert(Name::from(row.name), Value::Native(NativeFunction::new(row, "")));
        }
        (def.populate)(self, &mut namespace);
        *self.builtins.namespace.borrow_mut() = namespace;
        self.modules.borrow_mut().insert(Name::from("builtins"), Value::Module(Rc::clone(&self.builtins)));
    }

    /// The native modules that were imported so far, in order.
    pub fn native_imports(&self) -> Vec<&'static str> {
        self.native_imports.borrow().clone()
    }

    /// What the evaluation is for.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether it is for analysis.
    pub fn is_analysis(&self) -> bool {
        self.mode == Mode::Analysis
    }

    /// The world outside.
    pub fn host(&self) -> &dyn Host {
        &*self.host
    }

    /// The builtin classes.
    pub fn types(&self) -> &Types {
        &self.types
    }

    /// Itself, for values that must keep the interpreter alive or run later.
    pub fn handle(&self) -> Option<Rc<Interp>> {
        self.this.upgrade()
    }

    /// The state that another crate keeps with the interpreter, made on first use.
    pub fn extension<T: Default + 'static>(&self) -> Rc<T> {
        let known = self.extensions.borrow().get(&TypeId::of::<T>()).cloned();
        if let Some(state) = known.and_then(|state| state.downcast::<T>().ok()) {
            return state;
        }
        let state = Rc::new(T::default());
        self.extensions.borrow_mut().insert(TypeId::of::<T>(), state.clone());
        state
    }

    /// Registers source text under a new file id; 0 is the program's own.
    pub fn add_source(&self, path: &str, text: &str) -> Arc<SourceFile> {
        let mut sources = self.sources.borrow_mut();
        let last = sources.keys().rev().find(|id| !id.is_piece());
        let id = FileId(last.map_or(1, |id| id.0 + 1));
        let source = Arc::new(SourceFile::new(id, path, text));
        sources.insert(id, Arc::clone(&source));
        source
    }

    /// Registers a source that has its id already (parsed outside).
    pub fn adopt_source(&self, source: &Arc<SourceFile>) {
        self.sources.borrow_mut().insert(source.id, Arc::clone(source));
    }

    /// The source with this id.
    pub fn source(&self, file: FileId) -> Option<Arc<SourceFile>> {
        self.sources.borrow().get(&file).cloned()
    }

    /// Every source read so far.
    pub fn sources(&self) -> Vec<Arc<SourceFile>> {
        self.sources.borrow().values().cloned().collect()
    }

    /// Whether a file belongs to an installed package, or is an embedded module: not the program's own.
    pub fn is_installed(&self, file: FileId) -> bool {
        self.imports.is_installed(file)
    }

    /// Whether the module that is being evaluated is an imported one.
    pub fn is_importing(&self) -> bool {
        self.imports.is_importing()
    }

    /// Imports a module without a word about what fails in it.
    pub fn import_silently(&self, dotted: &str) -> PyResult<Value> {
        self.imports.within(true, || self.import(dotted))
    }

    /// Sends values to `observer` from now on.
    pub fn set_observer(&self, observer: Rc<dyn Observer>) {
        *self.observer.borrow_mut() = Some(observer);
        self.observing.set(true);
    }

    /// Asks `known` about the top-level statements of a program from now on.
    pub fn set_statements(&self, body: &Arc<[Stmt]>, known: Rc<dyn Statements>) {
        *self.statements.borrow_mut() = Some(KnownStatements { body: body.clone(), known });
    }

    /// Who knows the statements of a block.
    pub(crate) fn statements(&self, block: &Arc<[Stmt]>) -> Option<Rc<dyn Statements>> {
        let statements = self.statements.borrow();
        statements.as_ref().filter(|of| Arc::ptr_eq(&of.body, block)).map(|of| of.known.clone())
    }

    /// The functions that were called so far, which are forgotten, and these put in their place.
    pub fn replace_entered(&self, entered: HashSet<Span>) -> HashSet<Span> {
        self.entered.replace(entered)
    }

    /// Whether the function defined at this place was called. Known in analysis only.
    pub fn was_entered(&self, definition: Span) -> bool {
        self.entered.borrow().contains(&definition)
    }

    /// Says of a function that it was called: by a call that is not made again because what it shows is known.
    pub fn note_entered(&self, definition: Span) {
        self.entered.borrow_mut().insert(definition);
    }

    /// Runs `run`, and tells which functions were called meanwhile, by the place of their definition.
    pub fn entering<R>(&self, run: impl FnOnce() -> R) -> (R, Vec<Span>) {
        let before = self.entered.take();
        let result = run();
        let meanwhile = self.entered.replace(before);
        let called = meanwhile.iter().copied().collect();
        self.entered.borrow_mut().extend(meanwhile);
        (result, called)
    }

    pub(crate) fn observe(&self, span: Span, value: &Value) {
        let observer = self.observer.borrow().clone();
        if let Some(observer) = observer.filter(|o| o.follows_packages() || !self.is_installed(span.file)) {
            observer.expression(span, value, self);
        }
    }

    pub(crate) fn observe_raised(&self, stop: &Stop) {
        if self.imports.is_silent() {
            return;
        }
        let observer = self.observer.borrow().clone();
        if let Some(observer) = observer {
            observer.raised(stop, self);
        }
    }

    /// The innermost expression or statement being evaluated; inside a native function, its call.
    pub fn span(&self) -> Span {
        self.position.get()
    }

    /// The innermost place that is not inside of an embedded module: where the program, or a package that is installed, stands.
    pub fn visible_span(&self) -> Span {
        let stack = self.stack();
        let visible = stack.iter().rev().find(|entry| !self.is_embedded(entry.span.file));
        visible.map_or_else(|| self.span(), |entry| entry.span)
    }

    /// Makes `span` the current position while `run` runs: for natives that work on behalf of a place they know better.
    pub fn at<R>(&self, span: Span, run: impl FnOnce() -> R) -> R {
        let before = self.position.replace(span);
        let result = run();
        self.position.set(before);
        result
    }

    /// The calls being made, outermost first.
    pub fn stack(&self) -> Vec<TraceEntry> {
        let frames = self.frames.borrow();
        let last = frames.len().wrapping_sub(1);
        frames
            .iter()
            .enumerate()
            .map(|(depth, frame)| TraceEntry {
                span: if depth == last { self.position.get() } else { frame.position },
                function: Rc::clone(&frame.name),
            })
            .collect()
    }

    /// A native class, made once per interpreter.
    pub fn native_class(&self, table: &'static NativeClass) -> Rc<Class> {
        self.native_class_full(table, &[], None)
    }

    /// A native class with bases, made once per interpreter.
    pub fn native_class_with(&self, table: &'static NativeClass, bases: &[Rc<Class>]) -> Rc<Class> {
        self.native_class_full(table, bases, None)
    }

    /// A native class with bases and the class of the class itself, made once per interpreter.
    pub fn native_class_full(
        &self,
        table: &'static NativeClass,
        bases: &[Rc<Class>],
        metaclass: Option<Rc<Class>>,
    ) -> Rc<Class> {
        let address = std::ptr::from_ref(table) as usize;
        if let Some(class) = self.native_classes.borrow().get(&address) {
            return Rc::clone(class);
        }
        let object = [Rc::clone(&self.types.object)];
        let bases = if bases.is_empty() { &object[..] } else { bases };
        let mut class = crate::types::plain(table.name, table.module, &[]);
        class.bases = bases.to_vec();
        // The bases of a table are written by us and linearise; were they not to, the first base's order serves.
        class.ancestors = crate::classes::linearise(bases).unwrap_or_else(|| {
            std::iter::once(Rc::clone(&bases[0])).chain(bases[0].ancestors.iter().cloned()).collect()
        });
        class.builtin = bases.iter().find_map(|base| base.builtin);
        class.metaclass = metaclass.or_else(|| bases.iter().find_map(|base| base.metaclass.clone()));
        class.construct = table.construct;
        class.instance_check = table.instance_check;
        class.doc = table.doc;
        crate::types::fill(&mut class.namespace.borrow_mut(), table);
        let class = Rc::new(class);
        self.native_classes.borrow_mut().insert(address, Rc::clone(&class));
        class
    }

    /// An exception class declared by another crate, made once.
    pub fn exception_class(&self, module: &'static str, name: &'static str, base: &Rc<Class>) -> Rc<Class> {
        let key = format!("{module}.{name}");
        if let Some(class) = self.exception_classes.borrow().get(&key) {
            return Rc::clone(class);
        }
        let class = Rc::new(crate::types::plain(name, module, &[base]));
        self.exception_classes.borrow_mut().insert(key, Rc::clone(&class));
        class
    }
}

impl Drop for Interp {
    /// Modules, scopes and classes refer to functions that refer back to them: empty them, or nothing would be freed.
    fn drop(&mut self) {
        for module in self.modules.get_mut().values() {
            if let Value::Module(module) = module {
                let namespace = module.namespace.try_borrow_mut().map(|mut names| std::mem::take(&mut *names));
                drop(namespace);
            }
        }
        for scope in self.scopes.get_mut().drain(..).filter_map(|scope| scope.upgrade()) {
            let names = scope.names.try_borrow_mut().map(|mut names| std::mem::take(&mut *names));
            drop(names);
        }
        for class in self.classes.get_mut().drain(..).filter_map(|class| class.upgrade()) {
            let names = class.namespace.try_borrow_mut().map(|mut names| std::mem::take(&mut *names));
            drop(names);
        }
    }
}
