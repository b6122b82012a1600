//! The syntax tree that the evaluator walks: Python's own `ast`, with byte spans, immutable and shareable.
//! Regions that do not parse appear as `Error` nodes, so a half-typed file still has a tree.
//! Makes no judgement on meaning; names are resolved only to scopes ([`Scope`]).

use crate::pieces::Piece;
use crate::span::{SourceFile, Span};
use std::sync::Arc;

/// An identifier. Shared, since the evaluator copies names into scopes.
pub type Name = Arc<str>;

/// A parsed file.
#[derive(Clone, Debug)]
pub struct Module {
    /// The text it was parsed from.
    pub source: Arc<SourceFile>,
    /// Statements of the module, in order.
    pub body: Arc<[Stmt]>,
    /// What did not parse, in order of position.
    pub errors: Vec<SyntaxError>,
    /// The pieces that spans are in, in order of position; none if spans are in the file itself.
    pub pieces: Vec<Piece>,
}

/// Something that is not Python, as CPython's compiler would name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// What to underline.
    pub span: Span,
    /// CPython's wording where it has one (`invalid syntax`, `'return' outside function`).
    pub message: String,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// All of it, decorators included.
    pub span: Span,
}

/// The kinds of statement.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "field names are those of Python's ast module")]
pub enum StmtKind {
    FunctionDef(Arc<FunctionDef>),
    ClassDef(Arc<ClassDef>),
    Return(Option<Expr>),
    Delete(Vec<Expr>),
    /// `a = b = value`
    Assign {
        targets: Vec<Expr>,
        value: Expr,
    },
    AugAssign {
        target: Expr,
        op: BinaryOp,
        value: Expr,
    },
    AnnAssign {
        target: Expr,
        annotation: Expr,
        value: Option<Expr>,
    },
    /// PEP 695 `type X = ...`
    TypeAlias {
        name: Name,
        type_params: Vec<Name>,
        value: Expr,
    },
    For {
        target: Expr,
        iter: Expr,
        body: Arc<[Stmt]>,
        orelse: Arc<[Stmt]>,
    },
    While {
        test: Expr,
        body: Arc<[Stmt]>,
        orelse: Arc<[Stmt]>,
    },
    If {
        test: Expr,
        body: Arc<[Stmt]>,
        orelse: Arc<[Stmt]>,
    },
    With {
        items: Arc<[WithItem]>,
        body: Arc<[Stmt]>,
    },
    Match {
        subject: Expr,
        cases: Arc<[MatchCase]>,
    },
    Raise {
        exception: Option<Expr>,
        cause: Option<Expr>,
    },
    Try {
        body: Arc<[Stmt]>,
        handlers: Arc<[ExceptHandler]>,
        orelse: Arc<[Stmt]>,
        finalbody: Arc<[Stmt]>,
    },
    Assert {
        test: Expr,
        message: Option<Expr>,
    },
    Import(Vec<Alias>),
    /// `from module import names`; `level` counts the leading dots; `names` of one `*` is a star import.
    ImportFrom {
        module: Option<Name>,
        names: Vec<Alias>,
        level: u32,
    },
    Global(Vec<Name>),
    Nonlocal(Vec<Name>),
    Expr(Expr),
    Pass,
    Break,
    Continue,
    /// A region that did not parse. Running it raises SyntaxError; analysis skips it.
    Error,
}

/// `import a.b as c`: `name` is `a.b`, `asname` is `c`.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "field names are those of Python's ast module")]
pub struct Alias {
    pub name: Name,
    pub asname: Option<Name>,
    pub span: Span,
}

/// One `expr as target` of a `with`.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "field names are those of Python's ast module")]
pub struct WithItem {
    pub context: Expr,
    pub target: Option<Expr>,
}

/// One `except` clause.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "field names are those of Python's ast module")]
pub struct ExceptHandler {
    pub exception: Option<Expr>,
    pub name: Option<Name>,
    pub body: Arc<[Stmt]>,
    pub span: Span,
    /// `except*`, which catches parts of exception groups.
    pub is_star: bool,
}

/// One `case` of a `match`.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "field names are those of Python's ast module")]
pub struct MatchCase {
    pub pattern: Pattern,
    pub guard: Option<Expr>,
    pub body: Arc<[Stmt]>,
    pub span: Span,
}

/// A pattern of a `case`, PEP 634.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "field names are those of Python's ast module")]
pub enum Pattern {
    /// `_`
    Wildcard,
    /// A name, or `pattern as name`.
    Capture {
        pattern: Option<Box<Pattern>>,
        name: Name,
        span: Span,
    },
    /// A literal or dotted name, compared with `==`.
    Value(Expr),
    /// `None`, `True`, `False`, compared with `is`.
    Singleton(Constant),
    Sequence(Vec<Pattern>),
    /// `*rest` inside a sequence; `None` for `*_`.
    Star(Option<Name>),
    Mapping {
        keys: Vec<Expr>,
        patterns: Vec<Pattern>,
        rest: Option<Name>,
    },
    Class {
        class: Expr,
        positional: Vec<Pattern>,
        keywords: Vec<(Name, Pattern)>,
    },
    Or(Vec<Pattern>),
}

