//! Binding of arguments to the parameters of Python functions, with the errors of CPython's ceval.c.

use crate::call::{CallArgs, Unpacked};
use crate::class::Namespace;
use crate::dict::Dict;
use crate::function::Function;
use crate::interp::Interp;
use crate::raise::{PyResult, Stop};
use crate::signature::missing_arguments;
use crate::value::Value;
use pallas_syntax::ast::{Param, Params};
use std::cell::RefCell;
use std::rc::Rc;

impl Interp {
    /// The locals with which a call begins.
    pub(super) fn bind_python(&self, function: &Rc<Function>, args: CallArgs) -> PyResult<Namespace> {
        let params = function.code.params();
        let mut names = Namespace::with_capacity_and_hasher(function.info.declared.len(), Default::default());
        let given = args.positional.len();
        let mut values = args.positional.into_iter();
        for (param, value) in params.positional_only.iter().chain(&params.positional).zip(values.by_ref()) {
            names.insert(param.name.clone(), value);
        }
        let excess: Vec<Value> = values.collect();
        let too_many = !excess.is_empty() && params.vararg.is_none();
        if let Some(vararg) = &params.vararg {
            let excess = args.unknown.positional.clone().unwrap_or_else(|| Value::Tuple(Rc::from(excess)));
            names.insert(vararg.name.clone(), excess);
        }
        let mut rest = Dict::new();
        let mut misplaced = Vec::new();
        for (name, value) in args.keywords {
            let target = params.positional.iter().chain(&params.keyword_only).find(|param| param.name == name);
            match target {
                Some(param) if names.contains_key(&param.name) => {
                    return Err(self.type_error(format!(
                        "{}() got multiple values for argument '{name}'",
                        self.function_qualified_name(function)
                    )));
                }
                Some(param) => {
                    names.insert(param.name.clone(), value);
                }
                None if params.kwarg.is_some() => {
                    rest.insert_str(&name, value);
                }
                None => {
                    if params.positional_only.iter().any(|param| param.name == name) {
                        misplaced.push(name.to_string());
                        continue;
                    }
                    let message = format!(
                        "{}() got an unexpected keyword argument '{name}'",
                        self.function_qualified_name(function)
                    );
                    // What has a value already is not what was meant.
                    let free = params.positional.iter().chain(&params.keyword_only);
                    let free = free.filter(|param| !names.contains_key(&param.name));
                    let known = free.map(|param| param.name.to_string()).collect();
                    return Err(self.unexpected_keyword(message, &name, known));
                }
            }
        }
        if !misplaced.is_empty() {
            return Err(self.type_error(format!(
                "{}() got some positional-only arguments passed as keyword arguments: '{}'",
                self.function_qualified_name(function),
                misplaced.join(", ")
            )));
        }
        if too_many {
            return Err(self.too_many_positional(function, given, &names));
        }
        self.fill_unknown(function, &mut names, &args.unknown);
        self.fill_defaults(function, &mut names)?;
        if let Some(kwarg) = &params.kwarg {
            let rest = args.unknown.keywords.unwrap_or_else(|| Value::Dict(Rc::new(RefCell::new(rest))));
            names.insert(kwarg.name.clone(), rest);
        }
        Ok(names)
    }

    /// Parameters that must be given something, and may have been by a star.
    fn fill_unknown(&self, function: &Rc<Function>, names: &mut Namespace, unknown: &Unpacked) {
        let Params { positional_only, positional, keyword_only, .. } = function.code.params();
        let either = unknown.positional.as_ref().or(unknown.keywords.as_ref());
        let ways = [
            (positional_only, unknown.positional.as_ref()),
            (positional, either),
            (keyword_only, unknown.keywords.as_ref()),
        ];
        for (params, value) in ways {
            let Some(value) = value else { continue };
            for param in params.iter().filter(|param| function.default_of(param).is_none()) {
                names.entry(param.name.clone()).or_insert_with(|| value.clone());
            }
        }
    }

    fn fill_defaults(&self, function: &Rc<Function>, names: &mut Namespace) -> PyResult<()> {
        let params = function.code.params();
        let needed = params.positional_only.len() + params.positional.len() + params.keyword_only.len();
        if names.len() >= needed + usize::from(params.vararg.is_some()) {
            return Ok(());
        }
        let absent = |param: &&Param, names: &Namespace| {
            !names.contains_key(&param.name) && function.default_of(param).is_none()
        };
        let positional = params.positional_only.iter().chain(&params.positional);
        let missing: Vec<&str> =
            positional.clone().filter(|param| absent(param, names)).map(|param| &*param.name).collect();
        if !missing.is_empty() {
            let name = self.function_qualified_name(function);
            return Err(self.type_error(missing_arguments(&name, missing.into_iter(), false)));
        }
        let missing: Vec<&str> =
            params.keyword_only.iter().filter(|param| absent(param, names)).map(|param| &*param.name).collect();
        if !missing.is_empty() {
            let name = self.function_qualified_name(function);
            return Err(self.type_error(missing_arguments(&name, missing.into_iter(), true)));
        }
        for param in positional.chain(&params.keyword_only) {
            if !names.contains_key(&param.name)
                && let Some(default) = function.default_of(param)
            {
                names.insert(param.name.clone(), default);
            }
        }
        Ok(())
    }

    /// ceval.c's `too_many_positional`.
    fn too_many_positional(&self, function: &Rc<Function>, given: usize, names: &Namespace) -> Box<Stop> {
        let params = function.code.params();
        let most = params.positional_only.len() + params.positional.len();
        let defaults = params
            .positional_only
            .iter()
            .chain(&params.positional)
            .filter(|param| function.default_of(param).is_some())
            .count();
        let keyword_only = params.keyword_only.iter().filter(|param| names.contains_key(&param.name)).count();
        let (takes, plural) = if defaults > 0 {
            (format!("from {} to {most}", most - defaults), true)
        } else {
            (most.to_string(), most != 1)
        };
        let plural = if plural { "s" } else { "" };
        let also = if keyword_only > 0 {
            format!(
                " positional argument{} (and {keyword_only} keyword-only argument{})",
                if given == 1 { "" } else { "s" },
                if keyword_only == 1 { "" } else { "s" }
            )
        } else {
            String::new()
        };
        let were = if given == 1 && keyword_only == 0 { "was" } else { "were" };
        self.type_error(format!(
            "{}() takes {takes} positional argument{plural} but {given}{also} {were} given",
            self.function_qualified_name(function)
        ))
    }
}
