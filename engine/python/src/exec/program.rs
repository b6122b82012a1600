//! Running whole files: the main program and imported modules.

use crate::exec::control::{Completion, Frame};
use crate::exec::env::Env;
use crate::interp::{Interp, Outcome};
use crate::module::Module;
use crate::raise::{Abort, PyResult, Raise, Stop, TraceEntry};
use crate::value::Value;
use pallas_syntax::Span;
use pallas_syntax::ast::{self, Name, StmtKind};
use std::cell::RefCell;
use std::rc::Rc;

/// Where a main program stands among the modules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The package that its relative imports begin in.
    pub package: String,
    /// Its folder, if it is the `__init__.py` of a package.
    pub folder: Option<String>,
}

impl Interp {
    /// Runs a file as the main program; `name` is its `__name__`.
    pub fn run_main(&self, module: &ast::Module, name: &str) -> Outcome {
        self.run_main_in(module, name, None)
    }

    /// Runs a file of a package as the main program, as `python -m` does: its relative imports are found. Modules that
    /// import it get another copy, but of a package (its `__init__.py`) there is one.
    pub fn run_main_in(&self, module: &ast::Module, name: &str, place: Option<&Place>) -> Outcome {
        self.adopt_source(&module.source);
        module.pieces.iter().for_each(|piece| self.adopt_source(&piece.source));
        let target = self.new_module(name, Some(module.source.path.to_string()));
        if let Some(place) = place {
            let mut names = target.namespace.borrow_mut();
            names.insert(Name::from("__package__"), Value::str(&place.package));
            if let Some(folder) = &place.folder {
                names.insert(Name::from("__path__"), Value::list([Value::str(folder)]));
                drop(names);
                self.stand_for_package(&target, &place.package);
            }
        }
        let outcome = match self.whole_cells(module) {
            // Jupyter reads a cell when its turn comes.
            Some(before) => self.run_cells(&before, &target).and_then(|()| self.run_module(module, &target)),
            None => self.run_cells(module, &target),
        };
        match outcome {
            Ok(()) => Outcome::Finished,
            Err(stop) => match *stop {
                Stop::Abort(abort) => Outcome::Aborted(abort),
                Stop::Raise(raise) if self.exception_is(&raise.exception, &self.types().system_exit) => {
                    self.exit_status(&raise.exception)
                }
                Stop::Raise(raise) => Outcome::Raised(raise),
            },
        }
    }

    fn run_cells(&self, module: &ast::Module, target: &Rc<Module>) -> PyResult<()> {
        self.open_cells(module, target).and_then(|()| self.run_module(module, target))
    }

    /// Puts the main program where others import the package from whose `__init__.py` it is.
    fn stand_for_package(&self, main: &Rc<Module>, package: &str) {
        let value = Value::Module(Rc::clone(main));
        if let Some((above, name)) = package.rsplit_once('.') {
            let above = self.modules.borrow().get(above).cloned();
            if let Some(Value::Module(above)) = above {
                above.namespace.borrow_mut().insert(Name::from(name), value.clone());
            }
        }
        self.modules.borrow_mut().insert(package.into(), value);
    }

    /// What `sys.exit(code)` means to the shell.
    fn exit_status(&self, exception: &Value) -> Outcome {
        // A member of an `IntEnum` is a number, too.
        match self.get_attr(exception, "code").map(|code| self.plain(&code)) {
            Ok(Value::None) | Err(_) => Outcome::Exit(0, None),
            Ok(Value::Bool(code)) => Outcome::Exit(i32::from(code), None),
            Ok(Value::Int(code)) => match code.to_i64() {
                // The shell sees the low byte only, but the process gets the whole `int`.
                Some(code) => Outcome::Exit(code as i32, None),
                None => Outcome::Exit(-1, None),
            },
            Ok(code) => Outcome::Exit(1, Some(self.str(&code).unwrap_or_default())),
        }
    }

