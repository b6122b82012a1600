//! Simple statements that do not parse: what can be kept of them.
//! An assignment keeps its targets, so that the names stay bound; a call keeps the arguments that are whole.

use super::Recover;
use crate::ast::{Expr, ExprKind, Stmt, StmtKind};
use crate::layout::Line;
use crate::lower::{binary_op, named};
use crate::token::{Token, TokenKind, mask_format_specs, tokens};

impl Recover<'_, '_> {
    /// A line of simple statements.
    pub(super) fn simple(&mut self, line: &Line, statements: &mut Vec<Stmt>) {
        if line.problem.is_none() && self.lower_range(line.start, line.end, statements) {
            return;
        }
        self.report(line);
        self.salvage_statements(line.start, line.end, statements);
    }

    /// The statements between semicolons, each as far as it can be read. Reports nothing.
    pub(super) fn salvage_statements(&mut self, start: usize, end: usize, statements: &mut Vec<Stmt>) {
        let text = &self.lower.source.text;
        let tokens = tokens(text, start, end);
        let pieces: Vec<Vec<Token>> = split(&tokens, text, ";");
        let reported = self.lower.errors.len();
        for piece in pieces {
            let (Some(first), Some(last)) = (piece.first(), piece.last()) else {
                continue;
            };
            if self.lower_range(first.start, last.end, statements) {
                continue;
            }
            let statement = Stmt { kind: self.salvage_statement(&piece), span: self.span(first.start, last.end) };
            statements.push(statement);
        }
        self.lower.errors.truncate(reported);
    }

    fn salvage_statement(&mut self, tokens: &[Token]) -> StmtKind {
        let text = &self.lower.source.text;
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else {
            return StmtKind::Error;
        };
        let sides = split(tokens, text, "=");
        if let [targets @ .., value] = sides.as_slice()
            && targets.first().is_some_and(|target| !target.is_empty())
        {
            // `x = = 1`: the target is plain, the value anybody's guess.
            let doubled = targets.iter().any(Vec::is_empty);
            let written = targets.iter().filter(|target| !target.is_empty());
            let targets: Vec<Expr> = written.map(|t| self.salvage_tokens(t)).collect();
            let value = match value.as_slice() {
                value if !doubled && !value.is_empty() => self.salvage_tokens(value),
                _ => self.nothing(last.end),
            };
            return StmtKind::Assign { targets, value };
        }
        let augmented = tokens.iter().position(|token| {
            let word = token.text(text);
            token.kind == TokenKind::Operator
                && word.len() > 1
                && binary_op(word.trim_end_matches('=')).is_some()
                && word.ends_with('=')
        });
        if let Some(position) = augmented
            && let Some(op) = binary_op(tokens[position].text(text).trim_end_matches('='))
        {
            let target = self.salvage_tokens(&tokens[..position]);
            let value = self.salvage_tokens(&tokens[position + 1..]);
            return StmtKind::AugAssign { target, op, value };
        }
        if first.text(text) == "return" {
            let value = self.salvage_tokens(&tokens[1..]);
            return StmtKind::Return(Some(value));
        }
        if first.kind == TokenKind::Name && crate::token::is_keyword(first.text(text)) {
            return StmtKind::Error;
        }
        match self.salvage_tokens(tokens) {
            Expr { kind: ExprKind::Error, .. } => StmtKind::Error,
            expr => StmtKind::Expr(expr),
        }
    }

    fn nothing(&self, at: usize) -> Expr {
        Expr { kind: ExprKind::Error, span: self.span(at, at) }
    }

    fn salvage_tokens(&mut self, tokens: &[Token]) -> Expr {
        match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) => self.salvage_expression(first.start, last.end),
            _ => self.nothing(self.lower.base),
        }
    }

    /// The expression in a range of the file, with error nodes in the places that cannot be read. Brackets left open
    /// are closed, and a name is put after a final dot (it shows as an empty attribute name).
    pub(super) fn salvage_expression(&mut self, start: usize, end: usize) -> Expr {
        let failed = Expr { kind: ExprKind::Error, span: self.span(start, end) };
        let text = &self.lower.source.text;
        let found = tokens(text, start, end);
        let mut open: Vec<&str> = Vec::new();
        for token in found.iter().filter(|t| t.kind == TokenKind::Operator) {
            match token.text(text) {
                "(" => open.push(")"),
                "[" => open.push("]"),
                "{" => open.push("}"),
                close @ (")" | "]" | "}") if open.pop() != Some(close) => return failed,
                _ => {}
            }
        }
        if open.len() > 200 {
            return failed;
        }
        let mut slice = self.slice(start, end).to_string();
        if found.last().is_some_and(|last| last.text(text) == ".") {
            slice.push('_');
        }
        slice.extend(open.iter().rev().copied());
        let Some(tree) = self.parse(&slice) else {
            return failed;
        };
        let nodes = named(tree.root_node());
        let inner = nodes.first().map(|node| named(*node));
        let reported = self.lower.errors.len();
        self.lower.at(start, end);
        let expr = match (nodes.as_slice(), inner.as_deref()) {
            ([statement], Some([value])) if statement.kind() == "expression_statement" => self.lower.expression(*value),
            ([statement], Some([_, ..])) if statement.kind() == "expression_statement" => {
                match self.lower.statement(*statement).kind {
                    StmtKind::Expr(expr) => expr,
                    _ => failed,
                }
            }
            _ => failed,
        };
        self.lower.errors.truncate(reported);
        expr
    }
}

/// Splits tokens at an operator outside brackets.
pub(super) fn split(tokens: &[Token], text: &str, separator: &str) -> Vec<Vec<Token>> {
    let mut pieces = vec![Vec::new()];
    let mut depth = 0usize;
    for token in tokens {
        let word = token.text(text);
        if token.kind == TokenKind::Operator {
            match word {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ if word == separator && depth == 0 => {
                    pieces.push(Vec::new());
                    continue;
                }
                _ => {}
            }
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push(*token);
        }
    }
    pieces
}

/// The same text with legal Python that the grammar lacks replaced, byte for byte, by something of the same shape that
/// it has: soft keywords used as names, and a star before a parenthesis in a subscript (a unary plus has its shape; the
/// lowering looks at the file and sees the star). `None` where there is nothing to replace.
pub(super) fn mask(text: &str) -> Option<String> {
    let mut masked = text.to_string();
    let mut previous = "";
    let mut brackets: Vec<&str> = Vec::new();
    for token in tokens(text, 0, text.len()) {
        let word = token.text(text);
        if token.kind == TokenKind::String
            && let Some(specs) = mask_format_specs(word)
        {
            masked.replace_range(token.start..token.end, &specs);
        }
        let stand_in = match (token.kind, word) {
            (TokenKind::Name, "print") => Some("prin_"),
            (TokenKind::Name, "exec") => Some("exe_"),
            (TokenKind::Name, "match") => Some("matc_"),
            (TokenKind::Name, "type") => Some("typ_"),
            (TokenKind::Operator, "*") if matches!(previous, "[" | ",") && brackets.last() == Some(&"[") => Some("+"),
            _ => None,
        };
        if let Some(stand_in) = stand_in {
            masked.replace_range(token.start..token.end, stand_in);
        }
        match word {
            "(" | "[" | "{" => brackets.push(word),
            ")" | "]" | "}" => drop(brackets.pop()),
            _ => {}
        }
        previous = word;
    }
    (masked != text).then_some(masked)
}
