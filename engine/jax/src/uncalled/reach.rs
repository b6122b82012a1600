//! Which functions of a module lead to a launch, by the names that occur in them. Evaluates nothing.

use pallas_syntax::ast::{Expr, ExprKind, FunctionDef, Module, Stmt, StmtKind};
use pallas_syntax::visit;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What launches kernels. `kernel` is a common word: it launches as an attribute of a module of Pallas.
const LAUNCHERS: [&str; 3] = ["pallas_call", "core_map", "kernel"];
const MODULES: [&str; 4] = ["pl", "plgpu", "pallas", "pltpu"];

/// The functions of a module that launch something, themselves or through each other: those that no other of them
/// mentions first, then in the order of the file.
pub fn leading(module: &Module) -> Vec<Arc<FunctionDef>> {
    leading_to(module, &|_| false)
}

/// The same of functions that launch something or mention a name of other files.
pub(super) fn leading_to(module: &Module, is_foreign: &dyn Fn(&str) -> bool) -> Vec<Arc<FunctionDef>> {
    let mut functions: Vec<(Arc<FunctionDef>, Mentions)> = Vec::new();
    for stmt in module.body.iter() {
        if let StmtKind::FunctionDef(def) = &stmt.kind {
            let mut mentions = Mentions::default();
            mentions.stmt(stmt);
            functions.push((def.clone(), mentions));
        }
    }
    let by_name: HashMap<&str, usize> = functions.iter().enumerate().map(|(i, (def, _))| (&*def.name, i)).collect();
    let leads_out = |mentions: &Mentions| mentions.launches || mentions.names.iter().any(|name| is_foreign(name));
    let mut leads: Vec<bool> = functions.iter().map(|(_, mentions)| leads_out(mentions)).collect();
    loop {
        let before = leads.iter().filter(|leads| **leads).count();
        for index in 0..functions.len() {
            leads[index] |= functions[index].1.names.iter().any(|name| by_name.get(&**name).is_some_and(|i| leads[*i]));
        }
        if leads.iter().filter(|leads| **leads).count() == before {
            break;
        }
    }
    let is_mentioned = |index: usize| {
        let name = &functions[index].0.name;
        functions
            .iter()
            .enumerate()
            .any(|(other, (_, mentions))| other != index && leads[other] && mentions.names.contains(name))
    };
    let mut picked: Vec<usize> = (0..functions.len()).filter(|index| leads[*index]).collect();
    picked.sort_by_key(|index| (is_mentioned(*index), *index));
    picked.into_iter().map(|index| functions[index].0.clone()).collect()
}

/// The names that occur in a function.
#[derive(Default)]
pub(super) struct Mentions {
    pub(super) names: HashSet<Arc<str>>,
    /// Names of attributes.
    pub(super) attributes: HashSet<Arc<str>>,
    pub(super) launches: bool,
}

impl Mentions {
    pub(super) fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::FunctionDef(def) => {
                def.decorators.iter().for_each(|decorator| self.expr(decorator));
                visit::defaults(&def.params, &mut |default| self.expr(default));
                def.body.iter().for_each(|stmt| self.stmt(stmt));
            }
            StmtKind::ClassDef(def) => def.body.iter().for_each(|stmt| self.stmt(stmt)),
            _ => visit::expressions(stmt, &mut |expr| self.expr(expr)),
        }
        visit::blocks(stmt, &mut |block| block.iter().for_each(|stmt| self.stmt(stmt)));
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Name(name) => {
                self.launches |= &**name == "pallas_call";
                self.names.insert(name.clone());
            }
            ExprKind::Attribute { value, name, .. } if LAUNCHERS.contains(&&**name) => {
                let owner = match &value.kind {
                    ExprKind::Name(owner) => &**owner,
                    ExprKind::Attribute { name, .. } => &**name,
                    _ => "",
                };
                self.launches |= &**name != "kernel" || MODULES.contains(&owner);
            }
            ExprKind::Attribute { name, .. } => {
                self.attributes.insert(name.clone());
            }
            _ => {}
        }
        visit::inside(expr, &mut |child| self.expr(child));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pallas_syntax::{FileId, SourceFile};

    #[test]
    fn callers_come_before_what_they_call() {
        let text = "
def kernel(x_ref, o_ref): o_ref[...] = x_ref[...]
def inner(x): return pl.pallas_call(kernel, out_shape=x)(x)
def unrelated(x): return x + 1
def outer(x): return [inner(y) for y in x]
@pl.kernel(out_shape=1)
def decorated(o_ref): pass
def other(x): return lambda y: decorated(y)
";
        let module = pallas_syntax::parse(Arc::new(SourceFile::new(FileId(0), "t.py", text)));
        let names: Vec<String> = leading(&module).iter().map(|def| def.name.to_string()).collect();
        assert_eq!(names, ["outer", "other", "inner", "decorated"]);
    }
}
