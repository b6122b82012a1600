//! Plans of the functions that a program has run and may run again, as `jit` does what it has traced once.

use pallas_interpret::{FunctionPlan, RunError};
use pallas_ir::Function;
use std::cell::RefCell;
use std::rc::{Rc, Weak};

/// As many plans are kept.
const MOST: usize = 16;

/// Plans by function.
#[derive(Default)]
pub(crate) struct Plans(RefCell<Vec<(Weak<Function>, Rc<FunctionPlan>)>>);

impl Plans {
    /// The plan of a function; those that nobody can ask for any more are forgotten.
    ///
    /// # Errors
    /// As [`FunctionPlan::new`].
    pub(crate) fn of(&self, function: &Rc<Function>) -> Result<Rc<FunctionPlan>, RunError> {
        let mut known = self.0.borrow_mut();
        known.retain(|(function, _)| function.strong_count() > 0);
        // While somebody holds a function no other one has its address.
        if let Some((_, plan)) = known.iter().find(|(other, _)| other.as_ptr() == Rc::as_ptr(function)) {
            return Ok(plan.clone());
        }
        let plan = Rc::new(FunctionPlan::new(function)?);
        if known.len() == MOST {
            known.remove(0);
        }
        known.push((Rc::downgrade(function), plan.clone()));
        Ok(plan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pallas_ir::text::parse_function;

    #[test]
    fn a_function_is_planned_once_while_somebody_holds_it() {
        let function = || Rc::new(parse_function("func @f(%x: f32[4]) { yield %x }").expect("well written"));
        let (plans, first) = (Plans::default(), function());
        let plan = plans.of(&first).expect("well formed");
        assert!(Rc::ptr_eq(&plan, &plans.of(&first).expect("well formed")));
        assert!(!Rc::ptr_eq(&plan, &plans.of(&function()).expect("well formed")), "another one");
        drop(first);
        plans.of(&function()).expect("well formed");
        assert_eq!(Rc::strong_count(&plan), 1, "nobody can ask for it");
        let many: Vec<Rc<Function>> = (0..3 * MOST).map(|_| function()).collect();
        many.iter().for_each(|function| drop(plans.of(function)));
        assert_eq!(plans.0.borrow().len(), MOST);
    }
}
