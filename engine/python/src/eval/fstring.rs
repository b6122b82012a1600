//! f-strings.

use crate::exec::env::Env;
use crate::interp::Interp;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::{FStringField, FStringPart};
use std::rc::Rc;

impl Interp {
    pub(super) fn eval_fstring(&self, env: &Rc<Env>, parts: &[FStringPart]) -> PyResult<Value> {
        let mut text = String::new();
        let mut unknown = None;
        for part in parts {
            match part {
                FStringPart::Literal(literal) => text.push_str(literal),
                FStringPart::Field(field) => {
                    // Formatted once, also where a later field suspends the statement.
                    let piece = self.once(env, field, || self.eval_field(env, field))?;
                    match piece {
                        Value::Str(piece) => text.push_str(&piece),
                        other => unknown = Some(other),
                    }
                }
            }
        }
        if let Some(unknown) = unknown {
            return Ok(unknown);
        }
        self.charge_bytes(text.len() as u128)?;
        Ok(Value::from(text))
    }

    fn eval_field(&self, env: &Rc<Env>, field: &FStringField) -> PyResult<Value> {
        let value = self.eval(env, &field.value)?;
        if value.is_undecided() {
            return Ok(value.to_unknown("prints the data of an array"));
        }
        let spec = match self.eval_fstring(env, &field.spec)? {
            Value::Str(spec) => spec,
            unknown => return Ok(unknown),
        };
        self.position.set(field.value.span);
        let conversion = match field.conversion {
            None if field.debug_text.is_some() && field.spec.is_empty() => Some('r'),
            conversion => conversion,
        };
        let text = match conversion {
            None => self.format(&value, &spec)?,
            Some(conversion) => {
                let converted = match conversion {
                    'r' => self.repr(&value)?,
                    'a' => ascii(&self.repr(&value)?),
                    _ => self.str(&value)?,
                };
                if spec.is_empty() { converted } else { self.format(&Value::from(converted), &spec)? }
            }
        };
        Ok(Value::from(match &field.debug_text {
            Some(debug) => format!("{debug}{text}"),
            None => text,
        }))
    }
}

/// `ascii()`: what is not ASCII is escaped.
fn ascii(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c as u32 {
            0..0x80 => escaped.push(c),
            code @ 0x80..0x100 => escaped.push_str(&format!("\\x{code:02x}")),
            code @ 0x100..0x1_0000 => escaped.push_str(&format!("\\u{code:04x}")),
            code => escaped.push_str(&format!("\\U{code:08x}")),
        }
    }
    escaped
}
