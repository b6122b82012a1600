//! Expressions: operators, calls, attributes, subscripts, displays. Literals and comprehensions have their own files.

use super::{Lower, children, field, fields, is_error, named};
use crate::ast::{Arg, BinaryOp, BoolOp, CompareOp, Constant, Expr, ExprKind, UnaryOp};
use tree_sitter::Node;

impl Lower<'_> {
    /// Lowers any node that stands for a value or a target.
    pub(crate) fn expression(&mut self, node: Node<'_>) -> Expr {
        let node = unwrap_parentheses(node);
        let lowered = self.deeper(node, |lower| lower.expression_here(node));
        let lowered = lowered.unwrap_or_else(|| self.error_expression(node));
        match node.kind() {
            // `[*f(x)]`: the grammar lets the star bind tighter than the call; Python does not.
            "call" | "attribute" | "subscript" | "binary_operator"
                if self.text(node).starts_with('*') =>
            {
                hoist_star(lowered)
            }
            _ => lowered,
        }
    }

    /// An expression under a field; an error node at the end of `node` where there is none.
    pub(super) fn expression_field(&mut self, node: Node<'_>, name: &str) -> Expr {
        match field(node, name) {
            Some(child) => self.expression(child),
            None => Expr {
                kind: ExprKind::Error,
                span: self.span_between(node.end_byte(), node.end_byte()),
            },
        }
    }

    fn expression_here(&mut self, node: Node<'_>) -> Expr {
        if is_error(node) {
            return self.error_expression(node);
        }
        if node.has_error() && !holds_errors(node) && children(node).iter().any(|c| is_error(*c)) {
            return self.error_expression(node);
        }
        let kind = match node.kind() {
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
            "not_operator" => ExprKind::UnaryOp {
                op: UnaryOp::Not,
                operand: Box::new(self.expression_field(node, "argument")),
            },
            "boolean_operator" => self.boolean(node),
            "comparison_operator" => self.comparison(node),
            "conditional_expression" => self.conditional(node),
            "named_expression" => self.walrus(node),
            "lambda" => self.lambda(node),
            "tuple" | "tuple_pattern" => {
                let elements = self.elements(node);
                // `(a)` as a target is a tuple pattern to the grammar and a plain name to Python.
                if node.kind() == "tuple_pattern" && !has_comma(node) && elements.len() == 1 {
                    return elements
                        .into_iter()
                        .next()
                        .unwrap_or_else(|| self.error_expression(node));
                }
                ExprKind::Tuple(elements)
            }
            "expression_list" | "pattern_list" => ExprKind::Tuple(self.elements(node)),
            "list" | "list_pattern" => ExprKind::List(self.elements(node)),
            "set" => ExprKind::Set(self.elements(node)),
            "dictionary" => self.dictionary(node),
            "list_comprehension"
            | "set_comprehension"
            | "dictionary_comprehension"
            | "generator_expression" => self.comprehension(node),
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
            _ => {
                if !node.has_error() {
                    let span = self.span(node);
                    self.error(span, "invalid syntax");
                }
                ExprKind::Error
            }
        };
        Expr {
            kind,
            span: self.span(node),
        }
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
        named(node)
            .into_iter()
            .map(|child| self.expression(child))
            .collect()
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
            Some(generator) if generator.kind() == "generator_expression" => {
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
            let arg = match child.kind() {
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
                self.error(
                    span,
                    "positional argument follows keyword argument unpacking",
                );
            }
            Arg::Positional(_) if keyword => {
                self.error(span, "positional argument follows keyword argument");
            }
            Arg::Star(_) if unpacking => self.error(
                span,
                "iterable argument unpacking follows keyword argument unpacking",
            ),
            Arg::Keyword(name, ..)
                if before
                    .iter()
                    .any(|a| matches!(a, Arg::Keyword(other, ..) if other == name)) =>
            {
                self.error(span, format!("keyword argument repeated: {name}"));
            }
            _ => {}
        }
    }

    fn subscript(&mut self, node: Node<'_>) -> ExprKind {
        let value = Box::new(self.expression_field(node, "value"));
        let subscripts = fields(node, "subscript");
        let index = match subscripts.as_slice() {
            [] => Expr {
                kind: ExprKind::Error,
                span: self.span(node),
            },
            [one] if !has_comma(node) && !self.text(*one).starts_with('*') => self.expression(*one),
            [first, .., last] | [first @ last] => {
                let span = self.span_between(first.start_byte(), trailing_end(node, *last));
                Expr {
                    kind: ExprKind::Tuple(subscripts.iter().map(|s| self.expression(*s)).collect()),
                    span,
                }
            }
        };
        ExprKind::Subscript {
            value,
            index: Box::new(index),
        }
    }

    fn slice_expression(&mut self, node: Node<'_>) -> ExprKind {
        let mut parts = [None, None, None];
        let mut position = 0;
        for child in children(node) {
            if child.kind() == ":" {
                position += 1;
            } else if let Some(part) = parts.get_mut(position) {
                *part = Some(Box::new(self.expression(child)));
            }
        }
        let [lower, upper, step] = parts;
        ExprKind::Slice { lower, upper, step }
    }

    /// Left-leaning chains (`a + b + c + ...`) are walked, not recursed into, so long sums stay cheap on the stack.
    fn binary(&mut self, node: Node<'_>) -> Expr {
        let mut spine = vec![node];
        let mut leftmost = field(node, "left");
        while let Some(left) = leftmost.filter(|left| left.kind() == "binary_operator") {
            spine.push(left);
            leftmost = field(left, "left");
        }
        self.deeper_by(spine.len(), node, |lower| {
            let first = leftmost.map(|left| lower.expression(left));
            let first = first.unwrap_or_else(|| lower.error_expression(node));
            spine
                .into_iter()
                .rev()
                .fold(first, |left, node| lower.binary_link(node, left))
        })
        .unwrap_or_else(|| self.error_expression(node))
    }

    fn binary_link(&mut self, node: Node<'_>, left: Expr) -> Expr {
        let op = field(node, "operator").and_then(|o| binary_op(o.kind()));
        let whole = children(node).len() == 3;
        let right = self.expression_field(node, "right");
        let kind = match op {
            Some(op) if whole => ExprKind::BinOp {
                left: Box::new(left),
                op,
                right: Box::new(right),
            },
            _ => ExprKind::Error,
        };
        Expr {
            kind,
            span: self.span(node),
        }
    }

    fn unary(&mut self, node: Node<'_>) -> ExprKind {
        // Recovery may have put a plus in the place of a star that the grammar does not allow there.
        let op = match field(node, "operator").map(|o| self.text(o)) {
            Some("*") => {
                return ExprKind::Starred(Box::new(self.expression_field(node, "argument")));
            }
            Some("-") => UnaryOp::Neg,
            Some("+") => UnaryOp::Pos,
            Some("~") => UnaryOp::Invert,
            _ => return ExprKind::Error,
        };
        ExprKind::UnaryOp {
            op,
            operand: Box::new(self.expression_field(node, "argument")),
        }
    }

    fn boolean(&mut self, node: Node<'_>) -> ExprKind {
        let symbol = field(node, "operator").map(|o| o.kind());
        let op = match symbol {
            Some("and") => BoolOp::And,
            Some("or") => BoolOp::Or,
            _ => return ExprKind::Error,
        };
        // `a and b and c` leans left in the grammar and is one flat node in Python.
        let mut right = Vec::new();
        let mut current = node;
        let first = loop {
            right.extend(field(current, "right"));
            match field(current, "left") {
                Some(left)
                    if left.kind() == "boolean_operator"
                        && field(left, "operator").map(|o| o.kind()) == symbol =>
                {
                    current = left;
                }
                other => break other,
            }
        };
        let values = first
            .into_iter()
            .chain(right.into_iter().rev())
            .map(|value| self.expression(value))
            .collect();
        ExprKind::BoolOp { op, values }
    }

    fn comparison(&mut self, node: Node<'_>) -> ExprKind {
        let mut operands = Vec::new();
        let mut ops = Vec::new();
        for child in children(node) {
            if child.is_named() && child.kind() != "not in" && child.kind() != "is not" {
                operands.push(self.expression(child));
            } else {
                match compare_op(child.kind()) {
                    Some(op) => ops.push(op),
                    None => return ExprKind::Error,
                }
            }
        }
        if operands.len() != ops.len() + 1 {
            return ExprKind::Error;
        }
        let left = Box::new(operands.remove(0));
        ExprKind::Compare {
            left,
            ops,
            rest: operands,
        }
    }

    fn conditional(&mut self, node: Node<'_>) -> ExprKind {
        let parts = named(node);
        let [body, test, orelse] = parts.as_slice() else {
            return ExprKind::Error;
        };
        ExprKind::IfExp {
            test: Box::new(self.expression(*test)),
            body: Box::new(self.expression(*body)),
            orelse: Box::new(self.expression(*orelse)),
        }
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
            .map(|child| match child.kind() {
                "pair" => (
                    Some(self.expression_field(child, "key")),
                    self.expression_field(child, "value"),
                ),
                "dictionary_splat" => (None, self.only(child)),
                _ => (
                    Some(self.error_expression(child)),
                    self.error_expression(child),
                ),
            })
            .collect();
        ExprKind::Dict(entries)
    }

    fn yield_expression(&mut self, node: Node<'_>) -> ExprKind {
        let from = children(node).iter().any(|child| child.kind() == "from");
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
    matches!(
        node.kind(),
        "argument_list" | "list" | "tuple" | "set" | "dictionary" | "expression_list"
    )
}

