//! Values as JSON text.

use super::super::support::{address, entries, keywords, plain, text};
use crate::interp::Interp;
use crate::raise::{PyResult, Stop};
use crate::value::Value;

/// TypeError for a value that JSON has no form for.
pub(super) fn not_serializable(interp: &Interp, value: &Value) -> Box<Stop> {
    interp.type_error(format!("Object of type {} is not JSON serializable", interp.type_name(value)))
}

struct Encoder<'a> {
    interp: &'a Interp,
    skip_keys: bool,
    ensure_ascii: bool,
    allow_nan: bool,
    sort_keys: bool,
    /// The text of one level.
    indent: Option<String>,
    item_separator: String,
    key_separator: String,
    default: Option<Value>,
    /// Containers being written.
    open: Vec<usize>,
    out: String,
    /// A value in it that is not known: then neither is the text.
    unknown: Option<Value>,
}

/// `values` are the arguments of `json.dumps` in order.
pub(super) fn dumps(interp: &Interp, values: &[Value]) -> PyResult<Value> {
    let get = |index: usize| values.get(index).cloned().unwrap_or(Value::None);
    if get(0).is_unknown() {
        return Ok(get(0));
    }
    if let Some(class) = get(5).given() {
        // A user's encoder: made with the options, asked to encode.
        let mut args = crate::call::CallArgs::default();
        let names = [
            ("skipkeys", 1),
            ("ensure_ascii", 2),
            ("check_circular", 3),
            ("allow_nan", 4),
            ("indent", 6),
            ("separators", 7),
            ("default", 8),
            ("sort_keys", 9),
        ];
        for (name, index) in names {
            args.keywords.push((name.into(), get(index)));
        }
        args.keywords.extend(keywords(&get(10)));
        let encoder = interp.call(&class, args)?;
        return interp.call_method(&encoder, "encode", [get(0)]);
    }
    let indent = match get(6) {
        Value::None => None,
        value => Some(match text(&value) {
            Some(text) => text.to_string(),
            None => " ".repeat(usize::try_from(interp.to_i64(&value)?).unwrap_or(0)),
        }),
    };
    let (item_separator, key_separator) = match get(7).given() {
        Some(pair) => {
            let pair = interp.collect(&pair)?;
            let [item, key] = pair.as_slice() else {
                return Err(interp.value_error(format!("not enough values to unpack (expected 2, got {})", pair.len())));
            };
            (interp.to_str(item)?.to_string(), interp.to_str(key)?.to_string())
        }
        None => ((if indent.is_some() { "," } else { ", " }).to_owned(), ": ".to_owned()),
    };
    let mut encoder = Encoder {
        interp,
        skip_keys: interp.truth(&get(1))?,
        ensure_ascii: interp.truth(&get(2))?,
        allow_nan: interp.truth(&get(4))?,
        sort_keys: interp.truth(&get(9))?,
        indent,
        item_separator,
        key_separator,
        default: get(8).given(),
        open: Vec::new(),
        out: String::new(),
        unknown: None,
    };
    encoder.value(&get(0))?;
    Ok(encoder.unknown.unwrap_or_else(|| Value::from(encoder.out)))
}

