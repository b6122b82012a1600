//! Says what is wrong with a line that does not parse, in CPython's words where CPython has better ones than
//! "invalid syntax". Looks at tokens; the line's brackets and strings are known to be whole.

use super::Recover;
use super::simple::split;
use crate::ast::{Expr, ExprKind, SyntaxError};
use crate::check::target_kind;
use crate::layout::Line;
use crate::span::Span;
use crate::token::{Token, TokenKind, tokens};
use tree_sitter::{Node, Tree};

impl Recover<'_, '_> {
    /// The error of a line whose brackets, strings and indentation are in order.
    pub(super) fn diagnose(&mut self, line: &Line) -> SyntaxError {
        let text = &self.lower.source.text;
        let found = tokens(text, line.start, line.end);
        self.lowered_error(line)
            .or_else(|| self.wrong_number(&found))
            .or_else(|| self.wrong_fstring(&found))
            .or_else(|| self.wrong_argument(&found))
            .or_else(|| self.forgotten_comma(&found))
            .or_else(|| self.forgotten_else(&found))
            .or_else(|| self.wrong_assignment(&found))
            .unwrap_or_else(|| SyntaxError { span: self.error_place(line, &found), message: "invalid syntax".into() })
    }

    /// Python 2's print and exec parse, and are refused when lowered.
    fn lowered_error(&mut self, line: &Line) -> Option<SyntaxError> {
        let reported = self.lower.errors.len();
        self.lower_one(self.slice(line.start, line.end), line.start, line.end);
        let mut new = self.lower.errors.split_off(reported).into_iter();
        new.next()
    }

    /// `1x`, `0b12`, `1__0`
    fn wrong_number(&self, tokens: &[Token]) -> Option<SyntaxError> {
        let text = &self.lower.source.text;
        let number = tokens.iter().filter(|token| token.kind == TokenKind::Number);
        for token in number {
            let word = token.text(text).to_ascii_lowercase();
            let (kind, body, digits): (_, &str, fn(char) -> bool) = match word.get(..2) {
                Some("0x") => ("hexadecimal", &word[2..], |c| c.is_ascii_hexdigit()),
                Some("0o") => ("octal", &word[2..], |c| ('0'..='7').contains(&c)),
                Some("0b") => ("binary", &word[2..], |c| matches!(c, '0' | '1')),
                _ => ("decimal", word.as_str(), |c| c.is_ascii_digit()),
            };
            let is_decimal = kind == "decimal";
            let allowed = |c: char| digits(c) || c == '_' || (is_decimal && matches!(c, '.' | 'e' | 'j' | '+' | '-'));
            let wrong = body.find(|c: char| !allowed(c));
            if wrong.is_none() && !word.contains("__") && !word.ends_with('_') && !body.is_empty() {
                continue;
            }
            let message = match wrong.and_then(|at| body[at..].chars().next()) {
                Some(c) if c.is_ascii_digit() => format!("invalid digit '{c}' in {kind} literal"),
                _ => format!("invalid {kind} literal"),
            };
            return Some(SyntaxError { span: self.span(token.start, token.end), message });
        }
        None
    }

    /// `f"{a"`, `f"{}"`, `f"}"`
    fn wrong_fstring(&self, tokens: &[Token]) -> Option<SyntaxError> {
        let text = &self.lower.source.text;
        tokens.iter().filter(|token| token.kind == TokenKind::String).find_map(|token| {
            let what = fstring_problem(token.text(text))?;
            Some(SyntaxError { span: self.span(token.start, token.end), message: format!("f-string: {what}") })
        })
    }

