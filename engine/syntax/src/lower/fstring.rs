//! The inside of an f-string: literal text, replacement fields, format specs. Nested quotes are the grammar's business.

use super::string::{Opening, push_text};
use super::{Kind, Lower, children, field, named};
use crate::ast::{Expr, ExprKind, FStringField, FStringPart};
use std::sync::Arc;
use tree_sitter::Node;

impl Lower<'_> {
    /// Appends the parts of one f-string whose contents lie between `start` and `end`.
    pub(super) fn fstring(
        &mut self,
        node: Node<'_>,
        start: usize,
        end: usize,
        opening: Opening,
        parts: &mut Vec<FStringPart>,
    ) {
        let fields = named(node).into_iter().filter(|child| child.called() == "interpolation");
        let mut position = start;
        for child in fields {
            self.fstring_text(position, child.start_byte(), opening.raw, parts);
            self.replacement_field(child, opening.raw, parts);
            position = child.end_byte();
        }
        self.fstring_text(position, end, opening.raw, parts);
    }

    /// Literal text: `{{` and `}}` are braces. `\N{...}` is not a field, so braces are undoubled outside it.
    fn fstring_text(&mut self, start: usize, end: usize, raw: bool, parts: &mut Vec<FStringPart>) {
        if start >= end {
            return;
        }
        let mut position = start;
        let text = self.slice(start, end);
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let doubled = matches!(&bytes[at..], [b'{', b'{', ..] | [b'}', b'}', ..]);
            if doubled {
                // The first brace is text, the second is dropped.
                let piece = self.decode(position, start + at + 1, raw);
                push_text(parts, piece);
                at += 2;
                position = start + at;
            } else if !raw && bytes[at..].starts_with(b"\\N{") {
                at += text[at..].find('}').map_or(3, |close| close + 1);
            } else if !raw && bytes[at] == b'\\' && !matches!(bytes.get(at + 1), Some(b'{' | b'}')) {
                at += 2;
            } else {
                at += 1;
            }
        }
        let piece = self.decode(position, end, raw);
        push_text(parts, piece);
    }

    fn replacement_field(&mut self, node: Node<'_>, raw: bool, parts: &mut Vec<FStringPart>) {
        let expression = field(node, "expression");
        let conversion_node = field(node, "type_conversion");
        let spec_node = field(node, "format_specifier");
        let value = match expression {
            Some(expression) => self.field_value(node, expression),
            None => self.error_expression(node),
        };
        let equals = children(node).into_iter().find(|child| child.called() == "=");
        let mut conversion = None;
        if let Some(conversion_node) = conversion_node {
            conversion = self.text(conversion_node).chars().nth(1);
            if !matches!(conversion, Some('r' | 's' | 'a')) {
                let span = self.span(conversion_node);
                self.error(span, "f-string: invalid conversion character: expected 's', 'r', or 'a'");
                conversion = None;
            }
        }
        let debug_text = equals.map(|_| {
            // Everything after the brace, up to the conversion, spec or closing brace: spaces and `=` included.
            let end = conversion_node.or(spec_node).map_or(node.end_byte().saturating_sub(1), |next| next.start_byte());
            let text = self.slice(node.start_byte() + 1, end);
            Arc::from(text)
        });
        if debug_text.is_some() && conversion.is_none() && spec_node.is_none() {
            // As in CPython's tree, `{x=}` shows the repr.
            conversion = Some('r');
        }
        let mut spec = Vec::new();
        if let Some(spec_node) = spec_node {
            self.format_spec(spec_node, raw, &mut spec);
        }
        parts.push(FStringPart::Field(FStringField { value, debug_text, conversion, spec: spec.into() }));
    }

    /// The value of a field. The grammar reads `{a, b}` as a list without parentheses, as Python does.
    fn field_value(&mut self, node: Node<'_>, expression: Node<'_>) -> Expr {
        let broken = named(node).iter().any(|child| child.is_error());
        if broken {
            return Expr { kind: ExprKind::Error, span: self.span(expression) };
        }
        self.expression(expression)
    }

    fn format_spec(&mut self, node: Node<'_>, raw: bool, parts: &mut Vec<FStringPart>) {
        // The node starts at the colon.
        let mut position = node.start_byte() + 1;
        for child in named(node) {
            if !matches!(child.called(), "format_expression" | "interpolation") {
                continue;
            }
            let text = self.decode(position, child.start_byte(), raw);
            push_text(parts, text);
            self.deeper(child, |lower| lower.replacement_field(child, raw, parts));
            position = child.end_byte();
        }
        let text = self.decode(position, node.end_byte(), raw);
        push_text(parts, text);
    }
}
