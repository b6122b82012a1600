//! All places of a variable under its name, in all files, and what is written there.

use super::files::{File, Import, Target, World};
use super::{Renamed, captured, keywords, mentioned};
use pallas_engine::Span;
use pallas_engine::syntax::ast::ExprKind;
use pallas_engine::syntax::names::{Role, VariableId};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What is replaced in a file, by where it begins and ends.
type Places = BTreeMap<(u32, u32), String>;

/// What is replaced, by file.
struct Edits<'a> {
    world: &'a World<'a>,
    target: &'a Target,
    old: String,
    new: &'a str,
    files: BTreeMap<String, (Rc<File>, Places)>,
}

/// The edits that give a variable another name.
pub(super) fn edits(world: &World<'_>, target: &Target, new: &str) -> Result<Vec<Renamed>, String> {
    let old = target.name().to_string();
    let mut edits = Edits { world, target, old, new, files: BTreeMap::new() };
    let home = &target.file;
    edits.variable(home, target.variable)?;
    let scope = home.names.variables[target.variable].scope;
    if scope == 0 {
        edits.put_all(home, mentioned::exported(home, &edits.old.clone()));
        for path in edits.users() {
            let Some(file) = world.file(&path) else { continue };
            edits.used(&file)?;
        }
    }
    edits.parameter()?;
    let renamed = |(file, places): (Rc<File>, Places)| Renamed {
        path: file.path.clone(),
        text: file.module.source.text.clone(),
        edits: places.into_iter().map(|((start, end), text)| (start as usize..end as usize, text)).collect(),
    };
    Ok(edits.files.into_values().map(renamed).collect())
}

impl Edits<'_> {
    fn put(&mut self, file: &Rc<File>, span: Span, text: String) {
        let entry = self.files.entry(file.path.to_string()).or_insert_with(|| (file.clone(), BTreeMap::new()));
        entry.1.insert((span.start, span.end), text);
    }

    fn put_all(&mut self, file: &Rc<File>, spans: impl IntoIterator<Item = Span>) {
        let new = self.new.to_string();
        spans.into_iter().for_each(|span| self.put(file, span, new.clone()));
    }

    /// The other files that have the name somewhere. Those that do not parse cannot be seen through.
    fn users(&self) -> Vec<String> {
        let others = self.world.paths().iter().filter(|path| **path != *self.target.file.path);
        others.filter(|path| self.world.mentions(path, &self.old)).cloned().collect()
    }

    /// Every mention of a variable of a file that bears the name.
    fn variable(&mut self, file: &Rc<File>, variable: VariableId) -> Result<(), String> {
        captured::check(file, variable, self.new)?;
        for mention in file.names.variables[variable].mentions.clone() {
            // Python takes letters that look alike for the same.
            if file.module.source.slice(mention.span) != self.old {
                let place = format!("{} of {}", file.line(mention.span), captured::short(&file.path));
                return Err(format!("`{}` is spelt in other letters in {place}", self.old));
            }
            let import =
                file.imports.iter().find(|import| mention.role == Role::Import && import.bound == mention.span);
            let keeps = import.is_some_and(|import| !self.is_of_target(file, import));
            let text = if keeps { format!("{} as {}", self.old, self.new) } else { self.new.to_string() };
            self.put(file, mention.span, text);
        }
        Ok(())
    }

    /// Whether an import takes the target from where it is, or from where it was handed on.
    fn is_of_target(&self, file: &Rc<File>, import: &Import) -> bool {
        let Some(member) = import.member.as_deref().filter(|member| *member == self.old) else { return false };
        let from = self.world.module(&file.path, import.level, &import.module);
        from.and_then(|from| self.world.member(&from, member)).is_some_and(|found| found.is(self.target))
    }

    /// What another file does with a variable of a module.
    fn used(&mut self, file: &Rc<File>) -> Result<(), String> {
        let imports: Vec<(Span, Span)> = file
            .imports
            .iter()
            .filter(|import| self.is_of_target(file, import))
            .map(|import| (import.member_span, import.bound))
            .collect();
        let mut members: Vec<Span> = Vec::new();
        file.expressions(&mut |expr| {
            if let ExprKind::Attribute { value, name, name_span } = &expr.kind
                && **name == *self.old
                && let Some(module) = self.world.module_of(file, value)
                && self.world.member(&module, name).is_some_and(|found| found.is(self.target))
            {
                members.push(*name_span);
            }
        });
        let by_star = file.names.of_module(&self.old).filter(|id| {
            file.names.variables[*id].bindings().next().is_none()
                && self.world.member(file, &self.old).is_some_and(|found| found.is(self.target))
        });
        if imports.is_empty() && members.is_empty() && by_star.is_none() {
            return Ok(());
        }
        if let Some(error) = file.module.errors.first() {
            let place = format!("{} of {}", file.line(error.span), captured::short(&file.path));
            return Err(format!("{place} is not Python, so that not all mentions can be seen: {}", error.message));
        }
        for (member, bound) in imports {
            self.put_all(file, [member]);
            if member == bound
                && let Some(variable) = file.names.starting(bound.start)
            {
                self.variable(file, variable)?;
                if file.names.variables[variable].scope == 0 {
                    self.put_all(file, mentioned::exported(file, &self.old.clone()));
                }
            }
        }
        if let Some(variable) = by_star {
            self.variable(file, variable)?;
        }
        self.put_all(file, members);
        Ok(())
    }

    /// Where a parameter is named besides: by keywords, in strings, in comments.
    fn parameter(&mut self) -> Result<(), String> {
        let Some((callable, def, is_named)) = keywords::function_of(self.target) else { return Ok(()) };
        if !is_named {
            return Ok(());
        }
        let home = self.target.file.clone();
        let mut paths = vec![home.path.to_string()];
        if def.is_some() {
            paths.extend(self.users());
        }
        let name = self.old.clone();
        for path in paths {
            let Some(file) = self.world.file(&path) else { continue };
            let mut in_strings = Vec::new();
            let mut strings = |expr: &pallas_engine::syntax::ast::Expr| {
                in_strings.extend(mentioned::within(&file, expr, &name));
            };
            let found = keywords::mentions(self.world, &file, &callable, &name, &mut strings);
            self.put_all(&file, found);
            self.put_all(&file, in_strings);
        }
        if let Some(def) = def {
            let mut in_strings = Vec::new();
            let mut strings = |expr: &pallas_engine::syntax::ast::Expr| {
                in_strings.extend(mentioned::within(&home, expr, &name));
            };
            let found = keywords::decorated(def, &name, &mut strings);
            self.put_all(&home, found);
            self.put_all(&home, in_strings);
            self.put_all(&home, mentioned::said(&home, def, &name));
        }
        Ok(())
    }
}