    /// `f(1=2)`, `f(True=1)`, `f(x for x in y, 1)`
    fn wrong_argument(&self, tokens: &[Token]) -> Option<SyntaxError> {
        let text = &self.lower.source.text;
        // For each open bracket: whether it is a call's, and where its current argument starts.
        let mut open: Vec<(bool, usize, bool)> = Vec::new();
        for (index, token) in tokens.iter().enumerate() {
            let is_call = |index: usize| index > 0 && token.text(text) == "(" && tokens[index - 1].ends_operand(text);
            match token.text(text) {
                "(" | "[" | "{" => open.push((is_call(index), index + 1, false)),
                ")" | "]" | "}" => drop(open.pop()),
                "for" => {
                    if let Some((_, _, generator)) = open.last_mut() {
                        *generator = true;
                    }
                }
                "," => {
                    if let Some((call, start, generator)) = open.last_mut() {
                        let next_closes = tokens.get(index + 1).is_none_or(|t| t.text(text) == ")");
                        if *call && *generator && !next_closes {
                            return Some(SyntaxError {
                                span: self.span(tokens[*start].start, tokens[index - 1].end),
                                message: "Generator expression must be parenthesized".into(),
                            });
                        }
                        (*start, *generator) = (index + 1, false);
                    }
                }
                "=" => {
                    let Some(&(true, start, _)) = open.last() else {
                        continue;
                    };
                    let name = tokens.get(start..index).unwrap_or_default();
                    let (Some(first), Some(last)) = (name.first(), name.last()) else {
                        continue;
                    };
                    let word = last.text(text);
                    let message = match (name.len(), word) {
                        (1, "True" | "False" | "None") => format!("cannot assign to {word}"),
                        (1, _) if last.kind == TokenKind::Name => continue,
                        _ if name.iter().any(|t| matches!(t.text(text), "lambda" | ":=")) => {
                            continue;
                        }
                        _ => "expression cannot contain assignment, perhaps you meant \"==\"?".into(),
                    };
                    return Some(SyntaxError { span: self.span(first.start, token.end), message });
                }
                _ => {}
            }
        }
        None
    }

    /// Two values side by side inside brackets.
    fn forgotten_comma(&mut self, tokens: &[Token]) -> Option<SyntaxError> {
        let text = &self.lower.source.text;
        let mut open: Vec<usize> = Vec::new();
        for (index, pair) in tokens.windows(2).enumerate() {
            match pair[0].text(text) {
                "(" | "[" | "{" => open.push(index),
                ")" | "]" | "}" => drop(open.pop()),
                _ => {}
            }
            let strings = pair.iter().all(|token| token.kind == TokenKind::String);
            if !open.is_empty() && !strings && pair[0].ends_operand(text) && pair[1].starts_operand(text) {
                return Some(SyntaxError {
                    span: self.span(pair[0].start, pair[1].end),
                    message: "invalid syntax. Perhaps you forgot a comma?".into(),
                });
            }
        }
        None
    }

