//! `import` and `from ... import`.

use super::{Kind, Lower, children, field, fields, named};
use crate::ast::{Alias, Name, Stmt, StmtKind};
use tree_sitter::Node;

impl Lower<'_> {
    /// `import a.b as c, d`
    pub(super) fn import(&mut self, node: Node<'_>) -> Stmt {
        self.check_trailing_comma(node, "invalid syntax");
        let names = fields(node, "name");
        Stmt { kind: StmtKind::Import(names.into_iter().map(|name| self.alias(name)).collect()), span: self.span(node) }
    }

    /// `from ..a import b as c`, `from a import *`, `from __future__ import d`
    pub(super) fn import_from(&mut self, node: Node<'_>) -> Stmt {
        self.check_trailing_comma(node, "trailing comma not allowed without surrounding parentheses");
        let (mut module, mut level) = (None, 0);
        if node.called() == "future_import_statement" {
            module = Some(self.intern("__future__"));
        } else if let Some(from) = field(node, "module_name") {
            if from.called() == "relative_import" {
                for part in named(from) {
                    if part.called() == "import_prefix" {
                        level = self.text(part).bytes().filter(|b| *b == b'.').count() as u32;
                    } else {
                        module = Some(self.joined_name(part));
                    }
                }
            } else {
                module = Some(self.joined_name(from));
            }
        }
        let star = named(node).into_iter().find(|c| c.called() == "wildcard_import");
        let names = match star {
            Some(star) => vec![Alias { name: self.intern("*"), asname: None, span: self.span(star) }],
            None => {
                let names = fields(node, "name");
                names.into_iter().map(|name| self.alias(name)).collect()
            }
        };
        Stmt { kind: StmtKind::ImportFrom { module, names, level }, span: self.span(node) }
    }

    fn check_trailing_comma(&mut self, node: Node<'_>, message: &str) {
        if let Some(comma) = children(node).last().filter(|last| last.called() == ",") {
            let span = self.span(*comma);
            self.error(span, message);
        }
    }

    fn alias(&mut self, node: Node<'_>) -> Alias {
        let name = field(node, "name").unwrap_or(node);
        Alias {
            name: self.joined_name(name),
            asname: field(node, "alias").map(|alias| self.name(alias)),
            span: self.span(node),
        }
    }

    /// A dotted name as one string, without the spaces that Python allows around its dots.
    fn joined_name(&mut self, node: Node<'_>) -> Name {
        let text = self.text(node);
        if text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.') {
            return self.intern(text);
        }
        let parts: Vec<&str> = named(node).into_iter().map(|part| self.text(part)).collect();
        self.intern(&parts.join("."))
    }
}
