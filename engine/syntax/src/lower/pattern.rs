//! `match` patterns.

use super::{Kind, Lower, children, field, named};
use crate::ast::{BinaryOp, Constant, Expr, ExprKind, MatchCase, Name, Pattern, UnaryOp};
use crate::lower::expression::has_comma;
use tree_sitter::Node;

impl Lower<'_> {
    /// One `case`.
    pub(super) fn case(&mut self, node: Node<'_>) -> MatchCase {
        self.starts_line(node);
        let patterns: Vec<_> = named(node).into_iter().filter(|child| child.called() == "case_pattern").collect();
        let pattern = match patterns.as_slice() {
            [one] if !has_comma(node) && !is_star(*one) => self.pattern(*one),
            many => Pattern::Sequence(many.iter().map(|p| self.pattern(*p)).collect()),
        };
        let guard = field(node, "guard").map(|guard| self.only(guard));
        let body = self.suite(field(node, "consequence"));
        MatchCase { pattern, guard, span: self.compound_span(node, &body), body }
    }

    fn pattern(&mut self, node: Node<'_>) -> Pattern {
        self.deeper(node, |lower| match node.called() {
            "case_pattern" => {
                let parts = children(node);
                lower.pattern_of(node, &parts)
            }
            _ => lower.pattern_of(node, &[node]),
        })
        .unwrap_or_else(|| Pattern::Value(self.error_expression(node)))
    }

    /// A pattern from the nodes that spell it: one, or a sign and a number.
    fn pattern_of(&mut self, whole: Node<'_>, parts: &[Node<'_>]) -> Pattern {
        let node = match parts {
            [one] => *one,
            [sign, number] if sign.called() == "-" => {
                return Pattern::Value(Expr {
                    kind: ExprKind::UnaryOp { op: UnaryOp::Neg, operand: Box::new(self.expression(*number)) },
                    span: self.span_over(*sign, *number),
                });
            }
            _ => return Pattern::Value(self.error_expression(whole)),
        };
        match node.called() {
            "_" => Pattern::Wildcard,
            "case_pattern" => self.pattern(node),
            "dotted_name" | "identifier" => self.name_pattern(node),
            "true" => Pattern::Singleton(Constant::Bool(true)),
            "false" => Pattern::Singleton(Constant::Bool(false)),
            "none" => Pattern::Singleton(Constant::None),
            "integer" | "float" => Pattern::Value(self.expression(node)),
            "string" | "concatenated_string" => {
                let value = self.expression(node);
                if matches!(value.kind, ExprKind::FString(_)) {
                    self.error(value.span, "patterns may only match literals and attribute lookups");
                }
                Pattern::Value(value)
            }
            "complex_pattern" => Pattern::Value(self.complex_pattern(node)),
            "as_pattern" => self.as_pattern(node),
            "union_pattern" => Pattern::Or(self.pattern_groups(node, "|")),
            "list_pattern" => Pattern::Sequence(self.patterns(node)),
            "tuple_pattern" => {
                let mut patterns = self.patterns(node);
                if patterns.len() == 1 && !has_comma(node) && !matches!(patterns[0], Pattern::Star(_)) {
                    return patterns.remove(0);
                }
                Pattern::Sequence(patterns)
            }
            "splat_pattern" => Pattern::Star(self.splat_name(node)),
            "class_pattern" => self.class_pattern(node),
            "dict_pattern" => self.mapping_pattern(node),
            _ => Pattern::Value(self.error_expression(node)),
        }
    }

    fn name_pattern(&mut self, node: Node<'_>) -> Pattern {
        let value = self.expression(node);
        match value.kind {
            ExprKind::Name(name) if &*name == "_" => Pattern::Wildcard,
            ExprKind::Name(name) => Pattern::Capture { pattern: None, name, span: value.span },
            _ => Pattern::Value(value),
        }
    }

    fn as_pattern(&mut self, node: Node<'_>) -> Pattern {
        let parts = named(node);
        let [inner, name] = parts.as_slice() else {
            return Pattern::Value(self.error_expression(node));
        };
        Pattern::Capture {
            pattern: Some(Box::new(self.pattern(*inner))),
            name: self.name(*name),
            span: self.span(*name),
        }
    }

    fn patterns(&mut self, node: Node<'_>) -> Vec<Pattern> {
        named(node).into_iter().map(|p| self.pattern(p)).collect()
    }

    /// The patterns between `separator`s, where the grammar leaves a sign beside its number.
    fn pattern_groups(&mut self, node: Node<'_>, separator: &str) -> Vec<Pattern> {
        let parts = children(node);
        parts.split(|part| part.called() == separator).map(|group| self.pattern_of(node, group)).collect()
    }

    /// `-1 + 2j`
    fn complex_pattern(&mut self, node: Node<'_>) -> Expr {
        let parts = children(node);
        let negative = parts.first().is_some_and(|first| first.called() == "-");
        let (&[real, sign, imaginary], Some(first)) = (&parts[usize::from(negative)..], parts.first()) else {
            return self.error_expression(node);
        };
        let mut left = self.expression(real);
        if negative {
            left = Expr {
                kind: ExprKind::UnaryOp { op: UnaryOp::Neg, operand: Box::new(left) },
                span: self.span_over(*first, real),
            };
        }
        Expr {
            kind: ExprKind::BinOp {
                left: Box::new(left),
                op: if sign.called() == "-" { BinaryOp::Sub } else { BinaryOp::Add },
                right: Box::new(self.expression(imaginary)),
            },
            span: self.span(node),
        }
    }

    fn class_pattern(&mut self, node: Node<'_>) -> Pattern {
        let parts = named(node);
        let Some((class, arguments)) = parts.split_first() else {
            return Pattern::Value(self.error_expression(node));
        };
        let class = self.expression(*class);
        let (mut positional, mut keywords) = (Vec::new(), Vec::new());
        for argument in arguments {
            let inner = match named(*argument).as_slice() {
                [inner] if argument.called() == "case_pattern" => *inner,
                _ => *argument,
            };
            if let Some(keyword) = self.keyword_pattern(inner) {
                keywords.push(keyword);
            } else {
                if !keywords.is_empty() {
                    let span = self.span(*argument);
                    self.error(span, "positional patterns follow keyword patterns");
                }
                positional.push(self.pattern(*argument));
            }
        }
        Pattern::Class { class, positional, keywords }
    }

    /// `name=pattern`, or `name=pattern as target`, which the grammar groups the other way round.
    fn keyword_pattern(&mut self, node: Node<'_>) -> Option<(Name, Pattern)> {
        match node.called() {
            "keyword_pattern" => match children(node).as_slice() {
                [name, _, value @ ..] => Some((self.name(*name), self.pattern_of(node, value))),
                _ => None,
            },
            "as_pattern" => {
                let parts = named(node);
                let [inner, target] = parts.as_slice() else {
                    return None;
                };
                let inner = named(*inner).first().copied()?;
                let (name, pattern) = self.keyword_pattern(inner)?;
                let pattern = Pattern::Capture {
                    pattern: Some(Box::new(pattern)),
                    name: self.name(*target),
                    span: self.span(*target),
                };
                Some((name, pattern))
            }
            _ => None,
        }
    }

    fn mapping_pattern(&mut self, node: Node<'_>) -> Pattern {
        let (mut keys, mut patterns, mut rest) = (Vec::new(), Vec::new(), None);
        let parts = children(node);
        let inner = parts.get(1..parts.len().saturating_sub(1)).unwrap_or_default();
        for entry in inner.split(|part| part.called() == ",") {
            match entry {
                [] => {}
                [splat] if splat.called() == "splat_pattern" => rest = self.splat_name(*splat),
                [key @ .., _, value] => {
                    match self.pattern_of(node, key) {
                        Pattern::Value(key) => keys.push(key),
                        Pattern::Singleton(constant) => {
                            keys.push(Expr { kind: ExprKind::Constant(constant), span: self.span(key[0]) })
                        }
                        _ => keys.push(self.error_expression(node)),
                    }
                    patterns.push(self.pattern(*value));
                }
                [other] => {
                    keys.push(self.error_expression(*other));
                    patterns.push(Pattern::Wildcard);
                }
            }
        }
        Pattern::Mapping { keys, patterns, rest }
    }

    /// `None` for `*_`.
    fn splat_name(&mut self, node: Node<'_>) -> Option<Name> {
        let name = named(node).first().copied()?;
        let name = self.name(name);
        (&*name != "_").then_some(name)
    }
}

/// Whether a `case_pattern` is `*name`: a sequence of its own.
fn is_star(node: Node<'_>) -> bool {
    named(node).first().is_some_and(|child| child.called() == "splat_pattern")
}
