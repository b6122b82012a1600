//! `pl.Buffered`: how many buffer slots an operand has.

use super::native_class;
use pallas_python::class::Class;
use pallas_python::interp::Interp;
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::CompareOp;
use std::rc::Rc;

/// `pl.Buffered(n)`
#[derive(Clone, PartialEq)]
pub struct Buffered {
    /// `buffer_count`
    pub count: usize,
    /// `use_lookahead`
    pub lookahead: bool,
    /// `revisit`
    pub revisit: Option<Rc<str>>,
}

native_class!(
    BUFFERED,
    BUFFERED_DEF,
    "Buffered",
    "(buffer_count, use_lookahead=False, revisit=None)",
    "How many buffer slots the pipeline keeps for an operand.",
    |interp, args| {
        let [count, lookahead, revisit] = args.take();
        let revisit = match revisit.given() {
            Some(mode) => Some(interp.repr(&mode)?.into()),
            None => None,
        };
        let (count, lookahead) = (interp.to_usize(&count)?, interp.truth(&lookahead)?);
        Ok(Value::object(Buffered { count, lookahead, revisit }))
    }
);

impl Buffered {
    pub(super) fn text(&self) -> String {
        let lookahead = if self.lookahead { "True" } else { "False" };
        let revisit = self.revisit.as_deref().unwrap_or("None");
        format!("Buffered(buffer_count={}, use_lookahead={lookahead}, revisit={revisit})", self.count)
    }
}

impl Object for Buffered {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&BUFFERED)
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "buffer_count" => Some(Value::from(self.count)),
            "use_lookahead" => Some(Value::Bool(self.lookahead)),
            "revisit" if self.revisit.is_none() => Some(Value::None),
            _ => None,
        })
    }

    fn compare(&self, _this: &Value, op: CompareOp, other: &Value, _interp: &Interp) -> PyResult<Option<Value>> {
        let Some(other) = other.downcast::<Buffered>() else { return Ok(None) };
        Ok(match op {
            CompareOp::Eq => Some(Value::Bool(self == other)),
            CompareOp::NotEq => Some(Value::Bool(self != other)),
            _ => None,
        })
    }

    fn hash(&self, _this: &Value, _interp: &Interp) -> Option<PyResult<u64>> {
        Some(Ok(self.count as u64 * 2 + u64::from(self.lookahead)))
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(self.text()))
    }
}