    /// An empty module under this name in `sys.modules`.
    pub fn new_module(&self, name: &str, path: Option<String>) -> Rc<Module> {
        let name = Name::from(name);
        let module = Rc::new(Module { name: name.clone(), path: path.clone(), namespace: RefCell::default() });
        {
            let mut names = module.namespace.borrow_mut();
            names.insert(Name::from("__name__"), Value::name(&name));
            names.insert(Name::from("__doc__"), Value::None);
            names.insert(Name::from("__package__"), Value::None);
            names.insert(Name::from("__spec__"), Value::None);
            if let Some(path) = path {
                names.insert(Name::from("__file__"), Value::from(path));
            }
            names.insert(Name::from("__builtins__"), Value::Module(Rc::clone(&self.builtins)));
        }
        self.modules.borrow_mut().insert(name, Value::Module(Rc::clone(&module)));
        module
    }

    /// Runs the statements of a file in `module`.
    pub(crate) fn run_module(&self, tree: &ast::Module, module: &Rc<Module>) -> PyResult<()> {
        if !self.is_analysis()
            && let Some(error) = tree.errors.first()
        {
            return Err(self.source_error(error));
        }
        if let Some(first) = tree.body.first()
            && let StmtKind::Expr(ast::Expr { kind: ast::ExprKind::Constant(ast::Constant::Str(doc)), .. }) =
                &first.kind
        {
            module.namespace.borrow_mut().insert(Name::from("__doc__"), Value::str(doc));
        }
        let lazy = tree.body.iter().any(|stmt| {
            matches!(&stmt.kind, StmtKind::ImportFrom { module: Some(module), names, .. }
                if &**module == "__future__" && names.iter().any(|alias| &*alias.name == "annotations"))
        });
        if lazy {
            let pieces = tree.pieces.iter().map(|piece| piece.source.id);
            self.lazy_annotations.borrow_mut().extend(pieces.chain([tree.source.id]));
        }
        let files = tree.pieces.iter().map(|piece| piece.source.id).chain([tree.source.id]);
        self.trees.borrow_mut().extend(files.map(|file| (file, tree.body.clone())));
        let env = Env::of_module(module);
        let name: Rc<str> = Rc::from("<module>");
        let mut frame = Frame::new(Rc::clone(&env), Rc::clone(&name), &tree.body);
        self.in_frame(&env, &name, || match self.run_frame(&mut frame)? {
            Completion::Return(_) | Completion::Yield(_) => Ok(()),
        })
    }

    /// The SyntaxError of a file that does not parse.
    fn source_error(&self, error: &ast::SyntaxError) -> Box<Stop> {
        let class = match error.message.as_str() {
            message if message.contains("indent") => &self.types().indentation_error,
            _ => &self.types().syntax_error,
        };
        let exception = self.exception_of(class, Value::tuple([Value::str(&error.message)]));
        if let (Value::Instance(instance), Some(source)) = (&exception, self.source(error.span.file)) {
            let (shown, end) = (source.shown(error.span.start), source.shown(error.span.end));
            let mut fields = instance.fields.borrow_mut();
            fields.insert(Name::from("msg"), Value::str(&error.message));
            fields.insert(Name::from("filename"), Value::str(&shown.path));
            fields.insert(Name::from("lineno"), Value::from(i64::from(shown.at.line)));
            fields.insert(Name::from("offset"), Value::from(i64::from(shown.at.column)));
            fields.insert(Name::from("end_lineno"), Value::from(i64::from(end.at.line)));
            fields.insert(Name::from("end_offset"), Value::from(i64::from(end.at.column)));
            fields.insert(Name::from("text"), Value::str(source.line(source.line_of(error.span.start))));
        }
        Box::new(Stop::Raise(Raise { exception, traceback: Vec::new(), diagnosis: None }))
    }

    /// Calls a function as an entry point of its own, outside any running program: analysis of functions that nobody
    /// called. The result is what the call gives.
    pub fn call_entry(&self, function: &Value, args: crate::call::CallArgs, span: Span) -> PyResult<Value> {
        self.position.set(span);
        self.call(function, args).map_err(|mut stop| {
            if let Stop::Raise(raise) = &mut *stop {
                raise.traceback.push(TraceEntry { span, function: Rc::from("<module>") });
            }
            stop
        })
    }

    /// Whether this stop is the loss of interest in the result.
    pub fn is_cancelled(&self, stop: &Stop) -> bool {
        matches!(stop, Stop::Abort(Abort::Cancelled))
    }
}
