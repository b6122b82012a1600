//! What a notebook does beside what its text does as a file: a cell that ends with an expression shows its value, and there is
//! `display`. Cells run in their order, once.

use crate::call::CallArgs;
use crate::interp::Interp;
use crate::module::Module;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::SourceFile;
use pallas_syntax::ast::{self, Name, Stmt, StmtKind};
use pallas_syntax::notebook::is_notebook;
use std::rc::Rc;
use std::sync::Arc;

/// The statements of a notebook whose values are shown.
pub(crate) struct Cells {
    body: Arc<[Stmt]>,
    shown: Vec<usize>,
    display: Value,
}

impl Interp {
    /// Gives a program that is a notebook what notebooks have.
    pub(super) fn open_cells(&self, tree: &ast::Module, module: &Module) -> PyResult<()> {
        if !is_notebook(&tree.source.path) {
            return Ok(());
        }
        let display = self.get_attr(&self.import("IPython.display")?, "display")?;
        let ipython = self.import("IPython")?;
        self.call_method(&ipython, "_begin", [])?;
        let shell = self.get_attr(&ipython, "get_ipython")?;
        let mut names = module.namespace.borrow_mut();
        names.insert(Name::from("display"), display.clone());
        names.insert(Name::from("get_ipython"), shell);
        if !self.is_analysis() {
            let shown = (0..tree.body.len()).filter(|&index| is_shown(tree, index)).collect();
            *self.cells.borrow_mut() = Some(Rc::new(Cells { body: tree.body.clone(), shown, display }));
        }
        Ok(())
    }

    /// Of a notebook that does not parse, the cells in front of the first one that does not.
    pub(super) fn whole_cells(&self, tree: &ast::Module) -> Option<ast::Module> {
        let wrong = tree.place(tree.errors.first()?.span).start;
        let first = tree.source.cell_of(tree.source.line_of(wrong)).filter(|_| !self.is_analysis())?;
        let until = tree.source.line_range(first.mark).start as u32;
        let body = tree.body.iter().take_while(|stmt| tree.place(stmt.span).end <= until);
        Some(ast::Module { body: body.cloned().collect(), errors: Vec::new(), ..tree.clone() })
    }

    /// Shows the value of an expression, where it is one that a cell ends with.
    pub(super) fn show(&self, block: &Arc<[Stmt]>, index: usize, value: Value) -> PyResult<()> {
        let cells = self.cells.borrow().clone();
        let is_shown = |cells: &&Rc<Cells>| Arc::ptr_eq(&cells.body, block) && cells.shown.contains(&index);
        match cells.as_ref().filter(is_shown) {
            Some(cells) if !matches!(value, Value::None) => {
                self.call(&cells.display, CallArgs::positional([value])).map(|_| ())
            }
            _ => Ok(()),
        }
    }
}

/// Whether a statement is the expression that a cell ends with. A semicolon behind it keeps it back.
fn is_shown(tree: &ast::Module, index: usize) -> bool {
    let source: &SourceFile = &tree.source;
    let end = |stmt: &Stmt| tree.place(stmt.span).end;
    let cell = |offset: u32| source.cell_of(source.line_of(offset));
    let stmt = &tree.body[index];
    let is_last = tree.body.get(index + 1).is_none_or(|next| cell(tree.place(next.span).start) != cell(end(stmt)));
    let rest = source.text.get(end(stmt) as usize..).unwrap_or("");
    is_last && matches!(stmt.kind, StmtKind::Expr(_)) && !rest.trim_start_matches([' ', '\t', ')']).starts_with(';')
}
