//! Compound statements that do not parse as a whole: the header is read alone, the block line by line.
//! A header that cannot be read keeps its word, so that its block is still a block of that kind.

use super::Recover;
use crate::ast::{ExceptHandler, Expr, ExprKind, MatchCase, Pattern, Stmt, StmtKind, SyntaxError, WithItem};
use crate::layout::{Line, opening_word};
use crate::token::{Token, tokens};
use std::sync::Arc;

/// A header with the statements of its block.
pub(super) struct Clause<'l> {
    pub(super) header: &'l Line,
    pub(super) word: &'l str,
    /// Where the header's colon ends, or the header where it has none.
    pub(super) head_end: usize,
    pub(super) has_colon: bool,
    pub(super) body: Arc<[Stmt]>,
}

impl<'a> Recover<'_, 'a> {
    /// Lines of one compound statement, its decorators first.
    pub(super) fn compound(&mut self, lines: &[Line], statements: &mut Vec<Stmt>) {
        let count = lines.iter().take_while(|line| self.text(line).starts_with('@')).count();
        let (decorators, rest) = lines.split_at(count);
        let decorators: Vec<Expr> = decorators.iter().map(|line| self.decorator(line)).collect();
        let Some(first) = rest.first() else {
            // Decorators of nothing.
            if let Some(last) = lines.last() {
                let span = self.span(last.end, last.end);
                self.push(SyntaxError { span, message: "invalid syntax".into() });
            }
            statements.extend(lines.iter().map(|line| self.error_statement(line)));
            return;
        };
        let mut clauses = Vec::new();
        let mut at = 0;
        while at < rest.len() {
            let body = rest[at + 1..].iter().take_while(|line| line.indent > first.indent).count();
            clauses.push(self.clause(&rest[at], &rest[at + 1..at + 1 + body]));
            at += 1 + body;
        }
        let start = lines.first().map_or(first.start, |line| line.start);
        let end = rest.last().map_or(first.end, |line| line.end);
        let mut statement = self.build(&clauses, decorators);
        statement.span = self.span(start, end);
        statements.push(statement);
    }

    fn decorator(&mut self, line: &Line) -> Expr {
        let start = line.start + 1;
        if line.problem.is_none()
            && let Some(Stmt { kind: StmtKind::Expr(expr), .. }) =
                self.lower_one(self.slice(start, line.end), start, line.end)
        {
            return expr;
        }
        self.report(line);
        self.salvage_expression(start, line.end)
    }

    /// A header and the lines under it, or after its colon.
    fn clause<'l>(&mut self, header: &'l Line, lines: &[Line]) -> Clause<'l>
    where
        'a: 'l,
    {
        let source = self.lower.source;
        let found = tokens(&source.text, header.start, header.end);
        // Where a bracket never closes, the colon at the end is meant for the header.
        let last = found.last().copied();
        let colon = header_colon(&found, &source.text).or(last.filter(|last| last.text(&source.text) == ":"));
        let head_end = colon.map_or(header.end, |colon| colon.end);
        let word = opening_word(source, header.start);
        let cases = word == "match";
        let mut body = Vec::new();
        if found.last().is_some_and(|last| last.end > head_end) {
            if !self.lower_range_quietly(head_end, header.end, &mut body) {
                self.salvage_statements(head_end, header.end, &mut body);
                // The header itself may be whole: then the report is about what follows its colon.
                self.report(header);
            } else if header.problem.is_some() {
                self.report(header);
            }
        } else if header.problem.is_some() {
            self.report(header);
        }
        if cases {
            body = Vec::new();
        }
        if !cases {
            body.extend(self.block(lines));
        }
        Clause {
            header,
            word,
            head_end,
            has_colon: colon.is_some(),
            body: if cases { self.match_block(lines) } else { body.into() },
        }
    }

    fn lower_range_quietly(&mut self, start: usize, end: usize, body: &mut Vec<Stmt>) -> bool {
        let start = self.slice(start, end).find(|c: char| !c.is_whitespace()).map_or(start, |n| start + n);
        self.lower_range(start, end, body)
    }

    /// The cases of a `match`, wrapped in a statement to travel as a block.
    fn match_block(&mut self, lines: &[Line]) -> Arc<[Stmt]> {
        let mut cases = Vec::new();
        let mut at = 0;
        while at < lines.len() {
            let indent = lines[at].indent;
            let count = lines[at + 1..].iter().take_while(|line| line.indent > indent).count();
            let clause = self.clause(&lines[at], &lines[at + 1..at + 1 + count]);
            let end = lines[at + count].end;
            at += 1 + count;
            if clause.word != "case" {
                self.report(clause.header);
                continue;
            }
            let header = self.header(&clause, "match _:\n ", None);
            let case = match header.map(|statement| statement.kind) {
                Some(StmtKind::Match { cases, .. }) => cases.first().cloned(),
                _ => None,
            };
            let span = self.span(clause.header.start, end);
            cases.push(match case {
                Some(case) => MatchCase { span, ..case },
                None => MatchCase {
                    pattern: Pattern::Value(Expr {
                        kind: ExprKind::Error,
                        span: self.span(clause.header.start, clause.head_end),
                    }),
                    guard: None,
                    body: clause.body.clone(),
                    span,
                },
            });
        }
        let Some(first) = cases.first() else {
            return Arc::from([]);
        };
        let span = first.span;
        let subject = Expr { kind: ExprKind::Error, span };
        let cases = cases.into();
        let kind = StmtKind::Match { subject, cases };
        Arc::from([Stmt { kind, span }])
    }

    /// The statement that a header alone makes, with the clause's block for its own. `None` where it cannot be read;
    /// the reason is reported then.
    pub(super) fn header(&mut self, clause: &Clause<'_>, prefix: &str, word: Option<&str>) -> Option<Stmt> {
        let header = clause.header;
        let text = self.slice(header.start, clause.head_end);
        let known = header.problem.is_some();
        if !clause.has_colon && !known {
            let span = self.span(header.end, header.end);
            self.push(SyntaxError { span, message: "expected ':'".into() });
        }
        let colon = if clause.has_colon { "" } else { ":" };
        // `elif` is read as an `if` of the same length.
        let word = word.unwrap_or("");
        let head = format!("{prefix}{word}{}{colon}", text.get(word.len()..).unwrap_or(""));
        let base = header.start.wrapping_sub(prefix.len());
        self.lower.give_suite(head.len(), clause.body.clone());
        let statement = self.lower_one(&format!("{head} pass"), base, clause.head_end);
        self.lower.take_suite();
        if statement.is_none() && !known && clause.has_colon {
            let line = Line { end: clause.head_end, ..header.clone() };
            self.report(&line);
        }
        statement
    }

    /// What stands between the header's word and its colon.
    fn head_expression(&mut self, clause: &Clause<'_>) -> Expr {
        let text = &self.lower.source.text;
        let end = clause.head_end - usize::from(clause.has_colon);
        let found = tokens(text, clause.header.start, end);
        let word = found.iter().position(|token| token.text(text) == clause.word);
        let inner = &found[word.map_or(0, |word| word + 1)..];
        match (inner.first(), inner.last()) {
            (Some(first), Some(last)) => self.salvage_expression(first.start, last.end),
            _ => Expr { kind: ExprKind::Error, span: self.span(end, end) },
        }
    }

    fn build(&mut self, clauses: &[Clause<'_>], decorators: Vec<Expr>) -> Stmt {
        let first = &clauses[0];
        let end = clauses
            .last()
            .map_or(first.head_end, |clause| clause.body.last().map_or(clause.head_end, |last| last.span.end as usize));
        let span = self.span(first.header.start, end);
        let kind = match first.word {
            "if" => self.if_kind(clauses),
            "for" | "while" => self.loop_kind(clauses),
            "with" => self.with_kind(first),
            "try" => self.try_kind(clauses),
            "def" => self.function_kind(first, decorators),
            "class" => self.class_kind(first, decorators),
            "match" => self.match_kind(first),
            _ => {
                // `else` without `if`, `except` without `try`: its block has no meaning.
                if first.header.problem.is_none() {
                    let span = self.span(first.header.start, first.header.start + first.word.len());
                    self.push(SyntaxError { span, message: "invalid syntax".into() });
                }
                StmtKind::Error
            }
        };
        Stmt { kind, span }
    }

    fn if_kind(&mut self, clauses: &[Clause<'_>]) -> StmtKind {
        let Some((first, rest)) = clauses.split_first() else {
            return StmtKind::Error;
        };
        if self.blocks >= super::MAX_BLOCKS {
            return StmtKind::Error;
        }
        let word = (first.word == "elif").then_some("if  ");
        let test = match self.header(first, "", word).map(|statement| statement.kind) {
            Some(StmtKind::If { test, .. }) => test,
            _ => self.head_expression(first),
        };
        let orelse: Arc<[Stmt]> = match rest {
            [] => Arc::from([]),
            [clause, ..] if clause.word == "else" => clause.body.clone(),
            [clause, ..] => {
                self.blocks += 1;
                let kind = self.if_kind(rest);
                self.blocks -= 1;
                let end = rest
                    .last()
                    .map_or(clause.head_end, |last| last.body.last().map_or(last.head_end, |s| s.span.end as usize));
                let span = self.span(clause.header.start, end);
                Arc::from([Stmt { kind, span }])
            }
        };
        StmtKind::If { test, body: first.body.clone(), orelse }
    }

    fn loop_kind(&mut self, clauses: &[Clause<'_>]) -> StmtKind {
        let first = &clauses[0];
        let body = first.body.clone();
        let orelse = clauses.get(1).map_or_else(|| Arc::from([]), |clause| clause.body.clone());
        match self.header(first, "", None).map(|statement| statement.kind) {
            Some(StmtKind::For { target, iter, .. }) => StmtKind::For { target, iter, body, orelse },
            Some(StmtKind::While { test, .. }) => StmtKind::While { test, body, orelse },
            _ if first.word == "while" => {
                let test = self.head_expression(first);
                StmtKind::While { test, body, orelse }
            }
            _ => {
                let (target, iter) = self.for_parts(first);
                StmtKind::For { target, iter, body, orelse }
            }
        }
    }

    /// Target and iterable of a `for` that does not parse; the target most often is whole.
    fn for_parts(&mut self, clause: &Clause<'_>) -> (Expr, Expr) {
        let text = &self.lower.source.text;
        let end = clause.head_end - usize::from(clause.has_colon);
        let found = tokens(text, clause.header.start, end);
        let at = |word: &str| found.iter().position(|token| token.text(text) == word);
        let start = at("for").map_or(clause.header.start, |at| found[at].end);
        let (target_end, iter_start) = at("in").map_or((end, end), |at| (found[at].start, found[at].end));
        let target = self.salvage_expression(start, target_end.max(start));
        let iter = self.salvage_expression(iter_start, end.max(iter_start));
        (target, iter)
    }

    fn with_kind(&mut self, clause: &Clause<'_>) -> StmtKind {
        match self.header(clause, "", None).map(|statement| statement.kind) {
            Some(kind @ StmtKind::With { .. }) => kind,
            _ => {
                let context = self.head_expression(clause);
                StmtKind::With { items: Arc::from([WithItem { context, target: None }]), body: clause.body.clone() }
            }
        }
    }

    fn try_kind(&mut self, clauses: &[Clause<'_>]) -> StmtKind {
        let empty: Arc<[Stmt]> = Arc::from([]);
        let (mut handlers, mut orelse, mut finalbody) = (Vec::new(), empty.clone(), empty);
        for clause in &clauses[1..] {
            match clause.word {
                "except" => handlers.push(self.handler(clause)),
                "else" => orelse = clause.body.clone(),
                _ => finalbody = clause.body.clone(),
            }
        }
        let first = &clauses[0];
        let has_end = clauses.iter().any(|clause| matches!(clause.word, "except" | "finally"));
        if !has_end && first.header.problem.is_none() {
            let span = self.span(first.header.start, first.head_end);
            self.push(SyntaxError { span, message: "expected 'except' or 'finally' block".into() });
        }
        StmtKind::Try { body: first.body.clone(), handlers: handlers.into(), orelse, finalbody }
    }

    fn handler(&mut self, clause: &Clause<'_>) -> ExceptHandler {
        let end = clause.body.last().map_or(clause.head_end, |last| last.span.end as usize);
        let span = self.span(clause.header.start, end);
        let statement = self.header(clause, "try: pass\n", None);
        if let Some(StmtKind::Try { handlers, .. }) = statement.map(|statement| statement.kind)
            && let Some(handler) = handlers.first()
        {
            return ExceptHandler { span, ..handler.clone() };
        }
        ExceptHandler {
            exception: Some(Expr { kind: ExprKind::Error, span: self.span(clause.header.start, clause.head_end) }),
            name: None,
            body: clause.body.clone(),
            span,
            is_star: false,
        }
    }

    fn match_kind(&mut self, clause: &Clause<'_>) -> StmtKind {
        let subject = self.head_expression(clause);
        if matches!(subject.kind, ExprKind::Error) && clause.header.problem.is_none() {
            self.report(clause.header);
        }
        let cases = match clause.body.first().map(|statement| &statement.kind) {
            Some(StmtKind::Match { cases, .. }) => cases.clone(),
            _ => Arc::from([]),
        };
        StmtKind::Match { subject, cases }
    }
}

/// The colon that ends a header: the first one outside brackets that no `lambda` claims.
fn header_colon(tokens: &[Token], text: &str) -> Option<Token> {
    let (mut depth, mut lambdas) = (0usize, 0usize);
    for token in tokens {
        match token.text(text) {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            "lambda" if depth == 0 => lambdas += 1,
            ":" if depth == 0 && lambdas > 0 => lambdas -= 1,
            ":" if depth == 0 => return Some(*token),
            _ => {}
        }
    }
    None
}
