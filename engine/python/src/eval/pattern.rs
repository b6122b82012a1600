//! Patterns of `match` (PEP 634).

use crate::class::Class;
use crate::dict::Dict;
use crate::exec::env::Env;
use crate::interp::Interp;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::{CompareOp, Expr, Name, Pattern};
use std::cell::RefCell;
use std::rc::Rc;

/// What a pattern has bound so far; kept only where the whole pattern matches.
type Captures = Vec<(Name, Value)>;

impl Interp {
    /// Whether `subject` matches, and what it binds.
    pub(crate) fn matches(
        &self,
        env: &Rc<Env>,
        pattern: &Pattern,
        subject: &Value,
        captures: &mut Captures,
    ) -> PyResult<bool> {
        self.charge(1)?;
        match pattern {
            Pattern::Wildcard => Ok(true),
            Pattern::Capture { pattern, name, .. } => {
                if let Some(pattern) = pattern
                    && !self.matches(env, pattern, subject, captures)?
                {
                    return Ok(false);
                }
                captures.push((name.clone(), subject.clone()));
                Ok(true)
            }
            Pattern::Value(expr) => {
                let value = self.eval(env, expr)?;
                self.position.set(expr.span);
                let equal = self.compare(CompareOp::Eq, subject, &value)?;
                self.truth(&equal)
            }
            Pattern::Singleton(constant) => Ok(self.identical(subject, &super::constant_value(constant))),
            Pattern::Sequence(items) => self.match_sequence(env, items, subject, captures),
            // Only inside sequences, which handle it.
            Pattern::Star(_) => Ok(false),
            Pattern::Mapping { keys, patterns, rest } => {
                self.match_mapping(env, keys, patterns, rest.as_ref(), subject, captures)
            }
            Pattern::Class { class, positional, keywords } => {
                self.match_class(env, class, positional, keywords, subject, captures)
            }
            Pattern::Or(alternatives) => {
                for alternative in alternatives {
                    let mark = captures.len();
                    if self.matches(env, alternative, subject, captures)? {
                        return Ok(true);
                    }
                    captures.truncate(mark);
                }
                Ok(false)
            }
        }
    }