impl Encoder<'_> {
    fn value(&mut self, value: &Value) -> PyResult<()> {
        self.interp.charge(1)?;
        match plain(value) {
            Value::None => self.out.push_str("null"),
            Value::Bool(value) => self.out.push_str(if value { "true" } else { "false" }),
            Value::Int(number) => self.out.push_str(&number.to_string()),
            Value::Float(number) => {
                let number = self.float(number)?;
                self.out.push_str(&number);
            }
            Value::Str(text) => self.string(&text),
            Value::List(items) => {
                let items = items.borrow().clone();
                self.sequence(value, &items)?;
            }
            Value::Tuple(items) => self.sequence(value, &items)?,
            mapping @ Value::Dict(_) => self.mapping(value, &mapping)?,
            unknown @ Value::Unknown(_) => self.unknown = Some(unknown),
            other => {
                let Some(default) = self.default.clone() else { return Err(not_serializable(self.interp, &other)) };
                self.enter(value)?;
                let replaced = self.interp.call_values(&default, [value.clone()])?;
                let interp = self.interp;
                interp.nested(|| self.value(&replaced))?;
                self.open.pop();
            }
        }
        Ok(())
    }

    fn float(&self, number: f64) -> PyResult<String> {
        if number.is_finite() {
            return self.interp.repr(&Value::Float(number));
        }
        let shown = if number.is_nan() {
            "NaN"
        } else if number > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        };
        if self.allow_nan {
            return Ok(shown.to_owned());
        }
        Err(self.interp.value_error("Out of range float values are not JSON compliant"))
    }

    fn enter(&mut self, value: &Value) -> PyResult<()> {
        let address = address(value);
        if address != 0 && self.open.contains(&address) {
            return Err(self.interp.value_error("Circular reference detected"));
        }
        self.open.push(address);
        Ok(())
    }

    fn new_line(&mut self) {
        if let Some(indent) = &self.indent {
            self.out.push('\n');
            self.out.push_str(&indent.repeat(self.open.len()));
        }
    }

    fn sequence(&mut self, value: &Value, items: &[Value]) -> PyResult<()> {
        if items.is_empty() {
            self.out.push_str("[]");
            return Ok(());
        }
        self.enter(value)?;
        self.out.push('[');
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.out.push_str(&self.item_separator);
            }
            self.new_line();
            let interp = self.interp;
            interp.nested(|| self.value(item))?;
        }
        self.open.pop();
        self.new_line();
        self.out.push(']');
        Ok(())
    }

    fn mapping(&mut self, value: &Value, mapping: &Value) -> PyResult<()> {
        let mut pairs = entries(self.interp, mapping)?;
        if pairs.is_empty() {
            self.out.push_str("{}");
            return Ok(());
        }
        if self.sort_keys {
            let sorted = super::super::support::builtin(self.interp, "sorted")?;
            let keys = Value::list(pairs.iter().map(|(key, _)| key.clone()));
            let keys = self.interp.collect(&self.interp.call_values(&sorted, [keys])?)?;
            pairs = keys
                .into_iter()
                .map(|key| {
                    let item = self.interp.get_item(mapping, &key)?;
                    Ok((key, item))
                })
                .collect::<PyResult<_>>()?;
        }
        self.enter(value)?;
        self.out.push('{');
        let mut first = true;
        for (key, item) in pairs {
            let Some(key) = self.key(&key)? else { continue };
            if !first {
                self.out.push_str(&self.item_separator);
            }
            first = false;
            self.new_line();
            self.string(&key);
            self.out.push_str(&self.key_separator);
            let interp = self.interp;
            interp.nested(|| self.value(&item))?;
        }
        self.open.pop();
        self.new_line();
        self.out.push('}');
        Ok(())
    }

    /// The text of a key; `None` for one to be skipped.
    fn key(&self, key: &Value) -> PyResult<Option<String>> {
        Ok(Some(match plain(key) {
            Value::Str(text) => text.to_string(),
            Value::None => "null".to_owned(),
            Value::Bool(value) => (if value { "true" } else { "false" }).to_owned(),
            Value::Int(number) => number.to_string(),
            Value::Float(number) => self.float(number)?,
            _ if self.skip_keys => return Ok(None),
            other => {
                return Err(self.interp.type_error(format!(
                    "keys must be str, int, float, bool or None, not {}",
                    self.interp.type_name(&other)
                )));
            }
        }))
    }

    fn string(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                '\x08' => self.out.push_str("\\b"),
                '\x0c' => self.out.push_str("\\f"),
                c if c < ' ' => self.out.push_str(&format!("\\u{:04x}", u32::from(c))),
                c if c.is_ascii() && (c != '\x7f' || !self.ensure_ascii) => self.out.push(c),
                c if self.ensure_ascii => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        self.out.push_str(&format!("\\u{unit:04x}"));
                    }
                }
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }
}
