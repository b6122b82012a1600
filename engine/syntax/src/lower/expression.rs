//! Expressions: operators, calls, attributes, subscripts, displays. Literals and comprehensions have their own files.

use super::operator::hoist_star;
use super::{Kind, Lower, children, field, fields, is_error, named};
use crate::ast::{Arg, Constant, Expr, ExprKind, UnaryOp};
use tree_sitter::Node;

impl Lower<'_> {
    /// Lowers any node that stands for a value or a target.
    pub(crate) fn expression(&mut self, node: Node<'_>) -> Expr {
        let node = unwrap_parentheses(node);
        let reported = self.errors.len();
        let lowered = self.deeper(node, |lower| lower.expression_here(node));
        let lowered = lowered.unwrap_or_else(|| self.error_expression(node));
        if matches!(lowered.kind, ExprKind::Error) {
            self.explain(node, reported);
        }
        match node.called() {
            // `[*f(x)]`: the grammar lets the star bind tighter than the call; Python does not.
            "call" | "attribute" | "subscript" | "binary_operator" if self.text(node).starts_with('*') => {
                hoist_star(lowered)
            }
            _ => lowered,
        }
    }

    /// An expression under a field; an error node at the end of `node` where there is none.
    pub(super) fn expression_field(&mut self, node: Node<'_>, name: &str) -> Expr {
        match field(node, name) {
            Some(child) => self.expression(child),
            None => Expr { kind: ExprKind::Error, span: self.span_between(node.end_byte(), node.end_byte()) },
        }
    }

    fn expression_here(&mut self, node: Node<'_>) -> Expr {
        if is_error(node) {
            return self.error_expression(node);
        }
        if node.has_error() && !holds_errors(node) && children(node).iter().any(|c| is_error(*c)) {
            return self.error_expression(node);
        }
        let kind = match node.called() {
            "identifier" if matches!(self.text(node), "async" | "await") => ExprKind::Error,
            "identifier" => ExprKind::Name(self.name(node)),
            "integer" | "float" => ExprKind::Constant(self.number(node)),
            "true" => ExprKind::Constant(Constant::Bool(true)),
            "false" => ExprKind::Constant(Constant::Bool(false)),
            "none" => ExprKind::Constant(Constant::None),
            "ellipsis" => ExprKind::Constant(Constant::Ellipsis),
            "string" | "concatenated_string" => self.string(node),
            "attribute" => self.attribute(node),
            "call" => self.call(node),
            "subscript" => self.subscript(node),
            "slice" => self.slice_expression(node),
            "binary_operator" => return self.binary(node),
            "unary_operator" => self.unary(node),
            "not_operator" => {
                ExprKind::UnaryOp { op: UnaryOp::Not, operand: Box::new(self.expression_field(node, "argument")) }
            }
            "boolean_operator" => self.boolean(node),
            "comparison_operator" => self.comparison(node),
            "conditional_expression" => self.conditional(node),
            "named_expression" => self.walrus(node),
            "lambda" => self.lambda(node),
            "tuple" | "tuple_pattern" => {
                let elements = self.elements(node);
                // `(a)` as a target is a tuple pattern to the grammar and a plain name to Python.
                if node.called() == "tuple_pattern" && !has_comma(node) && elements.len() == 1 {
                    return elements.into_iter().next().unwrap_or_else(|| self.error_expression(node));
                }
                ExprKind::Tuple(elements)
            }
            "expression_list" | "pattern_list" => ExprKind::Tuple(self.elements(node)),
            "list" | "list_pattern" => ExprKind::List(self.elements(node)),
            "set" => ExprKind::Set(self.elements(node)),
            "dictionary" => self.dictionary(node),
            "list_comprehension" | "set_comprehension" | "dictionary_comprehension" | "generator_expression" => {
                self.comprehension(node)
            }
            "list_splat" | "list_splat_pattern" => ExprKind::Starred(Box::new(self.only(node))),
            "parenthesized_expression" | "as_pattern_target" | "parenthesized_list_splat" => {
                return self.only(node);
            }
            "yield" => self.yield_expression(node),
            "await" => ExprKind::Await(Box::new(self.only(node))),
            "type" => return self.only(node),
            "member_type" | "union_type" | "generic_type" | "splat_type" | "constrained_type" => {
                self.type_expression(node)
            }
            "dotted_name" => return self.dotted_name(node),
            _ => ExprKind::Error,
        };
        Expr { kind, span: self.span(node) }
    }

    /// The single expression inside a wrapper node.
    pub(super) fn only(&mut self, node: Node<'_>) -> Expr {
        match named(node).as_slice() {
            [child] => self.expression(*child),
            _ => self.error_expression(node),
        }
    }

    /// The elements of a display or of a bare tuple.
    pub(super) fn elements(&mut self, node: Node<'_>) -> Vec<Expr> {
        named(node).into_iter().map(|child| self.expression(child)).collect()
    }

    fn attribute(&mut self, node: Node<'_>) -> ExprKind {
        let Some(name) = field(node, "attribute") else {
            return ExprKind::Error;
        };
        ExprKind::Attribute {
            value: Box::new(self.expression_field(node, "object")),
            name: self.name(name),
            name_span: self.span(name),
        }
    }

    fn call(&mut self, node: Node<'_>) -> ExprKind {
        let function = Box::new(self.expression_field(node, "function"));
        let args = match field(node, "arguments") {
            Some(generator) if generator.called() == "generator_expression" => {
                vec![Arg::Positional(self.expression(generator))]
            }
            Some(list) => self.arguments(list),
            None => Vec::new(),
        };
        ExprKind::Call { function, args }
    }

    /// The arguments of a call or the bases of a class.
    pub(super) fn arguments(&mut self, list: Node<'_>) -> Vec<Arg> {
        let mut args: Vec<Arg> = Vec::new();
        for child in named(list) {
            let arg = match child.called() {
                "list_splat" | "list_splat_pattern" => Arg::Star(self.only(child)),
                "dictionary_splat" => Arg::DoubleStar(self.only(child)),
                "keyword_argument" => {
                    let value = self.expression_field(child, "value");
                    match field(child, "name") {
                        Some(name) => Arg::Keyword(self.name(name), value, self.span(child)),
                        None => Arg::Positional(self.error_expression(child)),
                    }
                }
                _ => Arg::Positional(self.expression(child)),
            };
            self.check_argument_order(&args, &arg, child);
            args.push(arg);
        }
        args
    }

    fn check_argument_order(&mut self, before: &[Arg], arg: &Arg, node: Node<'_>) {
        let span = self.span(node);
        let keyword = before.iter().any(|a| matches!(a, Arg::Keyword(..)));
        let unpacking = before.iter().any(|a| matches!(a, Arg::DoubleStar(_)));
        match arg {
            Arg::Positional(value) if matches!(value.kind, ExprKind::Error) => {}
            Arg::Positional(_) if unpacking => {
                self.error(span, "positional argument follows keyword argument unpacking");
            }
            Arg::Positional(_) if keyword => {
                self.error(span, "positional argument follows keyword argument");
            }
            Arg::Star(_) if unpacking => {
                self.error(span, "iterable argument unpacking follows keyword argument unpacking")
            }
            Arg::Keyword(name, ..) if before.iter().any(|a| matches!(a, Arg::Keyword(other, ..) if other == name)) => {
                self.error(span, format!("keyword argument repeated: {name}"));
            }
            _ => {}
        }
    }

    fn subscript(&mut self, node: Node<'_>) -> ExprKind {
        let value = Box::new(self.expression_field(node, "value"));
        let subscripts = fields(node, "subscript");
        let index = match subscripts.as_slice() {
            [] => Expr { kind: ExprKind::Error, span: self.span(node) },
            [one] if !has_comma(node) && !self.text(*one).starts_with('*') => self.expression(*one),
            [first, .., last] | [first @ last] => {
                let span = self.span_between(first.start_byte(), trailing_end(node, *last));
                Expr { kind: ExprKind::Tuple(subscripts.iter().map(|s| self.expression(*s)).collect()), span }
            }
        };
        ExprKind::Subscript { value, index: Box::new(index) }
    }

    fn slice_expression(&mut self, node: Node<'_>) -> ExprKind {
        let mut parts = [None, None, None];
        let mut position = 0;
        for child in children(node) {
            if child.called() == ":" {
                position += 1;
            } else if let Some(part) = parts.get_mut(position) {
                *part = Some(Box::new(self.expression(child)));
            }
        }
        let [lower, upper, step] = parts;
        ExprKind::Slice { lower, upper, step }
    }

    fn walrus(&mut self, node: Node<'_>) -> ExprKind {
        let Some(target) = field(node, "name") else {
            return ExprKind::Error;
        };
        ExprKind::NamedExpr {
            target: self.name(target),
            target_span: self.span(target),
            value: Box::new(self.expression_field(node, "value")),
        }
    }

    fn dictionary(&mut self, node: Node<'_>) -> ExprKind {
        let entries = named(node)
            .into_iter()
            .map(|child| match child.called() {
                "pair" => (Some(self.expression_field(child, "key")), self.expression_field(child, "value")),
                "dictionary_splat" => (None, self.only(child)),
                _ => (Some(self.error_expression(child)), self.error_expression(child)),
            })
            .collect();
        ExprKind::Dict(entries)
    }

    fn yield_expression(&mut self, node: Node<'_>) -> ExprKind {
        let from = children(node).iter().any(|child| child.called() == "from");
        match (named(node).as_slice(), from) {
            ([], false) => ExprKind::Yield(None),
            ([value], false) => ExprKind::Yield(Some(Box::new(self.expression(*value)))),
            ([value], true) => ExprKind::YieldFrom(Box::new(self.expression(*value))),
            _ => ExprKind::Error,
        }
    }
}

/// Whether a node keeps errors among its elements. In any other, a broken part makes the whole unreadable.
fn holds_errors(node: Node<'_>) -> bool {
    matches!(node.called(), "argument_list" | "list" | "tuple" | "set" | "dictionary" | "expression_list")
}

/// The node inside any number of plain parentheses.
fn unwrap_parentheses(mut node: Node<'_>) -> Node<'_> {
    while node.called() == "parenthesized_expression" {
        match named(node).as_slice() {
            [inner] => node = *inner,
            _ => break,
        }
    }
    node
}

/// Where the elements of `node` end: a trailing comma belongs to the tuple, as in CPython.
pub(super) fn trailing_end(node: Node<'_>, last: Node<'_>) -> usize {
    children(node)
        .iter()
        .rev()
        .find(|child| child.called() == ",")
        .map_or(last.end_byte(), |comma| comma.end_byte().max(last.end_byte()))
}

/// Whether a comma stands among the node's own tokens.
pub(super) fn has_comma(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.called() == ",")
}