    fn match_sequence(
        &self,
        env: &Rc<Env>,
        patterns: &[Pattern],
        subject: &Value,
        captures: &mut Captures,
    ) -> PyResult<bool> {
        let items = match self.plain(subject) {
            Value::List(items) => items.borrow().clone(),
            Value::Tuple(items) => items.to_vec(),
            Value::Range(_) => self.collect(subject)?,
            _ if self.is_registered_sequence(subject) => self.collect(subject)?,
            _ => return Ok(false),
        };
        let star = patterns.iter().position(|pattern| matches!(pattern, Pattern::Star(_)));
        let fits = match star {
            Some(_) => items.len() + 1 >= patterns.len(),
            None => items.len() == patterns.len(),
        };
        if !fits {
            return Ok(false);
        }
        let Some(star) = star else {
            for (pattern, item) in patterns.iter().zip(&items) {
                if !self.matches(env, pattern, item, captures)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        };
        let end = items.len() - (patterns.len() - star - 1);
        for (pattern, item) in patterns[..star].iter().zip(&items) {
            if !self.matches(env, pattern, item, captures)? {
                return Ok(false);
            }
        }
        if let Pattern::Star(Some(name)) = &patterns[star] {
            captures.push((name.clone(), Value::list(items[star..end].iter().cloned())));
        }
        for (pattern, item) in patterns[star + 1..].iter().zip(&items[end..]) {
            if !self.matches(env, pattern, item, captures)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Classes that derive from `collections.abc.Sequence`.
    fn is_registered_sequence(&self, v: &Value) -> bool {
        let class = self.type_of(v);
        class.ancestors.iter().any(|a| matches!(&*a.name, "Sequence" | "MutableSequence" | "deque"))
            || &*class.name == "deque"
    }

    fn match_mapping(
        &self,
        env: &Rc<Env>,
        keys: &[Expr],
        patterns: &[Pattern],
        rest: Option<&Name>,
        subject: &Value,
        captures: &mut Captures,
    ) -> PyResult<bool> {
        let plain = crate::namespace_view::plain_mapping(&self.plain(subject));
        let is_mapping = matches!(plain, Value::Dict(_))
            || self.type_of(subject).ancestors.iter().any(|a| matches!(&*a.name, "Mapping" | "MutableMapping"));
        if !is_mapping {
            return Ok(false);
        }
        let items = self.mapping_items(subject)?.unwrap_or_default();
        let mut left = Dict::new();
        for (key, value) in items {
            left.insert(self, key, value)?;
        }
        for (key, pattern) in keys.iter().zip(patterns) {
            let key = self.eval(env, key)?;
            let Some((_, value)) = left.remove(self, &key)? else {
                return Ok(false);
            };
            if !self.matches(env, pattern, &value, captures)? {
                return Ok(false);
            }
        }
        if let Some(rest) = rest {
            captures.push((rest.clone(), Value::Dict(Rc::new(RefCell::new(left)))));
        }
        Ok(true)
    }

    fn match_class(
        &self,
        env: &Rc<Env>,
        class_expr: &Expr,
        positional: &[Pattern],
        keywords: &[(Name, Pattern)],
        subject: &Value,
        captures: &mut Captures,
    ) -> PyResult<bool> {
        let class_value = self.eval(env, class_expr)?;
        self.position.set(class_expr.span);
        let Value::Class(class) = &class_value else {
            if class_value.is_unknown() {
                return Ok(false);
            }
            return Err(self.type_error("called match pattern must be a class"));
        };
        if !self.is_instance(subject, &class_value)? {
            return Ok(false);
        }
        if !positional.is_empty() {
            if self.matches_itself(class) {
                if positional.len() > 1 {
                    return Err(self.type_error(format!(
                        "{}() accepts 1 positional sub-pattern ({} given)",
                        class.name,
                        positional.len()
                    )));
                }
                if !self.matches(env, &positional[0], subject, captures)? {
                    return Ok(false);
                }
            } else {
                let names = match self.find_attr(&class_value, "__match_args__")? {
                    Some(names) => self.collect(&names)?,
                    None => Vec::new(),
                };
                if positional.len() > names.len() {
                    return Err(self.type_error(format!(
                        "{}() accepts {} positional sub-pattern{} ({} given)",
                        class.name,
                        names.len(),
                        if names.len() == 1 { "" } else { "s" },
                        positional.len()
                    )));
                }
                for (pattern, name) in positional.iter().zip(&names) {
                    let name = self.to_str(name)?;
                    if !self.match_attribute(env, &name, pattern, subject, captures)? {
                        return Ok(false);
                    }
                }
            }
        }
        for (name, pattern) in keywords {
            if !self.match_attribute(env, name, pattern, subject, captures)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn match_attribute(
        &self,
        env: &Rc<Env>,
        name: &str,
        pattern: &Pattern,
        subject: &Value,
        captures: &mut Captures,
    ) -> PyResult<bool> {
        match self.find_attr(subject, name)? {
            Some(value) => self.matches(env, pattern, &value, captures),
            None => Ok(false),
        }
    }

    /// Builtin classes whose single positional pattern matches the whole subject.
    fn matches_itself(&self, class: &Rc<Class>) -> bool {
        let types = self.types();
        [
            &types.bool,
            &types.bytes,
            &types.dict,
            &types.float,
            &types.frozenset,
            &types.int,
            &types.list,
            &types.set,
            &types.str,
            &types.tuple,
        ]
        .into_iter()
        .any(|builtin| class.is_subclass(builtin))
            && class.lookup("__match_args__").is_none()
    }
}
