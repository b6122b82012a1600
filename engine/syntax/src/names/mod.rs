//! Which mentions of names in a file mean the same variable, by Python's rules of scopes. Reads the tree only: attributes, strings, and
//! what other files do with a name are for those who ask.

mod collect;
mod places;

use crate::ast::{Module, Name};
use crate::span::Span;
use std::collections::HashMap;

/// A scope in [`Names::scopes`]; the first is the module's.
pub type ScopeId = usize;
/// A variable in [`Names::variables`].
pub type VariableId = usize;

/// The variables of a file.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The scopes, the module's first, each behind the one around it.
    pub scopes: Vec<NameScope>,
    /// The variables, in the order in which they are first mentioned.
    pub variables: Vec<Variable>,
    by_name: HashMap<(ScopeId, Name), VariableId>,
}

/// A scope.
#[derive(Clone, Debug)]
pub struct NameScope {
    /// What it is of.
    pub kind: ScopeKind,
    /// The scope around it.
    pub parent: Option<ScopeId>,
    locals: Vec<Name>,
    globals: Vec<Name>,
    nonlocals: Vec<Name>,
}

/// What a scope is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeKind {
    /// The module.
    Module,
    /// A `def` or a `lambda`.
    Function,
    /// A comprehension.
    Comprehension,
    /// A class: what is nested in it does not see its names.
    Class,
}

/// A variable: a name in a scope.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: Name,
    /// The scope that binds it; the module's, too, where nobody does.
    pub scope: ScopeId,
    /// Where it is mentioned.
    pub mentions: Vec<Mention>,
}

impl Variable {
    /// The mentions that give it a value.
    pub fn bindings(&self) -> impl Iterator<Item = &Mention> {
        self.mentions.iter().filter(|mention| mention.role.binds())
    }

    /// The only mention that gives it a value.
    pub fn only_binding(&self) -> Option<&Mention> {
        let mut bindings = self.bindings();
        bindings.next().filter(|_| bindings.next().is_none())
    }
}

/// A mention of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The name, and nothing else.
    pub span: Span,
    /// The scope that it is looked up in.
    pub scope: ScopeId,
    /// What it does.
    pub role: Role,
}

/// What a mention does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It asks for the value.
    Read,
    /// It gives one: by an assignment, a loop, `with`, `except`, a pattern.
    Assign,
    /// It is a parameter.
    Parameter,
    /// It is the name of a `def`.
    Function,
    /// It is the name of a `class`.
    Class,
    /// It is `b` of `from a import b`, or `a` of `import a`: the name of something in another place, too.
    Import,
    /// It is `c` of `import a as c`, or of `from a import b as c`.
    Alias,
    /// It is declared `global` or `nonlocal`.
    Declare,
}

impl Role {
    fn binds(self) -> bool {
        !matches!(self, Role::Read | Role::Declare)
    }
}

impl Names {
    /// Of a module, whose spans are in its file (not in pieces of it).
    pub fn of(module: &Module) -> Names {
        collect::names(module)
    }

    /// The variable that is mentioned at an offset, and the mention.
    pub fn at(&self, offset: u32) -> Option<(VariableId, &Mention)> {
        let all = self.variables.iter().enumerate();
        let mut mentions = all.flat_map(|(id, variable)| variable.mentions.iter().map(move |mention| (id, mention)));
        mentions.find(|(_, mention)| mention.span.touches(offset))
    }

    /// The variable whose mention begins at an offset.
    pub fn starting(&self, offset: u32) -> Option<VariableId> {
        self.variables.iter().position(|variable| variable.mentions.iter().any(|m| m.span.start == offset))
    }

    /// The variable of a name at the top level of the file; nobody needs to bind it.
    pub fn of_module(&self, name: &str) -> Option<VariableId> {
        self.variables.iter().position(|variable| variable.scope == 0 && *variable.name == *name)
    }

    /// The scope that a name is found in by who looks it up in `scope`: the module's, too, where nobody binds it.
    pub fn found_in(&self, scope: ScopeId, name: &Name) -> ScopeId {
        let here = &self.scopes[scope];
        if here.globals.contains(name) {
            return 0;
        }
        if !here.nonlocals.contains(name) && here.locals.contains(name) {
            return scope;
        }
        self.around(scope).find(|around| self.scopes[*around].locals.contains(name)).unwrap_or(0)
    }

    /// The scopes that are asked for a name which `scope` has not, the nearest first, the module's last.
    pub fn around(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> {
        std::iter::successors(self.scopes[scope].parent, |around| self.scopes[*around].parent)
            .filter(|around| self.scopes[*around].kind != ScopeKind::Class)
    }

    fn mention(&mut self, name: &Name, mention: Mention) {
        let scope = self.found_in(mention.scope, name);
        let id = *self.by_name.entry((scope, name.clone())).or_insert_with(|| {
            self.variables.push(Variable { name: name.clone(), scope, mentions: Vec::new() });
            self.variables.len() - 1
        });
        self.variables[id].mentions.push(mention);
    }
}

#[cfg(test)]
mod tests;
