//! What names of a file mean, as far as its imports say it: `pl.BlockSpec` is `BlockSpec` of `jax.experimental.pallas`.

use pallas_engine::catalogue::{self, Member};
use pallas_engine::syntax::ast::{Module, Stmt, StmtKind};

/// The imports of a file.
pub(crate) struct Imports {
    /// What is written, and what it stands for.
    names: Vec<(String, String)>,
}

impl Imports {
    /// All imports of a file, wherever they stand.
    pub(crate) fn new(module: &Module) -> Imports {
        let mut imports = Imports { names: Vec::new() };
        imports.read(&module.body);
        imports
    }

    fn read(&mut self, body: &[Stmt]) {
        for statement in body {
            match &statement.kind {
                StmtKind::Import(names) => {
                    for alias in names {
                        let written = alias.asname.as_ref().unwrap_or(&alias.name);
                        self.names.push((written.to_string(), alias.name.to_string()));
                    }
                }
                StmtKind::ImportFrom { module: Some(module), names, level: 0 } => {
                    for alias in names {
                        let written = alias.asname.as_ref().unwrap_or(&alias.name);
                        self.names.push((written.to_string(), format!("{module}.{}", alias.name)));
                    }
                }
                StmtKind::FunctionDef(def) => self.read(&def.body),
                StmtKind::ClassDef(class) => self.read(&class.body),
                _ => pallas_engine::syntax::visit::blocks(statement, &mut |block| self.read(block)),
            }
        }
    }

    /// The member of one of Pallas's modules that a dotted name stands for.
    pub(crate) fn member(&self, written: &str) -> Option<&'static Member> {
        let (module, name) = self.full(written)?;
        let module = catalogue::MODULES.iter().find(|known| **known == module)?;
        catalogue::find(module, &name)
    }

    /// The module of Pallas's that a dotted name stands for.
    pub(crate) fn module(&self, written: &str) -> Option<&'static str> {
        let (module, name) = self.full(written)?;
        let full = format!("{module}.{name}");
        catalogue::MODULES.iter().copied().find(|known| *known == full)
    }

    /// The module and the name that a dotted name stands for.
    fn full(&self, written: &str) -> Option<(String, String)> {
        let full = self.meaning(written)?;
        full.rsplit_once('.').map(|(module, name)| (module.to_string(), name.to_string()))
    }

    /// What a dotted name stands for, if an import says it.
    pub(crate) fn meaning(&self, written: &str) -> Option<String> {
        let fits = |(alias, _): &&(String, String)| {
            written.strip_prefix(alias.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let (alias, meant) = self.names.iter().filter(fits).max_by_key(|(alias, _)| alias.len())?;
        Some(format!("{meant}{}", &written[alias.len()..]))
    }

    /// How a name of a module is written in this file; `None` if it cannot be written without another import.
    pub(crate) fn written(&self, module: &str, name: &str) -> Option<String> {
        let full = format!("{module}.{name}");
        if let Some((written, _)) = self.names.iter().find(|(_, meant)| *meant == full) {
            return Some(written.clone());
        }
        self.names.iter().find(|(_, meant)| meant == module).map(|(written, _)| format!("{written}.{name}"))
    }
}