/// A `def`.
#[derive(Debug)]
#[expect(missing_docs, reason = "field names are those of Python's ast module")]
pub struct FunctionDef {
    pub name: Name,
    pub name_span: Span,
    pub params: Params,
    pub body: Arc<[Stmt]>,
    pub decorators: Vec<Expr>,
    pub returns: Option<Expr>,
    /// Which names are local, global, nonlocal; whether it yields.
    pub scope: Scope,
    pub docstring: Option<Arc<str>>,
    pub is_async: bool,
    /// The names of PEP 695 type parameters (`def f[T]`); their bounds are not kept.
    pub type_params: Vec<Name>,
    /// From `def` (or `async`) on, decorators excluded.
    pub span: Span,
}

/// A `lambda`.
#[derive(Debug)]
#[expect(missing_docs, reason = "field names are those of Python's ast module")]
pub struct Lambda {
    pub params: Params,
    pub body: Expr,
    pub scope: Scope,
    pub span: Span,
}

/// A `class`.
#[derive(Debug)]
#[expect(missing_docs, reason = "field names are those of Python's ast module")]
pub struct ClassDef {
    pub name: Name,
    pub name_span: Span,
    pub bases: Vec<Arg>,
    pub body: Arc<[Stmt]>,
    pub decorators: Vec<Expr>,
    pub scope: Scope,
    pub docstring: Option<Arc<str>>,
    /// The names of PEP 695 type parameters (`class C[T]`); their bounds are not kept.
    pub type_params: Vec<Name>,
    /// From `class` on, decorators excluded.
    pub span: Span,
}

/// How the names of a function, lambda, class or comprehension body are bound, as CPython's symtable finds it.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Names bound here, parameters first, each once, without those declared global or nonlocal.
    pub locals: Vec<Name>,
    /// Names declared `global`.
    pub globals: Vec<Name>,
    /// Names declared `nonlocal`.
    pub nonlocals: Vec<Name>,
    /// Contains `yield`.
    pub is_generator: bool,
}

/// The parameters of a function in declaration order.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "field names are those of Python's ast module")]
pub struct Params {
    pub positional_only: Vec<Param>,
    pub positional: Vec<Param>,
    /// `*args`
    pub vararg: Option<Param>,
    pub keyword_only: Vec<Param>,
    /// `**kwargs`
    pub kwarg: Option<Param>,
}

/// One parameter.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "field names are those of Python's ast module")]
pub struct Param {
    pub name: Name,
    pub annotation: Option<Expr>,
    pub default: Option<Expr>,
    pub span: Span,
}

/// One argument of a call, or one entry of a class's bases.
#[derive(Clone, Debug)]
pub enum Arg {
    /// `f(x)`
    Positional(Expr),
    /// `f(*x)`
    Star(Expr),
    /// `f(name=x)`
    Keyword(Name, Expr, Span),
    /// `f(**x)`
    DoubleStar(Expr),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// All of it, without enclosing parentheses (as in Python's ast, where a tuple keeps its own).
    pub span: Span,
}

/// The kinds of expression.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "field names are those of Python's ast module")]
pub enum ExprKind {
    Name(Name),
    Constant(Constant),
    FString(Arc<[FStringPart]>),
    BinOp {
        left: Box<Expr>,
        op: BinaryOp,
        right: Box<Expr>,
    },
    UnaryOp {
        op: UnaryOp,
        operand: Box<Expr>,
    },
    BoolOp {
        op: BoolOp,
        values: Vec<Expr>,
    },
    /// `left ops[0] rest[0] ops[1] rest[1] ...`
    Compare {
        left: Box<Expr>,
        ops: Vec<CompareOp>,
        rest: Vec<Expr>,
    },
    Call {
        function: Box<Expr>,
        args: Vec<Arg>,
    },
    Attribute {
        value: Box<Expr>,
        name: Name,
        name_span: Span,
    },
    Subscript {
        value: Box<Expr>,
        index: Box<Expr>,
    },
    /// Only inside a subscript.
    Slice {
        lower: Option<Box<Expr>>,
        upper: Option<Box<Expr>>,
        step: Option<Box<Expr>>,
    },
    Tuple(Vec<Expr>),
    List(Vec<Expr>),
    Set(Vec<Expr>),
    /// `None` keys are `**mapping`.
    Dict(Vec<(Option<Expr>, Expr)>),
    ListComp(Arc<Comprehension>),
    SetComp(Arc<Comprehension>),
    /// `element` is the key, `value` the value.
    DictComp(Arc<Comprehension>),
    GeneratorExp(Arc<Comprehension>),
    Lambda(Arc<Lambda>),
    IfExp {
        test: Box<Expr>,
        body: Box<Expr>,
        orelse: Box<Expr>,
    },
    NamedExpr {
        target: Name,
        target_span: Span,
        value: Box<Expr>,
    },
    Starred(Box<Expr>),
    Yield(Option<Box<Expr>>),
    YieldFrom(Box<Expr>),
    Await(Box<Expr>),
    /// A region that did not parse.
    Error,
}

