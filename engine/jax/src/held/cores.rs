//! Refs from outside in a function that runs on each core of a mesh: in the kernel that it becomes they are parameters, made
//! when they are first used.

use super::{Held, HeldRef};
use crate::context::Context;
use crate::refs::RefObject;
use crate::tile::Tile;
use crate::trace::Trace;
use pallas_ir::{MemorySpace, RefType, Type};
use pallas_python::value::Value;
use std::rc::Rc;

/// The Refs that a function has used, with their parameters.
pub(crate) struct CoreRefs {
    trace: Rc<Trace>,
    refs: Vec<(Rc<Held>, RefObject)>,
}

impl CoreRefs {
    /// None yet.
    pub(crate) fn new(trace: Rc<Trace>) -> CoreRefs {
        CoreRefs { trace, refs: Vec::new() }
    }

    /// The Refs, in the order of their parameters.
    pub(crate) fn refs(&self) -> impl Iterator<Item = HeldRef> + '_ {
        self.refs.iter().map(|(held, _)| HeldRef::whole(held.clone()))
    }
}

/// What stands for a value in the function that is traced for cores: the parameter, where it is a Ref from outside.
pub(crate) fn in_core(cx: &Context<'_>, value: &Value) -> Option<Value> {
    value.downcast::<HeldRef>()?.inside(cx)
}

impl HeldRef {
    /// The kernel's parameter for it, where a function is traced for cores.
    pub(super) fn inside(&self, cx: &Context<'_>) -> Option<Value> {
        if !self.within.is_empty() {
            return None;
        }
        let mut state = cx.state.core_refs.borrow_mut();
        let cores = state.as_mut()?;
        if let Some((_, reference)) = cores.refs.iter().find(|(held, _)| Rc::ptr_eq(held, &self.held)) {
            return Some(Value::object(reference.clone()));
        }
        let tile: Tile = self.held.tile.borrow().clone();
        let ty = RefType::new(tile.dtype(), tile.shape().clone(), MemorySpace::Default);
        let (value, region) = cores.trace.body_param(Type::Ref(ty), None);
        let reference = RefObject::of_region(&cores.trace, value, region)?;
        cores.refs.push((self.held.clone(), reference.clone()));
        Some(Value::object(reference))
    }
}
