//! Calls of builtin classes: their arguments bound in CPython's words, and the value wrapped where the class called is a
//! subclass. Constructors are called often, so they bind by hand instead of through a parsed signature.

use crate::call::CallArgs;
use crate::class::{Class, Instance};
use crate::interp::Interp;
use crate::raise::PyResult;
use crate::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

/// The arguments of one call of a class.
pub(crate) struct Call {
    name: &'static str,
    args: CallArgs,
}

impl Call {
    pub(crate) fn new(name: &'static str, args: CallArgs) -> Self {
        Call { name, args }
    }

    /// One argument per name, by position or keyword; the first `positional_only` names are no keywords.
    pub(crate) fn bind<const N: usize>(
        &mut self,
        interp: &Interp,
        names: [&str; N],
        positional_only: usize,
    ) -> PyResult<[Option<Value>; N]> {
        let name = self.name;
        let mut values: [Option<Value>; N] = std::array::from_fn(|_| None);
        let given = self.args.positional.len() + self.args.keywords.len();
        if given > N {
            let plural = if N == 1 { "" } else { "s" };
            return Err(interp.type_error(format!("{name}() takes at most {N} argument{plural} ({given} given)")));
        }
        for (slot, value) in values.iter_mut().zip(std::mem::take(&mut self.args.positional)) {
            *slot = Some(value);
        }
        for (keyword, value) in std::mem::take(&mut self.args.keywords) {
            match names.iter().position(|name| **name == *keyword).filter(|at| *at >= positional_only) {
                Some(at) if values[at].is_some() => {
                    return Err(interp.type_error(format!(
                        "argument for {name}() given by name ('{keyword}') and position ({})",
                        at + 1
                    )));
                }
                Some(at) => values[at] = Some(value),
                None => {
                    return Err(interp.type_error(format!("'{keyword}' is an invalid keyword argument for {name}()")));
                }
            }
        }
        Ok(values)
    }

    /// At least `least` and at most `N` positional arguments, no keywords.
    pub(crate) fn positional<const N: usize>(&mut self, interp: &Interp, least: usize) -> PyResult<[Option<Value>; N]> {
        let name = self.name;
        if !self.args.keywords.is_empty() {
            return Err(interp.type_error(format!("{name}() takes no keyword arguments")));
        }
        let given = self.args.positional.len();
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        if given < least {
            let most = if least == N { "" } else { "at least " };
            return Err(
                interp.type_error(format!("{name} expected {most}{least} argument{}, got {given}", plural(least)))
            );
        }
        if given > N {
            let most = if least == N { "" } else { "at most " };
            return Err(interp.type_error(format!("{name} expected {most}{N} argument{}, got {given}", plural(N))));
        }
        let mut values: [Option<Value>; N] = std::array::from_fn(|_| None);
        for (slot, value) in values.iter_mut().zip(std::mem::take(&mut self.args.positional)) {
            *slot = Some(value);
        }
        Ok(values)
    }
}

/// `value` as an instance of `class`: itself where `class` is the builtin, wrapped where it is a subclass.
pub(crate) fn finish(class: &Rc<Class>, builtin: &Rc<Class>, value: Value) -> Value {
    if Rc::ptr_eq(class, builtin) || value.is_unknown() {
        return value;
    }
    Value::Instance(Rc::new(Instance {
        class: RefCell::new(Rc::clone(class)),
        fields: RefCell::default(),
        payload: RefCell::new(value),
    }))
}
