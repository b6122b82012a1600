//! Where Refs come from, through views: which operand, scratch or allocation an access reaches in the end.

use crate::walk::{Source, Sources};
use pallas_ir::op::MemoryOp;
use pallas_ir::{Function, Launch, OpKind, ValueId};

/// The Ref that a Ref is all or part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// A parameter of the kernel, or of a `scoped` region.
    pub(crate) value: ValueId,
    /// The number of the kernel's parameter, if it is one.
    pub(crate) parameter: Option<usize>,
    /// Whether views lie between.
    pub(crate) is_view: bool,
}

/// Follows views back to their beginning; `None` where the function is damaged.
pub(crate) fn origin(function: &Function, sources: &Sources, reference: ValueId) -> Option<Origin> {
    let mut value = reference;
    let mut is_view = false;
    // Views form a chain no longer than there are ops.
    for _ in 0..=function.ops.len() {
        match sources.of(value) {
            Source::Parameter(number) => {
                return Some(Origin { value, parameter: Some(number), is_view });
            }
            Source::Inner(..) => {
                return Some(Origin { value, parameter: None, is_view });
            }
            Source::Result(op, _) => {
                let op = function.op(op);
                if !matches!(op.op.kind, OpKind::Memory(MemoryOp::View | MemoryOp::Reinterpret)) {
                    return None;
                }
                value = *op.operands.first()?;
                is_view = true;
            }
            Source::Nowhere => return None,
        }
    }
    None
}

impl Origin {
    /// `x_ref`, `a view of x_ref`; `this Ref` where it has no name.
    pub(crate) fn name(&self, launch: &Launch) -> String {
        let parameter = self.parameter.and_then(|n| launch.operands.get(n));
        let own = launch.kernel.value(self.value).name.clone();
        let name = own.or_else(|| parameter.map(|operand| operand.name.clone()));
        match (name, self.is_view) {
            (Some(name), false) => name.to_string(),
            (Some(name), true) => format!("a view of {name}"),
            (None, false) => "this Ref".to_string(),
            (None, true) => "this view".to_string(),
        }
    }
}