/// `(*a).b + c` as lowered, to `*(a.b + c)` as meant.
fn hoist_star(mut expr: Expr) -> Expr {
    let whole = expr.span;
    let mut current = &mut expr;
    let start = loop {
        let left = match &mut current.kind {
            ExprKind::BinOp { left, .. } => left,
            ExprKind::Call { function, .. } => function,
            ExprKind::Attribute { value, .. } | ExprKind::Subscript { value, .. } => value,
            ExprKind::Starred(_) => break None,
            _ => return expr,
        };
        if let ExprKind::Starred(inner) = &left.kind {
            let inner = (**inner).clone();
            let start = inner.span.start;
            **left = inner;
            break Some(start);
        }
        current = left;
    };
    let Some(start) = start else {
        return expr;
    };
    // Everything down the left edge began at the star.
    let mut current = &mut expr;
    while current.span.start == whole.start {
        current.span.start = start;
        current = match &mut current.kind {
            ExprKind::BinOp { left, .. } => left,
            ExprKind::Call { function, .. } => function,
            ExprKind::Attribute { value, .. } | ExprKind::Subscript { value, .. } => value,
            _ => break,
        };
    }
    Expr {
        kind: ExprKind::Starred(Box::new(expr)),
        span: whole,
    }
}

/// The node inside any number of plain parentheses.
fn unwrap_parentheses(mut node: Node<'_>) -> Node<'_> {
    while node.kind() == "parenthesized_expression" {
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
        .find(|child| child.kind() == ",")
        .map_or(last.end_byte(), |comma| {
            comma.end_byte().max(last.end_byte())
        })
}

/// Whether a comma stands among the node's own tokens.
pub(super) fn has_comma(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind() == ",")
}

/// `+` to its operator.
pub(crate) fn binary_op(symbol: &str) -> Option<BinaryOp> {
    Some(match symbol {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Sub,
        "*" => BinaryOp::Mult,
        "@" => BinaryOp::MatMult,
        "/" => BinaryOp::Div,
        "//" => BinaryOp::FloorDiv,
        "%" => BinaryOp::Mod,
        "**" => BinaryOp::Pow,
        "<<" => BinaryOp::LShift,
        ">>" => BinaryOp::RShift,
        "|" => BinaryOp::BitOr,
        "^" => BinaryOp::BitXor,
        "&" => BinaryOp::BitAnd,
        _ => return None,
    })
}

fn compare_op(symbol: &str) -> Option<CompareOp> {
    Some(match symbol {
        "==" => CompareOp::Eq,
        "!=" => CompareOp::NotEq,
        "<" => CompareOp::Lt,
        "<=" => CompareOp::LtE,
        ">" => CompareOp::Gt,
        ">=" => CompareOp::GtE,
        "is" => CompareOp::Is,
        "is not" => CompareOp::IsNot,
        "in" => CompareOp::In,
        "not in" => CompareOp::NotIn,
        _ => return None,
    })
}