/// The body and clauses of a comprehension. The first clause's `iter` is evaluated in the enclosing scope.
#[derive(Debug)]
#[expect(missing_docs, reason = "field names are those of Python's ast module")]
pub struct Comprehension {
    pub element: Expr,
    /// The value of a dict comprehension.
    pub value: Option<Expr>,
    pub clauses: Vec<ComprehensionClause>,
    pub scope: Scope,
    pub span: Span,
}

/// `for target in iter if c if d`
#[derive(Debug)]
#[expect(missing_docs, reason = "field names are those of Python's ast module")]
pub struct ComprehensionClause {
    pub target: Expr,
    pub iter: Expr,
    pub conditions: Vec<Expr>,
}

/// A literal.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// `None`
    None,
    /// `True`, `False`
    Bool(bool),
    /// An integer that fits.
    Int(i64),
    /// A larger one: its decimal digits.
    BigInt(Arc<str>),
    /// A float.
    Float(f64),
    /// The imaginary part of `2j`.
    Imaginary(f64),
    /// A string; adjacent literals are joined.
    Str(Arc<str>),
    /// Bytes.
    Bytes(Arc<[u8]>),
    /// `...`
    Ellipsis,
}

/// A piece of an f-string. Nested quotes and nested fields (PEP 701) are allowed.
#[derive(Clone, Debug)]
pub enum FStringPart {
    /// Text with escapes resolved.
    Literal(Arc<str>),
    /// `{value!conversion:spec}`
    Field(FStringField),
}

/// One replacement field.
#[derive(Clone, Debug)]
pub struct FStringField {
    /// What is formatted.
    pub value: Expr,
    /// The text before `=` for `{value=}`, spaces and the `=` included.
    pub debug_text: Option<Arc<str>>,
    /// `r`, `s` or `a`.
    pub conversion: Option<char>,
    /// The format spec, itself of parts.
    pub spec: Arc<[FStringPart]>,
}

/// `+ - * ...`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "names are those of Python's ast module")]
pub enum BinaryOp {
    Add,
    Sub,
    Mult,
    MatMult,
    Div,
    FloorDiv,
    Mod,
    Pow,
    LShift,
    RShift,
    BitOr,
    BitXor,
    BitAnd,
}

/// `- + ~ not`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "names are those of Python's ast module")]
pub enum UnaryOp {
    Neg,
    Pos,
    Invert,
    Not,
}

/// `and or`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "names are those of Python's ast module")]
pub enum BoolOp {
    And,
    Or,
}

/// `== != < ...`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "names are those of Python's ast module")]
pub enum CompareOp {
    Eq,
    NotEq,
    Lt,
    LtE,
    Gt,
    GtE,
    Is,
    IsNot,
    In,
    NotIn,
}

impl BinaryOp {
    /// The operator as written (`//`).
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mult => "*",
            BinaryOp::MatMult => "@",
            BinaryOp::Div => "/",
            BinaryOp::FloorDiv => "//",
            BinaryOp::Mod => "%",
            BinaryOp::Pow => "**",
            BinaryOp::LShift => "<<",
            BinaryOp::RShift => ">>",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::BitAnd => "&",
        }
    }

    /// The stem of the special method (`floordiv` for `__floordiv__`).
    pub fn method(self) -> &'static str {
        match self {
            BinaryOp::Add => "add",
            BinaryOp::Sub => "sub",
            BinaryOp::Mult => "mul",
            BinaryOp::MatMult => "matmul",
            BinaryOp::Div => "truediv",
            BinaryOp::FloorDiv => "floordiv",
            BinaryOp::Mod => "mod",
            BinaryOp::Pow => "pow",
            BinaryOp::LShift => "lshift",
            BinaryOp::RShift => "rshift",
            BinaryOp::BitOr => "or",
            BinaryOp::BitXor => "xor",
            BinaryOp::BitAnd => "and",
        }
    }
}

impl CompareOp {
    /// The operator as written (`<=`, `not in`).
    pub fn symbol(self) -> &'static str {
        match self {
            CompareOp::Eq => "==",
            CompareOp::NotEq => "!=",
            CompareOp::Lt => "<",
            CompareOp::LtE => "<=",
            CompareOp::Gt => ">",
            CompareOp::GtE => ">=",
            CompareOp::Is => "is",
            CompareOp::IsNot => "is not",
            CompareOp::In => "in",
            CompareOp::NotIn => "not in",
        }
    }
}

impl Params {
    /// Every parameter in the order in which Python lists them.
    pub fn iter(&self) -> impl Iterator<Item = &Param> {
        self.positional_only
            .iter()
            .chain(&self.positional)
            .chain(&self.vararg)
            .chain(&self.keyword_only)
            .chain(&self.kwarg)
    }
}
