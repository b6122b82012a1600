//! Simple statements, and the switch over all of them.

use super::expression::has_comma;
use super::operator::binary_op;
use super::{Kind, Lower, children, field, named};
use crate::ast::{BinaryOp, Expr, ExprKind, Name, Stmt, StmtKind};
use crate::document::python_parser;
use tree_sitter::Node;

impl Lower<'_> {
    /// The statements of a module or block.
    pub(crate) fn statements(&mut self, node: Node<'_>) -> Vec<Stmt> {
        named(node).into_iter().map(|child| self.statement(child)).collect()
    }

    /// Lowers one statement.
    pub(crate) fn statement(&mut self, node: Node<'_>) -> Stmt {
        self.starts_line(node);
        let reported = self.errors.len();
        let lowered = self.deeper(node, |lower| lower.statement_here(node));
        let lowered = lowered.unwrap_or_else(|| self.error_statement(node));
        if matches!(lowered.kind, StmtKind::Error) {
            self.explain(node, reported);
        }
        lowered
    }

    fn statement_here(&mut self, node: Node<'_>) -> Stmt {
        // A statement whose parts are whole and which has something between them cannot be trusted.
        if node.has_error() && children(node).iter().any(|child| child.is_error()) {
            return self.error_statement(node);
        }
        let kind = match node.called() {
            "expression_statement" => self.expression_statement(node),
            "return_statement" => StmtKind::Return(self.optional_value(node)),
            "delete_statement" => StmtKind::Delete(self.delete_targets(node)),
            "raise_statement" => self.raise(node),
            "assert_statement" => self.assert(node),
            "pass_statement" => StmtKind::Pass,
            "break_statement" => StmtKind::Break,
            "continue_statement" => StmtKind::Continue,
            "global_statement" => StmtKind::Global(self.name_list(node)),
            "nonlocal_statement" => StmtKind::Nonlocal(self.name_list(node)),
            "type_alias_statement" => return self.type_alias(node),
            "print_statement" => self.print_statement(node),
            "exec_statement" => {
                let span = self.span(node);
                self.error(span, "Missing parentheses in call to 'exec'. Did you mean exec(...)?");
                StmtKind::Error
            }
            "import_statement" => return self.import(node),
            "import_from_statement" | "future_import_statement" => return self.import_from(node),
            "if_statement" => return self.if_statement(node),
            "for_statement" => return self.for_statement(node),
            "while_statement" => return self.while_statement(node),
            "with_statement" => return self.with_statement(node),
            "try_statement" => return self.try_statement(node),
            "match_statement" => return self.match_statement(node),
            "function_definition" => return self.function(node, Vec::new()),
            "class_definition" => return self.class(node, Vec::new()),
            "decorated_definition" => return self.decorated(node),
            _ => StmtKind::Error,
        };
        Stmt { kind, span: self.span(node) }
    }

    fn expression_statement(&mut self, node: Node<'_>) -> StmtKind {
        let parts = named(node);
        match parts.as_slice() {
            [one] if one.called() == "assignment" => self.assignment(*one),
            [one] if one.called() == "augmented_assignment" => self.augmented_assignment(*one),
            [one] if !has_comma(node) => {
                if one.called() == "named_expression" {
                    let span = self.span(*one);
                    self.error(span, "invalid syntax");
                }
                StmtKind::Expr(self.expression(*one))
            }
            [] => StmtKind::Error,
            [..] => StmtKind::Expr(Expr { kind: ExprKind::Tuple(self.elements(node)), span: self.span(node) }),
        }
    }

    fn assignment(&mut self, node: Node<'_>) -> StmtKind {
        if let Some(annotation) = field(node, "type") {
            return StmtKind::AnnAssign {
                target: self.expression_field(node, "left"),
                annotation: self.expression(annotation),
                value: field(node, "right").map(|value| self.expression(value)),
            };
        }
        // `a = b = value` leans right in the grammar.
        let mut targets = vec![self.expression_field(node, "left")];
        let mut current = node;
        loop {
            match field(current, "right") {
                Some(right) if right.called() == "assignment" && field(right, "type").is_none() => {
                    targets.push(self.expression_field(right, "left"));
                    current = right;
                }
                Some(right) if matches!(right.called(), "assignment" | "augmented_assignment") => {
                    let span = self.span(right);
                    self.error(span, "invalid syntax");
                    return StmtKind::Error;
                }
                _ => {
                    let value = self.expression_field(current, "right");
                    return StmtKind::Assign { targets, value };
                }
            }
        }
    }

    fn augmented_assignment(&mut self, node: Node<'_>) -> StmtKind {
        let op = field(node, "operator").and_then(|op| binary_op(op.called().trim_end_matches('=')));
        let target = self.expression_field(node, "left");
        match (op, field(node, "right")) {
            (Some(_), Some(right)) if matches!(right.called(), "assignment" | "augmented_assignment") => {
                let span = self.span(right);
                self.error(span, "invalid syntax");
                StmtKind::Error
            }
            (Some(op), Some(right)) => StmtKind::AugAssign { target, op, value: self.expression(right) },
            _ => StmtKind::Error,
        }
    }

    fn optional_value(&mut self, node: Node<'_>) -> Option<Expr> {
        named(node).first().map(|value| self.expression(*value))
    }

    fn delete_targets(&mut self, node: Node<'_>) -> Vec<Expr> {
        let parts = named(node);
        match parts.as_slice() {
            [list] if list.called() == "expression_list" => self.elements(*list),
            _ => parts.into_iter().map(|part| self.expression(part)).collect(),
        }
    }

    fn raise(&mut self, node: Node<'_>) -> StmtKind {
        let cause = field(node, "cause");
        if named(node).len() == 1
            && let Some(cause) = cause
        {
            let from = children(node).into_iter().find(|child| child.called() == "from");
            let span = self.span(from.unwrap_or(cause));
            self.error(span, "invalid syntax");
            return StmtKind::Error;
        }
        let exception = named(node).into_iter().find(|child| cause.is_none_or(|cause| cause.id() != child.id()));
        if exception.is_some_and(|exception| exception.called() == "expression_list") {
            // `raise E, value` was Python 2.
            return StmtKind::Error;
        }
        StmtKind::Raise {
            exception: exception.map(|exception| self.expression(exception)),
            cause: cause.map(|cause| self.expression(cause)),
        }
    }

    fn assert(&mut self, node: Node<'_>) -> StmtKind {
        match named(node).as_slice() {
            [test] => StmtKind::Assert { test: self.expression(*test), message: None },
            [test, message] => {
                StmtKind::Assert { test: self.expression(*test), message: Some(self.expression(*message)) }
            }
            _ => StmtKind::Error,
        }
    }

    fn name_list(&mut self, node: Node<'_>) -> Vec<Name> {
        named(node).into_iter().filter(|child| child.called() == "identifier").map(|child| self.name(child)).collect()
    }

    fn type_alias(&mut self, node: Node<'_>) -> Stmt {
        let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else {
            return self.error_statement(node);
        };
        if self.text(left).starts_with(['(', '[']) {
            // `type(x).y = 1` and `type[x] = 1` assign; the grammar prefers to see an alias.
            return self.reparse_with_word(node, "typ_");
        }
        // The name stands alone or before type parameters.
        let (mut name, mut parameters) = (left, None);
        while name.called() != "identifier" {
            parameters =
                parameters.or_else(|| named(name).into_iter().find(|child| child.called() == "type_parameter"));
            match named(name).first() {
                Some(child) => name = *child,
                None => return self.error_statement(node),
            }
        }
        Stmt {
            kind: StmtKind::TypeAlias {
                name: self.name(name),
                type_params: self.type_params(parameters),
                value: self.expression(right),
            },
            span: self.span(node),
        }
    }

    /// Parses a statement again with its first word replaced by another of the same length, so that a soft keyword is
    /// read as a name. Names are read from the file, so the stand-in is never seen.
    fn reparse_with_word(&mut self, node: Node<'_>, word: &str) -> Stmt {
        let text = self.text(node);
        let masked = format!("{word}{}", text.get(word.len()..).unwrap_or(""));
        let tree = python_parser().parse(masked, None);
        let root = tree.as_ref().map(|tree| tree.root_node());
        let Some(first) = root.and_then(|root| named(root).first().copied()) else {
            return self.error_statement(node);
        };
        let outer = self.base;
        self.base = self.base.wrapping_add(node.start_byte());
        let statement = self.statement(first);
        self.base = outer;
        statement
    }

    /// `print x` of Python 2 is an error; `print >> file, x` is a legal (if useless) tuple.
    fn print_statement(&mut self, node: Node<'_>) -> StmtKind {
        let parts = children(node);
        let chevron = parts.iter().find(|c| c.called() == "chevron").copied();
        let (Some(chevron), Some(print)) = (chevron, parts.first().copied()) else {
            let span = self.span(node);
            self.error(span, "Missing parentheses in call to 'print'. Did you mean print(...)?");
            return StmtKind::Error;
        };
        let shifted = Expr {
            kind: ExprKind::BinOp {
                left: Box::new(Expr { kind: ExprKind::Name(self.name(print)), span: self.span(print) }),
                op: BinaryOp::RShift,
                right: Box::new(self.only(chevron)),
            },
            span: self.span_over(print, chevron),
        };
        if !has_comma(node) {
            return StmtKind::Expr(shifted);
        }
        let mut elements = vec![shifted];
        for argument in named(node) {
            if argument.id() != chevron.id() {
                elements.push(self.expression(argument));
            }
        }
        StmtKind::Expr(Expr { kind: ExprKind::Tuple(elements), span: self.span(node) })
    }
}
