//! Methods of classes that lead to a launch, which nobody calls either: `Model(...).forward(x)`, `layer(x)`. Evaluates nothing.
//!
//! A method is looked at as the function that it is of an instance: without its first parameter. Of what instances are made,
//! is said elsewhere ([`super::Planner::instance`]).

use super::reach::Mentions;
use pallas_syntax::ast::{ClassDef, ExprKind, FunctionDef, Module, Name, StmtKind};
use std::sync::Arc;

/// A method that leads to a launch.
pub struct Method {
    /// The class as it is called.
    pub class: Name,
    /// The method as it is called.
    pub name: Name,
    /// The constructor, without its first parameter, if the class has one of its own.
    pub constructor: Option<Arc<FunctionDef>>,
    /// The method, without its first parameter, under the name `Class.method`.
    pub def: Arc<FunctionDef>,
}

/// The methods of a module's classes that launch something, themselves or through functions among `leading` or through each other:
/// those that no other of them mentions.
pub fn methods(module: &Module, leading: &[Arc<FunctionDef>]) -> Vec<Method> {
    let classes = module.body.iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::ClassDef(class) => Some(&**class),
        _ => None,
    });
    classes.flat_map(|class| of_class(class, leading)).collect()
}

fn of_class(class: &ClassDef, leading: &[Arc<FunctionDef>]) -> Vec<Method> {
    let defs: Vec<(&Arc<FunctionDef>, Mentions)> = class
        .body
        .iter()
        .filter_map(|stmt| match &stmt.kind {
            StmtKind::FunctionDef(def) => {
                let mut mentions = Mentions::default();
                mentions.stmt(stmt);
                Some((def, mentions))
            }
            _ => None,
        })
        .collect();
    let is_leading = |name: &Arc<str>| leading.iter().any(|def| *def.name == **name);
    let mut leads: Vec<bool> =
        defs.iter().map(|(_, mentions)| mentions.launches || mentions.names.iter().any(is_leading)).collect();
    // Each round adds a method, or is the last.
    for _ in 0..defs.len() {
        for index in 0..defs.len() {
            let through = |other: usize| leads[other] && defs[index].1.attributes.contains(&defs[other].0.name);
            leads[index] = leads[index] || (0..defs.len()).any(through);
        }
    }
    let is_entry = |index: &usize| {
        let def = defs[*index].0;
        let is_mentioned = (0..defs.len())
            .any(|other| other != *index && leads[other] && defs[other].1.attributes.contains(&def.name));
        leads[*index] && !is_mentioned && &*def.name != "__init__" && is_of_instances(def)
    };
    let constructor = defs.iter().find(|(def, _)| &*def.name == "__init__");
    let constructor = constructor.and_then(|(def, _)| without_receiver(def, def.name.clone()));
    let method = |index: usize| {
        let def = defs[index].0;
        Some(Method {
            class: class.name.clone(),
            name: def.name.clone(),
            constructor: constructor.clone(),
            def: without_receiver(def, Name::from(format!("{}.{}", class.name, def.name)))?,
        })
    };
    (0..defs.len()).filter(is_entry).filter_map(method).collect()
}

/// Whether a method is called of an instance, as far as its decorators say.
fn is_of_instances(def: &FunctionDef) -> bool {
    def.decorators.iter().all(|decorator| match &decorator.kind {
        ExprKind::Name(name) | ExprKind::Attribute { name, .. } => {
            !matches!(&**name, "staticmethod" | "classmethod" | "property" | "cached_property" | "setter")
        }
        _ => true,
    })
}

fn without_receiver(def: &FunctionDef, name: Name) -> Option<Arc<FunctionDef>> {
    let mut params = def.params.clone();
    let first = if params.positional_only.is_empty() { &mut params.positional } else { &mut params.positional_only };
    if first.is_empty() {
        return None;
    }
    first.remove(0);
    Some(Arc::new(FunctionDef {
        name,
        name_span: def.name_span,
        params,
        body: def.body.clone(),
        decorators: def.decorators.clone(),
        returns: def.returns.clone(),
        scope: def.scope.clone(),
        docstring: def.docstring.clone(),
        is_async: def.is_async,
        type_params: def.type_params.clone(),
        span: def.span,
    }))
}

#[cfg(test)]
mod tests {
    use super::super::leading;
    use super::*;
    use pallas_syntax::{FileId, SourceFile};

    #[test]
    fn methods_that_lead_to_a_launch_are_those_that_no_other_calls() {
        let text = "
def launch(x): return pl.pallas_call(kernel, out_shape=x)(x)
class Model:
    def __init__(self, n): self.n = n
    def forward(self, x): return self.inner(x)
    def inner(self, x): return launch(x)
    def other(self, x): return x
    @staticmethod
    def alone(x): return launch(x)
class Layer:
    def __call__(self, x, y): return pl.pallas_call(kernel, out_shape=x)(x, y)
";
        let module = pallas_syntax::parse(Arc::new(SourceFile::new(FileId(0), "t.py", text)));
        let found = methods(&module, &leading(&module));
        let names: Vec<String> = found.iter().map(|method| method.def.name.to_string()).collect();
        assert_eq!(names, ["Model.forward", "Layer.__call__"]);
        assert_eq!(found[0].def.params.positional.len(), 1);
        assert!(found[0].constructor.as_ref().is_some_and(|init| init.params.positional.len() == 1));
        assert!(found[1].constructor.is_none());
    }
}
