//! The syntax tree that the evaluator walks: Python's own `ast`, with byte spans, immutable and shareable.
//! Regions that do not parse appear as `Error` nodes, so a half-typed file still has a tree.
//! Makes no judgement on meaning; names are resolved only to scopes ([`Scope`]).

mod definition;
mod expression;
mod operator;
mod pattern;

pub use self::definition::{ClassDef, FunctionDef, Param, Params, Scope};
pub use self::expression::{
    Arg, Comprehension, ComprehensionClause, Constant, Expr, ExprKind, FStringField, FStringPart, Lambda,
};
pub use self::operator::{BinaryOp, BoolOp, CompareOp, UnaryOp};
pub use self::pattern::{MatchCase, Pattern};

use crate::piece_list::PieceList;
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
    pub pieces: PieceList,
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
