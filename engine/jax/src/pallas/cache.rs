//! Launches that a `pallas_call` has traced: applied again to arguments of the same types, the kernel is not traced again,
//! as in JAX, where programs count on it. In analysis nothing is kept: what a kernel sees may be better known the next
//! time.

use crate::context::Context;
use crate::tile::Tile;
use crate::tree::TreeDef;
use pallas_ir::{Launch, TensorType};
use pallas_python::raise::PyResult;
use std::cell::RefCell;
use std::sync::Arc;

/// A launch, and how its outputs are put together.
type Traced = (Arc<Launch>, TreeDef);

/// Traced launches, by the arguments that they were traced for.
#[derive(Default)]
pub(crate) struct Traces {
    entries: RefCell<Vec<(Key, Traced)>>,
}

/// What a trace depends on besides the `pallas_call` itself.
struct Key {
    scalars: TreeDef,
    inputs: TreeDef,
    types: Vec<TensorType>,
    x64: bool,
    strict: bool,
}

impl Traces {
    /// The launch for arguments like these, where one was traced.
    pub(crate) fn find(
        &self,
        cx: &Context<'_>,
        (scalars, inputs): (&TreeDef, &TreeDef),
        arguments: &[Tile],
    ) -> PyResult<Option<Traced>> {
        let (x64, strict) = (cx.x64(), cx.state.strict_promotion.get());
        for (key, traced) in self.entries.borrow().iter() {
            let same = key.x64 == x64
                && key.strict == strict
                && key.types.len() == arguments.len()
                && key.types.iter().zip(arguments).all(|(ty, argument)| *ty == argument.ty());
            if same && key.scalars.same(scalars, cx.interp)? && key.inputs.same(inputs, cx.interp)? {
                return Ok(Some(traced.clone()));
            }
        }
        Ok(None)
    }

    /// Keeps a launch.
    pub(crate) fn keep(
        &self,
        cx: &Context<'_>,
        (scalars, inputs): (TreeDef, TreeDef),
        arguments: &[Tile],
        (launch, out_tree): (&Arc<Launch>, &TreeDef),
    ) {
        if cx.interp.is_analysis() {
            return;
        }
        let types = arguments.iter().map(Tile::ty).collect();
        let key = Key { scalars, inputs, types, x64: cx.x64(), strict: cx.state.strict_promotion.get() };
        self.entries.borrow_mut().push((key, (launch.clone(), out_tree.clone())));
    }
}
