//! The tree as s-expressions, for tests and for people: every node with its byte range, CPython's names for kinds.
//! `tests/goldens/syntax.py` writes the same form from CPython's own `ast`; a change here is a change there.
//! Reads nothing back.

mod text;

use self::text::{aliases, binary, compare, constant_text, flush, quoted, range, scope_text, unary};
use crate::ast::{
    Arg, BoolOp, Comprehension, Expr, ExprKind, FStringField, FStringPart, Module, Param, Params, Pattern, Scope, Stmt,
    StmtKind,
};
use crate::span::Span;

/// A whole module: its errors, then its statements.
pub fn module(module: &Module) -> String {
    let mut dump = Dump { module: Some(module), ..Dump::default() };
    for error in &module.errors {
        dump.line(&format!("(error@{} {})", range(module.place(error.span)), quoted(&error.message)));
    }
    dump.statements(&module.body);
    dump.out
}

/// One expression, on one line.
pub fn expression(expr: &Expr) -> String {
    Dump::default().expr(expr)
}

#[derive(Default)]
struct Dump<'a> {
    out: String,
    /// What is shown, where it is a whole module: ranges are those of the file.
    module: Option<&'a Module>,
    indent: usize,
    /// CPython 3.11 has no reliable positions inside f-strings, so none are shown there.
    in_fstring: bool,
}

