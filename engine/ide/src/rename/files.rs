//! The files that a rename looks into: parsed once each, with their variables, and what their imports stand for.

use super::Project;
use crate::Analysis;
use pallas_engine::Span;
use pallas_engine::syntax::ast::{Expr, ExprKind, Module, Name, Stmt, StmtKind};
use pallas_engine::syntax::names::{Role, VariableId};
use pallas_engine::syntax::{FileId, Names, SourceFile, parse, visit};
use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// Names are handed from module to module no further than this.
const DEEPEST: usize = 16;

/// A file.
pub(super) struct File {
    pub(super) path: Arc<str>,
    pub(super) module: Module,
    pub(super) names: Names,
    pub(super) imports: Vec<Import>,
}

/// One name that is imported.
pub(super) struct Import {
    /// The module: `a.b`, empty in `from . import c`.
    pub(super) module: Name,
    /// Leading dots.
    pub(super) level: u32,
    /// What is taken from it; `None` in `import a.b`; `*`.
    pub(super) member: Option<Name>,
    /// Where that stands, in `from a import b`.
    pub(super) member_span: Span,
    /// Where the name that is bound stands.
    pub(super) bound: Span,
}

/// A variable of a file.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) file: Rc<File>,
    pub(super) variable: VariableId,
}

impl Target {
    pub(super) fn is(&self, other: &Target) -> bool {
        self.file.path == other.file.path && self.variable == other.variable
    }

    pub(super) fn name(&self) -> &str {
        &self.file.names.variables[self.variable].name
    }
}

/// A module as it is imported: the folder that it is seen from, its dots and its name.
type SeenFrom = (String, u32, String);

/// The files, as far as they were looked at.
pub(super) struct World<'a> {
    project: &'a dyn Project,
    paths: OnceCell<(Vec<String>, HashSet<String>)>,
    modules: RefCell<HashMap<SeenFrom, Option<Rc<File>>>>,
    files: RefCell<HashMap<Arc<str>, Option<Rc<File>>>>,
}

impl<'a> World<'a> {
    pub(super) fn new(analysis: &Analysis, project: &'a dyn Project) -> World<'a> {
        let own = Rc::new(File::new(analysis.source.clone()));
        let files = HashMap::from([(own.path.clone(), Some(own))]);
        World { project, paths: OnceCell::new(), modules: RefCell::default(), files: RefCell::new(files) }
    }

    fn listed(&self) -> &(Vec<String>, HashSet<String>) {
        self.paths.get_or_init(|| {
            let paths = self.project.paths();
            let set = paths.iter().cloned().collect();
            (paths, set)
        })
    }

    /// The Python files of the project.
    pub(super) fn paths(&self) -> &[String] {
        &self.listed().0
    }

    /// The text of a file that was not looked at yet, or was.
    pub(super) fn mentions(&self, path: &str, word: &str) -> bool {
        match self.files.borrow().get(path) {
            Some(file) => file.as_ref().is_some_and(|file| file.module.source.text.contains(word)),
            None => self.project.read(path).is_some_and(|text| text.contains(word)),
        }
    }

    pub(super) fn file(&self, path: &str) -> Option<Rc<File>> {
        if let Some(known) = self.files.borrow().get(path) {
            return known.clone();
        }
        let text = self.project.read(path);
        // One id for all: nothing here compares spans of two files.
        let file = text.map(|text| Rc::new(File::new(Arc::new(SourceFile::new(FileId(0), path, text)))));
        self.files.borrow_mut().insert(path.into(), file.clone());
        file
    }

    /// The file of the project that a module is, seen from another: below its folder or one around, or relative to it.
    pub(super) fn module(&self, from: &str, level: u32, dotted: &str) -> Option<Rc<File>> {
        let folder = from.rsplit_once('/')?.0.to_string();
        let key = (folder, level, dotted.to_string());
        if let Some(known) = self.modules.borrow().get(&key) {
            return known.clone();
        }
        let found = self.find_module(&key.0, level, dotted);
        self.modules.borrow_mut().insert(key, found.clone());
        found
    }

    fn find_module(&self, around: &str, level: u32, dotted: &str) -> Option<Rc<File>> {
        let below = |folder: &str| {
            let base =
                if dotted.is_empty() { folder.to_string() } else { format!("{folder}/{}", dotted.replace('.', "/")) };
            let is_there = |path: &String| {
                self.files.borrow().get(path.as_str()).is_some_and(Option::is_some) || self.listed().1.contains(path)
            };
            [format!("{base}.py"), format!("{base}/__init__.py")].into_iter().find(is_there)
        };
        let folder = |path: &str| path.rsplit_once('/').map(|(folder, _)| folder.to_string());
        let mut around = around.to_string();
        if level > 0 {
            for _ in 1..level {
                around = folder(&around)?;
            }
            return self.file(&below(&around)?);
        }
        if dotted.is_empty() {
            return None;
        }
        loop {
            if let Some(path) = below(&around).or_else(|| below(&format!("{around}/src"))) {
                return self.file(&path);
            }
            around = folder(&around)?;
        }
    }

    /// A name of a module, where it is defined: what hands it on by an import of the same name is looked through.
    pub(super) fn member(&self, file: &Rc<File>, name: &str) -> Option<Target> {
        self.member_within(file, name, DEEPEST)
    }

    fn member_within(&self, file: &Rc<File>, name: &str, depth: usize) -> Option<Target> {
        let depth = depth.checked_sub(1)?;
        let bound = file.names.of_module(name).filter(|id| file.names.variables[*id].bindings().next().is_some());
        if let Some(variable) = bound {
            return Some(self.home_within(Target { file: file.clone(), variable }, depth));
        }
        let stars = file.imports.iter().filter(|import| import.member.as_deref() == Some("*"));
        stars
            .filter_map(|star| self.module(&file.path, star.level, &star.module))
            .find_map(|from| self.member_within(&from, name, depth))
    }

    /// Where a variable is defined that an import binds: itself where that is outside of the project, or has another name there.
    pub(super) fn home(&self, target: Target) -> Target {
        self.home_within(target, DEEPEST)
    }

    fn home_within(&self, target: Target, depth: usize) -> Target {
        let variable = &target.file.names.variables[target.variable];
        let Some(binding) = variable.only_binding().filter(|binding| binding.role == Role::Import) else {
            return target;
        };
        let Some(import) = target.file.imports.iter().find(|import| import.bound == binding.span) else {
            return target;
        };
        let Some(member) = &import.member else { return target };
        let from = self.module(&target.file.path, import.level, &import.module);
        let home =
            from.filter(|from| from.path != target.file.path).and_then(|from| self.member_within(&from, member, depth));
        home.unwrap_or(target)
    }

    /// The module of the project that an expression is: `kernels`, `package.kernels`.
    pub(super) fn module_of(&self, file: &File, expr: &Expr) -> Option<Rc<File>> {
        let (base, rest) = dotted(expr)?;
        let variable = &file.names.variables[file.names.starting(base.start)?];
        let binding = variable.only_binding()?;
        let import = file.imports.iter().find(|import| import.bound == binding.span)?;
        let mut path = match (&import.member, binding.role) {
            (Some(member), _) if import.module.is_empty() => member.to_string(),
            (Some(member), _) => format!("{}.{member}", import.module),
            (None, Role::Alias) => import.module.to_string(),
            (None, _) => variable.name.to_string(),
        };
        rest.iter().for_each(|part| path.extend([".", part]));
        self.module(&file.path, import.level, &path)
    }
}

/// `a` of `a.b.c` with its place, and the names behind it.
fn dotted(expr: &Expr) -> Option<(Span, Vec<&str>)> {
    match &expr.kind {
        ExprKind::Name(_) => Some((expr.span, Vec::new())),
        ExprKind::Attribute { value, name, .. } => {
            let (base, mut rest) = dotted(value)?;
            rest.push(name);
            Some((base, rest))
        }
        _ => None,
    }
}

impl File {
    fn new(source: Arc<SourceFile>) -> File {
        let module = parse(source);
        let mut imports = Vec::new();
        find_imports(&module.body, &mut imports);
        File { path: module.source.path.clone(), names: Names::of(&module), module, imports }
    }

