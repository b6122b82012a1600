//! `string`: character classes, `capwords`, `Template`.

use super::support::{arguments, form, keywords, row};
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::Arguments;
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

const LOWERCASE: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPERCASE: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const PUNCTUATION: &str = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
const WHITESPACE: &str = " \t\n\r\x0b\x0c";

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "string",
    doc: "Constants and templates for text.",
    functions: &[row("capwords", "(s, sep=None)", "Every word capitalised.", |interp, args| {
        let [text, separator] = args.take();
        let words = interp.collect(&interp.call_method(&text, "split", [separator.clone()])?)?;
        let words =
            words.iter().map(|word| interp.call_method(word, "capitalize", [])).collect::<PyResult<Vec<_>>>()?;
        let separator = if separator.is_none() { Value::str(" ") } else { separator };
        interp.call_method(&separator, "join", [Value::list(words)])
    })],
    populate: |interp, names| {
        let printable = format!("0123456789{LOWERCASE}{UPPERCASE}{PUNCTUATION}{WHITESPACE}");
        for (name, value) in [
            ("ascii_lowercase", LOWERCASE),
            ("ascii_uppercase", UPPERCASE),
            ("ascii_letters", &format!("{LOWERCASE}{UPPERCASE}")),
            ("digits", "0123456789"),
            ("hexdigits", "0123456789abcdefABCDEF"),
            ("octdigits", "01234567"),
            ("punctuation", PUNCTUATION),
            ("whitespace", WHITESPACE),
            ("printable", &printable),
        ] {
            names.insert(name.into(), Value::str(value));
        }
        super::support::add_class(names, &interp.native_class(&TEMPLATE));
    },
};

static TEMPLATE: NativeClass = NativeClass {
    name: "Template",
    module: "string",
    doc: "Template(template): text with $names to substitute.",
    methods: &[
        row("substitute", "(self, mapping=..., /, **kws)", "The text with every name replaced.", |i, a| {
            fill(i, a, true)
        }),
        row("safe_substitute", "(self, mapping=..., /, **kws)", "The text with known names replaced.", |i, a| {
            fill(i, a, false)
        }),
    ],
    properties: &[],
    construct: Some(|interp, _, args| {
        let [template] = arguments(interp, const { &form("__init__", "(template)") }, args)?.take();
        if template.is_unknown() {
            return Ok(template);
        }
        Ok(Value::object(Template { template: interp.to_str(&template)? }))
    }),
    instance_check: None,
};

struct Template {
    template: Rc<str>,
}

impl Object for Template {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&TEMPLATE)
    }

    fn get_attr(&self, _: &Value, name: &str, _: &Interp) -> PyResult<Option<Value>> {
        Ok((name == "template").then(|| Value::Str(self.template.clone())))
    }
}

fn fill(interp: &Interp, args: Arguments, strict: bool) -> PyResult<Value> {
    let [this, mapping, given] = args.take();
    let Some(template) = this.downcast::<Template>() else { return Ok(Value::None) };
    let given = keywords(&given);
    let find = |name: &str| -> PyResult<Option<Value>> {
        if let Some((_, value)) = given.iter().find(|(known, _)| **known == *name) {
            return Ok(Some(value.clone()));
        }
        if mapping.is_unset() {
            return Ok(None);
        }
        super::support::lookup(interp, &mapping, &Value::str(name))
    };
    let text = &*template.template;
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        result.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('$') {
            result.push('$');
            rest = after;
            continue;
        }
        let (braced, body) = match rest.strip_prefix('{') {
            Some(body) => (true, body),
            None => (false, rest),
        };
        let length = body.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(body.len());
        let name = &body[..length];
        let closes = !braced || body[length..].starts_with('}');
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || !closes {
            if strict {
                let before = &text[..text.len() - rest.len() - 1];
                let line = before.matches('\n').count() + 1;
                let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
                return Err(interp.value_error(format!("Invalid placeholder in string: line {line}, col {column}")));
            }
            result.push('$');
            continue;
        }
        let consumed = length + if braced { 2 } else { 0 };
        match find(name)? {
            Some(value) => result.push_str(&interp.str(&value)?),
            None if strict => return Err(interp.key_error(&Value::str(name))),
            None => {
                result.push('$');
                result.push_str(&rest[..consumed]);
            }
        }
        rest = &rest[consumed..];
    }
    result.push_str(rest);
    Ok(Value::from(result))
}