    /// `a if b`
    fn forgotten_else(&self, tokens: &[Token]) -> Option<SyntaxError> {
        let text = &self.lower.source.text;
        let mut start = 0;
        let mut condition = None;
        let mut depth = 0usize;
        for (index, pair) in tokens.windows(2).enumerate() {
            match pair[1].text(text) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                "=" if depth == 0 && condition.is_none() => start = index + 2,
                "else" | "for" | "case" if depth == 0 => return None,
                "if" if depth == 0 && pair[0].ends_operand(text) => condition = Some(index + 1),
                _ => {}
            }
        }
        condition?;
        let (first, last) = (tokens.get(start)?, tokens.last()?);
        if first.text(text) == "case" || !last.ends_operand(text) {
            return None;
        }
        Some(SyntaxError {
            span: self.span(first.start, last.end),
            message: "expected 'else' after 'if' expression".into(),
        })
    }

    /// `f() = 1`, `if x = 1:`
    fn wrong_assignment(&mut self, tokens: &[Token]) -> Option<SyntaxError> {
        let text = &self.lower.source.text;
        let first = tokens.first()?;
        let sides = split(tokens, text, "=");
        if sides.len() < 2 {
            return None;
        }
        if matches!(first.text(text), "if" | "elif" | "while") {
            let (left, right) = (sides[0].get(1)?, sides[1].last()?);
            let end = if right.text(text) == ":" { right.start } else { right.end };
            return Some(SyntaxError {
                span: self.span(left.start, end),
                message: "invalid syntax. Maybe you meant '==' or ':=' instead of '='?".into(),
            });
        }
        for side in &sides[..sides.len() - 1] {
            let (first, last) = (side.first()?, side.last()?);
            let target = self.salvage_expression(first.start, last.end);
            if let Some((span, what)) = wrong_target(&target) {
                let message = match what {
                    "True" | "False" | "None" | "ellipsis" => format!("cannot assign to {what}"),
                    "yield expression" if sides.len() > 2 => "assignment to yield expression not possible".into(),
                    "comparison" | "conditional expression" | "lambda" => {
                        format!("cannot assign to {what}")
                    }
                    _ if first.text(text) == "not" || sides.len() > 2 => {
                        format!("cannot assign to {what}")
                    }
                    _ if span.end as usize == last.end || span == target.span => {
                        format!("cannot assign to {what} here. Maybe you meant '==' instead of '='?")
                    }
                    _ => format!("cannot assign to {what}"),
                };
                return Some(SyntaxError { span, message });
            }
        }
        None
    }

    /// The first thing that tree-sitter could not place, or the end of the line where something is missing there.
    fn error_place(&mut self, line: &Line, tokens: &[Token]) -> Span {
        let text = self.slice(line.start, line.end);
        let tree = self.parse(text);
        let place = tree.as_ref().and_then(first_error);
        let (start, end) = place.map_or((line.start, line.end), |(start, end)| (line.start + start, line.start + end));
        // The whole line as one error says nothing: an operator that waits for a value does.
        let source = &self.lower.source.text;
        if let Some(last) = tokens.last()
            && (start == line.start || start >= last.end)
            && last.kind == TokenKind::Operator
            && !last.ends_operand(source)
        {
            return self.span(last.start, last.end);
        }
        if start >= end {
            return match tokens.iter().find(|token| token.end > start).or(tokens.last()) {
                Some(token) => self.span(token.start, token.end),
                None => self.span(line.start, line.end),
            };
        }
        self.span(start, end.min(line.end))
    }
}

fn wrong_target(target: &Expr) -> Option<(Span, &'static str)> {
    match &target.kind {
        ExprKind::Tuple(elements) | ExprKind::List(elements) => elements.iter().find_map(wrong_target),
        ExprKind::Starred(inner) => wrong_target(inner),
        _ => target_kind(target).map(|what| (target.span, what)),
    }
}

/// What is wrong with the braces of an f-string, in CPython 3.11's words.
fn fstring_problem(token: &str) -> Option<&'static str> {
    let prefix = token.find(['"', '\''])?;
    if !token[..prefix].contains(['f', 'F']) {
        return None;
    }
    let body = token[prefix..].trim_matches(char::from(token.as_bytes()[prefix]));
    let mut rest = body;
    while let Some(at) = rest.find(['{', '}']) {
        let doubled = rest[at..].starts_with("{{") || rest[at..].starts_with("}}");
        let brace = &rest[at..=at];
        rest = &rest[at + if doubled { 2 } else { 1 }..];
        if doubled {
            continue;
        }
        if brace == "}" {
            return Some("single '}' is not allowed");
        }
        if rest.trim_start().starts_with(['}', '!', ':', '=']) {
            return Some("empty expression not allowed");
        }
        // Skip the field with the braces inside it.
        let mut depth = 1usize;
        let mut end = None;
        for (at, c) in rest.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                end = Some(at + 1);
                break;
            }
        }
        match end {
            Some(end) => rest = &rest[end..],
            None => return Some("expecting '}'"),
        }
    }
    None
}

/// The smallest first ERROR or MISSING node.
fn first_error(tree: &Tree) -> Option<(usize, usize)> {
    let mut cursor = tree.walk();
    let mut found: Option<Node<'_>> = None;
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            found = Some(node);
        }
        let descended = node.has_error() && cursor.goto_first_child();
        if descended {
            continue;
        }
        if found.is_some() {
            break;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return None;
            }
        }
    }
    found.map(|node| (node.start_byte(), node.end_byte()))
}