    /// A place in it, for people.
    pub(super) fn line(&self, span: Span) -> String {
        format!("line {}", self.module.source.line_of(span.start))
    }

    /// Calls `visit` for each expression, wherever it stands.
    pub(super) fn expressions<'f>(&'f self, visit: &mut dyn FnMut(&'f Expr)) {
        each(&self.module.body, visit);
    }
}

fn find_imports(body: &[Stmt], found: &mut Vec<Import>) {
    for statement in body {
        let (from, names, level) = match &statement.kind {
            StmtKind::Import(names) => (None, names, 0),
            StmtKind::ImportFrom { module, names, level } => {
                (Some(module.clone().unwrap_or_else(|| "".into())), names, *level)
            }
            StmtKind::FunctionDef(def) => {
                find_imports(&def.body, found);
                continue;
            }
            StmtKind::ClassDef(class) => {
                find_imports(&class.body, found);
                continue;
            }
            _ => {
                visit::blocks(statement, &mut |block| find_imports(block, found));
                continue;
            }
        };
        for alias in names {
            let first = alias.name.split('.').next().unwrap_or_default();
            let bound = match &alias.asname {
                Some(asname) => Span { start: alias.span.end.saturating_sub(asname.len() as u32), ..alias.span },
                None => Span { end: alias.span.start + first.len() as u32, ..alias.span },
            };
            let member_span = Span { end: alias.span.start + alias.name.len() as u32, ..alias.span };
            let (module, member) = match &from {
                Some(module) => (module.clone(), Some(alias.name.clone())),
                None => (alias.name.clone(), None),
            };
            found.push(Import { module, level, member, member_span, bound });
        }
    }
}

fn each<'f>(body: &'f [Stmt], visit: &mut dyn FnMut(&'f Expr)) {
    fn inside<'f>(expr: &'f Expr, visit: &mut dyn FnMut(&'f Expr)) {
        visit(expr);
        visit::inside(expr, &mut |child| inside(child, visit));
    }
    for statement in body {
        visit::expressions(statement, &mut |expr| inside(expr, visit));
        match &statement.kind {
            StmtKind::FunctionDef(def) => {
                visit::defaults(&def.params, &mut |expr| inside(expr, visit));
                each(&def.body, visit);
            }
            StmtKind::ClassDef(class) => each(&class.body, visit),
            _ => visit::blocks(statement, &mut |block| each(block, visit)),
        }
    }
}