impl Dump<'_> {
    fn line(&mut self, text: &str) {
        self.out.extend(std::iter::repeat_n("  ", self.indent));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn at(&self, span: Span) -> String {
        if self.in_fstring {
            return String::new();
        }
        format!("@{}", range(self.placed(span)))
    }

    fn placed(&self, span: Span) -> Span {
        self.module.map_or(span, |module| module.place(span))
    }

    fn statements(&mut self, body: &[Stmt]) {
        for statement in body {
            self.statement(statement);
        }
    }

    /// A labelled block, left out where empty.
    fn block(&mut self, label: &str, body: &[Stmt]) {
        if body.is_empty() {
            return;
        }
        self.line(label);
        self.indent += 1;
        self.statements(body);
        self.indent -= 1;
    }

    fn many<'a>(&mut self, exprs: impl IntoIterator<Item = &'a Expr>) -> String {
        exprs.into_iter().fold(String::new(), |mut out, expr| {
            out.push(' ');
            out.push_str(&self.expr(expr));
            out
        })
    }

    fn optional(&mut self, expr: Option<&Expr>) -> String {
        expr.map_or_else(|| "_".to_string(), |expr| self.expr(expr))
    }

    fn statement(&mut self, statement: &Stmt) {
        let at = self.at(statement.span);
        let text = match &statement.kind {
            StmtKind::FunctionDef(def) => {
                let kind = if def.is_async { "AsyncFunctionDef" } else { "FunctionDef" };
                let params = self.params(&def.params);
                let returns = self.optional(def.returns.as_ref());
                let at = self.at(def.span);
                self.line(&format!("({kind}{at} {} {params} {returns}", def.name));
                self.definition(&def.decorators, &def.scope, &def.body);
                return;
            }
            StmtKind::ClassDef(def) => {
                let bases: String = def.bases.iter().map(|base| self.arg(base)).collect();
                let at = self.at(def.span);
                self.line(&format!("(ClassDef{at} {}{bases}", def.name));
                self.definition(&def.decorators, &def.scope, &def.body);
                return;
            }
            StmtKind::For { target, iter, body, orelse } => {
                let (kind, iter) = iter.awaited_by_statement().map_or(("For", iter), |iter| ("AsyncFor", iter));
                let text = format!("({kind}{at} {} {}", self.expr(target), self.expr(iter));
                return self.loop_like(&text, body, orelse);
            }
            StmtKind::While { test, body, orelse } => {
                let text = format!("(While{at} {}", self.expr(test));
                return self.loop_like(&text, body, orelse);
            }
            StmtKind::If { test, body, orelse } => {
                let text = format!("(If{at} {}", self.expr(test));
                return self.loop_like(&text, body, orelse);
            }
            StmtKind::With { items, body } => {
                let is_async = items.iter().any(|item| item.context.awaited_by_statement().is_some());
                let mut text = format!("({}{at}", if is_async { "AsyncWith" } else { "With" });
                for item in items.iter() {
                    let context = self.expr(item.context.awaited_by_statement().unwrap_or(&item.context));
                    let target = self.optional(item.target.as_ref());
                    text.push_str(&format!(" ({context} {target})"));
                }
                return self.loop_like(&text, body, &[]);
            }
            StmtKind::Match { .. } | StmtKind::Try { .. } => return self.branching(statement),
            _ => self.simple(statement),
        };
        self.line(&format!("({text})"));
    }

    fn definition(&mut self, decorators: &[Expr], scope: &Scope, body: &[Stmt]) {
        self.indent += 1;
        for decorator in decorators {
            let text = format!("@ {}", self.expr(decorator));
            self.line(&text);
        }
        let text = scope_text(scope);
        self.line(&text);
        self.statements(body);
        self.indent -= 1;
        self.line(")");
    }

    fn loop_like(&mut self, text: &str, body: &[Stmt], orelse: &[Stmt]) {
        self.line(text);
        self.indent += 1;
        self.statements(body);
        self.indent -= 1;
        self.block("else", orelse);
        self.line(")");
    }

    fn branching(&mut self, statement: &Stmt) {
        let at = self.at(statement.span);
        match &statement.kind {
            StmtKind::Match { subject, cases } => {
                let text = format!("(Match{at} {}", self.expr(subject));
                self.line(&text);
                for case in cases.iter() {
                    let pattern = self.pattern(&case.pattern);
                    let guard = self.optional(case.guard.as_ref());
                    self.block(&format!("case {pattern} {guard}"), &case.body);
                }
            }
            StmtKind::Try { body, handlers, orelse, finalbody } => {
                self.block(&format!("(Try{at}"), body);
                for handler in handlers.iter() {
                    let star = if handler.is_star { "*" } else { "" };
                    let exception = self.optional(handler.exception.as_ref());
                    let name = handler.name.as_deref().unwrap_or("_");
                    let at = self.at(handler.span);
                    self.block(&format!("except{star}{at} {exception} {name}"), &handler.body);
                }
                self.block("else", orelse);
                self.block("finally", finalbody);
            }
            _ => {}
        }
        self.line(")");
    }

    fn simple(&mut self, statement: &Stmt) -> String {
        let at = self.at(statement.span);
        match &statement.kind {
            StmtKind::Return(value) => format!("Return{at} {}", self.optional(value.as_ref())),
            StmtKind::Delete(targets) => format!("Delete{at}{}", self.many(targets)),
            StmtKind::Assign { targets, value } => {
                let targets = self.many(targets);
                format!("Assign{at}{targets} = {}", self.expr(value))
            }
            StmtKind::AugAssign { target, op, value } => {
                let target = self.expr(target);
                format!("AugAssign{at} {target} {} {}", binary(*op), self.expr(value))
            }
            StmtKind::AnnAssign { target, annotation, value } => {
                let target = self.expr(target);
                let annotation = self.expr(annotation);
                let value = self.optional(value.as_ref());
                format!("AnnAssign{at} {target} {annotation} {value}")
            }
            StmtKind::TypeAlias { name, value, .. } => {
                format!("TypeAlias{at} {name} {}", self.expr(value))
            }
            StmtKind::Raise { exception, cause } => {
                let exception = self.optional(exception.as_ref());
                format!("Raise{at} {exception} {}", self.optional(cause.as_ref()))
            }
            StmtKind::Assert { test, message } => {
                let test = self.expr(test);
                format!("Assert{at} {test} {}", self.optional(message.as_ref()))
            }
            StmtKind::Import(names) => format!("Import{at}{}", aliases(names, |span| self.placed(span))),
            StmtKind::ImportFrom { module, names, level } => {
                let module = module.as_deref().unwrap_or("_");
                format!("ImportFrom{at} {level} {module}{}", aliases(names, |span| self.placed(span)))
            }
            StmtKind::Global(names) => format!("Global{at} {}", names.join(" ")),
            StmtKind::Nonlocal(names) => format!("Nonlocal{at} {}", names.join(" ")),
            StmtKind::Expr(value) => format!("Expr{at} {}", self.expr(value)),
            StmtKind::Pass => format!("Pass{at}"),
            StmtKind::Break => format!("Break{at}"),
            StmtKind::Continue => format!("Continue{at}"),
            // The compound ones are written by `statement`.
            _ => format!("Error{at}"),
        }
    }

    fn params(&mut self, params: &Params) -> String {
        let vararg: Vec<Param> = params.vararg.iter().cloned().collect();
        let kwarg: Vec<Param> = params.kwarg.iter().cloned().collect();
        let groups = [
            ("posonly", &params.positional_only),
            ("args", &params.positional),
            ("vararg", &vararg),
            ("kwonly", &params.keyword_only),
            ("kwarg", &kwarg),
        ];
        let mut out = String::from("(params");
        for (label, group) in groups.into_iter().filter(|(_, group)| !group.is_empty()) {
            out.push_str(&format!(" ({label}"));
            for param in group {
                let annotation = self.optional(param.annotation.as_ref());
                let default = self.optional(param.default.as_ref());
                let at = self.at(param.span);
                out.push_str(&format!(" (p{at} {} {annotation} {default})", param.name));
            }
            out.push(')');
        }
        out.push(')');
        out
    }

    fn arg(&mut self, arg: &Arg) -> String {
        match arg {
            Arg::Positional(value) => format!(" {}", self.expr(value)),
            Arg::Star(value) => format!(" (* {})", self.expr(value)),
            Arg::DoubleStar(value) => format!(" (** {})", self.expr(value)),
            Arg::Keyword(name, value, span) => {
                format!(" (={} {name} {})", self.at(*span), self.expr(value))
            }
        }
    }

    fn expr(&mut self, expr: &Expr) -> String {
        let at = self.at(expr.span);
        match &expr.kind {
            ExprKind::Name(name) => format!("(Name{at} {name})"),
            ExprKind::Constant(constant) => format!("(Constant{at} {})", constant_text(constant)),
            ExprKind::FString(parts) => format!("(FString{at}{})", self.fstring(parts)),
            ExprKind::BinOp { left, op, right } => {
                let left = self.expr(left);
                format!("(BinOp{at} {} {left} {})", binary(*op), self.expr(right))
            }
            ExprKind::UnaryOp { op, operand } => {
                format!("(UnaryOp{at} {} {})", unary(*op), self.expr(operand))
            }
            ExprKind::BoolOp { op, values } => {
                let op = match op {
                    BoolOp::And => "And",
                    BoolOp::Or => "Or",
                };
                format!("(BoolOp{at} {op}{})", self.many(values))
            }
            ExprKind::Compare { left, ops, rest } => {
                let mut out = format!("(Compare{at} {}", self.expr(left));
                for (op, right) in ops.iter().zip(rest) {
                    out.push_str(&format!(" {} {}", compare(*op), self.expr(right)));
                }
                out + ")"
            }
            ExprKind::Call { function, args } => {
                let function = self.expr(function);
                let args: String = args.iter().map(|arg| self.arg(arg)).collect();
                format!("(Call{at} {function}{args})")
            }
            ExprKind::Attribute { value, name, .. } => {
                format!("(Attribute{at} {} {name})", self.expr(value))
            }
            ExprKind::Subscript { value, index } => {
                let value = self.expr(value);
                format!("(Subscript{at} {value} {})", self.expr(index))
            }
            ExprKind::Slice { lower, upper, step } => {
                let lower = self.optional(lower.as_deref());
                let upper = self.optional(upper.as_deref());
                let step = self.optional(step.as_deref());
                format!("(Slice{at} {lower} {upper} {step})")
            }
            ExprKind::Tuple(elements) => format!("(Tuple{at}{})", self.many(elements)),
            ExprKind::List(elements) => format!("(List{at}{})", self.many(elements)),
            ExprKind::Set(elements) => format!("(Set{at}{})", self.many(elements)),
            ExprKind::Dict(entries) => {
                let mut out = format!("(Dict{at}");
                for (key, value) in entries {
                    let key = key.as_ref().map_or("**".to_string(), |key| self.expr(key));
                    out.push_str(&format!(" {key} {}", self.expr(value)));
                }
                out + ")"
            }
            ExprKind::ListComp(c) => format!("(ListComp{at}{})", self.comprehension(c)),
            ExprKind::SetComp(c) => format!("(SetComp{at}{})", self.comprehension(c)),
            ExprKind::DictComp(c) => format!("(DictComp{at}{})", self.comprehension(c)),
            ExprKind::GeneratorExp(c) => format!("(GeneratorExp{at}{})", self.comprehension(c)),
            ExprKind::Lambda(lambda) => {
                let params = self.params(&lambda.params);
                let scope = scope_text(&lambda.scope);
                format!("(Lambda{at} {params} {scope} {})", self.expr(&lambda.body))
            }
            ExprKind::IfExp { test, body, orelse } => {
                let test = self.expr(test);
                let body = self.expr(body);
                format!("(IfExp{at} {test} {body} {})", self.expr(orelse))
            }
            ExprKind::NamedExpr { target, value, .. } => {
                format!("(NamedExpr{at} {target} {})", self.expr(value))
            }
            ExprKind::Starred(value) => format!("(Starred{at} {})", self.expr(value)),
            ExprKind::Yield(value) => format!("(Yield{at} {})", self.optional(value.as_deref())),
            ExprKind::YieldFrom(value) => format!("(YieldFrom{at} {})", self.expr(value)),
            ExprKind::Await(value) => format!("(Await{at} {})", self.expr(value)),
            ExprKind::Error => format!("(Error{at})"),
        }
    }

    fn comprehension(&mut self, comprehension: &Comprehension) -> String {
        let mut out = format!(" {}", self.expr(&comprehension.element));
        if let Some(value) = &comprehension.value {
            out.push_str(&format!(" {}", self.expr(value)));
        }
        for clause in &comprehension.clauses {
            let target = self.expr(&clause.target);
            let iter = self.expr(clause.iter.awaited_by_statement().unwrap_or(&clause.iter));
            let conditions = self.many(&clause.conditions);
            let kind = if clause.iter.awaited_by_statement().is_some() { "async for" } else { "for" };
            out.push_str(&format!(" ({kind} {target} {iter}{conditions})"));
        }
        out
    }

    /// As CPython's tree has it: the text of `{x=}` joins the literal before it.
    fn fstring(&mut self, parts: &[FStringPart]) -> String {
        let outer = std::mem::replace(&mut self.in_fstring, true);
        let (mut out, mut text) = (String::new(), String::new());
        for part in parts {
            match part {
                FStringPart::Literal(literal) => text.push_str(literal),
                FStringPart::Field(field) => {
                    text.push_str(field.debug_text.as_deref().unwrap_or(""));
                    flush(&mut out, &mut text);
                    out.push_str(&self.field(field));
                }
            }
        }
        flush(&mut out, &mut text);
        self.in_fstring = outer;
        out
    }

    fn field(&mut self, field: &FStringField) -> String {
        let value = self.expr(&field.value);
        let conversion = field.conversion.map_or(String::new(), |c| format!(" !{c}"));
        let spec = self.fstring(&field.spec);
        let spec = if spec.is_empty() { spec } else { format!(" (spec{spec})") };
        format!(" (Field {value}{conversion}{spec})")
    }

    fn pattern(&mut self, pattern: &Pattern) -> String {
        let all = |dump: &mut Self, patterns: &[Pattern]| {
            let mut out = String::new();
            for pattern in patterns {
                out.push_str(&format!(" {}", dump.pattern(pattern)));
            }
            out
        };
        match pattern {
            Pattern::Wildcard => "(Wildcard)".into(),
            Pattern::Capture { pattern: None, name, .. } => format!("(Capture {name})"),
            Pattern::Capture { pattern: Some(pattern), name, .. } => {
                format!("(Capture {name} {})", self.pattern(pattern))
            }
            Pattern::Value(value) => format!("(Value {})", self.expr(value)),
            Pattern::Singleton(constant) => format!("(Singleton {})", constant_text(constant)),
            Pattern::Sequence(patterns) => format!("(Sequence{})", all(self, patterns)),
            Pattern::Star(name) => format!("(Star {})", name.as_deref().unwrap_or("_")),
            Pattern::Mapping { keys, patterns, rest } => {
                let mut out = String::from("(Mapping");
                for (key, pattern) in keys.iter().zip(patterns) {
                    out.push_str(&format!(" {} {}", self.expr(key), self.pattern(pattern)));
                }
                format!("{out} ** {})", rest.as_deref().unwrap_or("_"))
            }
            Pattern::Class { class, positional, keywords } => {
                let mut out = format!("(Class {}{}", self.expr(class), all(self, positional));
                for (name, pattern) in keywords {
                    out.push_str(&format!(" (= {name} {})", self.pattern(pattern)));
                }
                out + ")"
            }
            Pattern::Or(patterns) => format!("(Or{})", all(self, patterns)),
        }
    }
}
