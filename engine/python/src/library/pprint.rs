//! `pprint`: nested containers on several lines where one line is too long.

use super::support::{entries, row};
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "pprint",
    doc: "Containers as readable text.",
    functions: &[
        row(
            "pprint",
            "(object, stream=None, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True, underscore_numbers=False)",
            "Prints a value.",
            |interp, args| {
                let (stream, indent, width, sort) = (args.get(1).clone(), args.get(2), args.get(3), args.get(6));
                let text = formatted(interp, args.get(0), indent, width, sort)? + "\n";
                match stream {
                    Value::None => super::sys::streams::write_to(interp, "stdout", &text)?,
                    stream => {
                        interp.call_method(&stream, "write", [Value::from(text)])?;
                    }
                }
                Ok(Value::None)
            },
        ),
        row(
            "pp",
            "(object, *args, sort_dicts=False, **kwargs)",
            "Prints a value, dicts in their order.",
            |interp, args| {
                let text = Printer { interp, indent: 1, width: 80, sort: false }.show(args.get(0), 0, 0)? + "\n";
                super::sys::streams::write_to(interp, "stdout", &text)?;
                Ok(Value::None)
            },
        ),
        row(
            "pformat",
            "(object, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True, underscore_numbers=False)",
            "A value as text.",
            |interp, args| formatted(interp, args.get(0), args.get(1), args.get(2), args.get(5)).map(Value::from),
        ),
        row("saferepr", "(object)", "A value as text on one line.", |interp, args: Arguments| {
            Printer { interp, indent: 1, width: usize::MAX, sort: true }.show(args.get(0), 0, 0).map(Value::from)
        }),
    ],
    populate: |_, _| {},
};

struct Printer<'a> {
    interp: &'a Interp,
    indent: usize,
    width: usize,
    sort: bool,
}

fn formatted(interp: &Interp, value: &Value, indent: &Value, width: &Value, sort: &Value) -> PyResult<String> {
    let printer =
        Printer { interp, indent: interp.to_usize(indent)?, width: interp.to_usize(width)?, sort: interp.truth(sort)? };
    printer.show(value, 0, 0)
}

impl Printer<'_> {
    /// The value as it stands after `column` characters, with `allowance` more to follow on its last line.
    fn show(&self, value: &Value, column: usize, allowance: usize) -> PyResult<String> {
        self.interp.nested(|| {
            let single = self.single(value)?;
            if single.chars().count() + column + allowance <= self.width {
                return Ok(single);
            }
            match value {
                Value::List(items) => {
                    let items = items.borrow().clone();
                    self.sequence(&items, "[", "]", column, allowance)
                }
                Value::Tuple(items) => {
                    let close = if items.len() == 1 { ",)" } else { ")" };
                    self.sequence(items, "(", close, column, allowance)
                }
                Value::Dict(_) => self.dict(value, column, allowance),
                _ => Ok(single),
            }
        })
    }

    fn sorted(&self, value: &Value) -> PyResult<Vec<(Value, Value)>> {
        let pairs = entries(self.interp, value)?;
        if !self.sort {
            return Ok(pairs);
        }
        let sorted = super::support::builtin(self.interp, "sorted")?;
        let keys = Value::list(pairs.iter().map(|(key, _)| key.clone()));
        match self.interp.call_values(&sorted, [keys]) {
            Ok(keys) => self
                .interp
                .collect(&keys)?
                .into_iter()
                .map(|key| {
                    let item = self.interp.get_item(value, &key)?;
                    Ok((key, item))
                })
                .collect(),
            // Keys that do not compare stay in their order.
            Err(stop) if self.interp.stop_is(&stop, &self.interp.types().type_error) => Ok(pairs),
            Err(stop) => Err(stop),
        }
    }

    /// On one line, dicts sorted.
    fn single(&self, value: &Value) -> PyResult<String> {
        self.interp.nested(|| {
            let all = |items: &[Value]| items.iter().map(|item| self.single(item)).collect::<PyResult<Vec<_>>>();
            Ok(match value {
                Value::List(items) => {
                    let items = items.borrow().clone();
                    format!("[{}]", all(&items)?.join(", "))
                }
                Value::Tuple(items) if items.len() == 1 => format!("({},)", self.single(&items[0])?),
                Value::Tuple(items) => format!("({})", all(items)?.join(", ")),
                Value::Dict(_) => {
                    let mut parts = Vec::new();
                    for (key, item) in self.sorted(value)? {
                        parts.push(format!("{}: {}", self.single(&key)?, self.single(&item)?));
                    }
                    format!("{{{}}}", parts.join(", "))
                }
                other => self.interp.repr(other)?,
            })
        })
    }

    fn sequence(&self, items: &[Value], open: &str, close: &str, column: usize, allowance: usize) -> PyResult<String> {
        let inner = column + self.indent;
        let mut text = format!("{open}{}", " ".repeat(self.indent.saturating_sub(1)));
        for (at, item) in items.iter().enumerate() {
            let last = at + 1 == items.len();
            text.push_str(&self.show(item, inner, if last { allowance + close.len() } else { 1 })?);
            if !last {
                text.push_str(&format!(",\n{}", " ".repeat(inner)));
            }
        }
        Ok(text + close)
    }

    fn dict(&self, value: &Value, column: usize, allowance: usize) -> PyResult<String> {
        let inner = column + self.indent;
        let mut text = format!("{{{}", " ".repeat(self.indent.saturating_sub(1)));
        let pairs = self.sorted(value)?;
        let count = pairs.len();
        for (at, (key, item)) in pairs.into_iter().enumerate() {
            let last = at + 1 == count;
            let key = self.single(&key)?;
            text.push_str(&format!("{key}: "));
            let start = inner + key.chars().count() + 2;
            text.push_str(&self.show(&item, start, if last { allowance + 1 } else { 1 })?);
            if !last {
                text.push_str(&format!(",\n{}", " ".repeat(inner)));
            }
        }
        Ok(text + "}")
    }
}
