//! `f.__code__`: what programs read of a function's definition.

use crate::class::Class;
use crate::function::Function;
use crate::interp::Interp;
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

/// A code object.
pub(crate) struct CodeObject {
    pub(crate) function: Rc<Function>,
}

impl Object for CodeObject {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        Rc::clone(&interp.types().code)
    }

    fn get_attr(&self, _this: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        let code = &self.function.code;
        let params = code.params();
        let positional = params.positional_only.len() + params.positional.len();
        Ok(Some(match name {
            "co_name" => Value::name(&code.name()),
            "co_qualname" => Value::name(&self.function.qualified_name),
            "co_argcount" => Value::from(positional),
            "co_posonlyargcount" => Value::from(params.positional_only.len()),
            "co_kwonlyargcount" => Value::from(params.keyword_only.len()),
            "co_varnames" => Value::tuple(code.scope().locals.iter().map(Value::name)),
            "co_nlocals" => Value::from(code.scope().locals.len()),
            "co_flags" => {
                let flag = |set: bool, bit: i64| if set { bit } else { 0 };
                // inspect.CO_OPTIMIZED | CO_NEWLOCALS, CO_VARARGS, CO_VARKEYWORDS, CO_GENERATOR.
                Value::from(
                    3 | flag(params.vararg.is_some(), 4)
                        | flag(params.kwarg.is_some(), 8)
                        | flag(code.scope().is_generator, 32),
                )
            }
            "co_filename" => interp.source(code.span().file).map_or(Value::None, |source| Value::str(&source.path)),
            "co_firstlineno" => {
                let line = interp.source(code.span().file).map_or(0, |source| source.line_of(code.span().start));
                Value::from(i64::from(line))
            }
            _ => return Ok(None),
        }))
    }
}
