//! Names that the real library has and the workbench does not: an exception of their own in a run, unknown in analysis.

use crate::class::Class;
use crate::exceptions::set_field;
use crate::interp::Interp;
use crate::module::Module;
use crate::raise::{Diagnosis, PyResult, Stop};
use crate::value::Value;
use std::rc::Rc;

/// The rule about them.
const CODE: &str = "PL005";

impl Interp {
    /// `v.name` where there is none: AttributeError, but in analysis unknown where the real library has it.
    pub(crate) fn absent(&self, v: &Value, name: &str) -> PyResult<Value> {
        if let Value::Module(module) = v
            && self.is_unfinished_main(module)
        {
            return Ok(Value::unknown(format!("'{name}' is defined later"), Some(self.span())));
        }
        let stop = self.no_attribute(v, name);
        if self.is_analysis() && is_unprovided(&stop) {
            self.observe_raised(&stop);
            return Ok(Value::unknown(format!("'{name}' is not provided yet"), Some(self.span())));
        }
        Err(stop)
    }

    /// What is said instead of "has no attribute", where the real library has it.
    pub(crate) fn unprovided_attribute(&self, v: &Value, name: &str) -> Option<Box<Stop>> {
        let what = match v {
            Value::Module(module) if self.is_known_of(module, name) => format!("{}.{name}", module.name),
            Value::Object(_) => {
                let class = self.type_name(v);
                if !self.imports.is_known(&class, name) {
                    return None;
                }
                format!("{class}.{name}")
            }
            _ => return None,
        };
        Some(self.unprovided(&self.types().attribute_error, name, &what))
    }

    /// Whether the real library has a name that a module of the workbench has not.
    pub(crate) fn is_known_of(&self, module: &Module, name: &str) -> bool {
        module.path.is_none() && self.imports.is_known(&module.name, name)
    }

    /// The exception about `what`.
    pub(crate) fn unprovided(&self, class: &Rc<Class>, name: &str, what: &str) -> Box<Stop> {
        let mut stop = self.error(class, format!("{what} is not provided by Pallas Workbench yet"));
        if let Stop::Raise(raise) = &mut *stop {
            set_field(&raise.exception, "name", Value::str(name));
            raise.diagnosis = Some(Box::new(diagnosis(what)));
        }
        stop
    }
}

/// What is said of `what`, which the real library has.
pub(super) fn diagnosis(what: &str) -> Diagnosis {
    Diagnosis {
        code: CODE,
        message: Some(format!("`{what}` is not provided by Pallas Workbench yet")),
        help: Some(
            "checks go on with an unknown value, and a run stops here: say it with other functions where that is \
             possible, or ask for it"
                .to_owned(),
        ),
        ..Diagnosis::default()
    }
}

fn is_unprovided(stop: &Stop) -> bool {
    matches!(stop, Stop::Raise(raise) if raise.diagnosis.as_ref().is_some_and(|diagnosis| diagnosis.code == CODE))
}
