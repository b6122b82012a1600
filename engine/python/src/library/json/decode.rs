//! JSON text as values.

use super::super::support::{dict, text};
use crate::class::Class;
use crate::interp::Interp;
use crate::native::Arguments;
use crate::raise::{PyResult, Stop};
use crate::value::Value;
use std::rc::Rc;

pub(super) fn error_class(interp: &Interp) -> Rc<Class> {
    interp.exception_class("json.decoder", "JSONDecodeError", &interp.types().value_error)
}

struct Decoder<'a> {
    interp: &'a Interp,
    text: &'a [char],
    at: usize,
    object_hook: Value,
    pairs_hook: Value,
    parse_float: Value,
    parse_int: Value,
    parse_constant: Value,
}

/// The arguments after the first are those of `json.loads`.
pub(super) fn loads(interp: &Interp, source: &Value, args: &Arguments) -> PyResult<Value> {
    if source.is_unknown() {
        return Ok(source.clone());
    }
    let decoded = match source {
        Value::Bytes(_) => interp.call_method(source, "decode", [])?,
        other => other.clone(),
    };
    let Some(source) = text(&decoded) else {
        return Err(interp.type_error(format!(
            "the JSON object must be str, bytes or bytearray, not {}",
            interp.type_name(&decoded)
        )));
    };
    let characters: Vec<char> = source.chars().collect();
    let mut decoder = Decoder {
        interp,
        text: &characters,
        at: 0,
        object_hook: args.get(2).clone(),
        parse_float: args.get(3).clone(),
        parse_int: args.get(4).clone(),
        parse_constant: args.get(5).clone(),
        pairs_hook: args.get(6).clone(),
    };
    decoder.space();
    let value = decoder.value()?;
    decoder.space();
    if decoder.at < characters.len() {
        return Err(decoder.error("Extra data", decoder.at));
    }
    Ok(value)
}

impl Decoder<'_> {
    fn error(&self, message: &str, position: usize) -> Box<Stop> {
        let before = &self.text[..position.min(self.text.len())];
        let line = before.iter().filter(|c| **c == '\n').count() + 1;
        let column = before.iter().rev().take_while(|c| **c != '\n').count() + 1;
        let shown = format!("{message}: line {line} column {column} (char {position})");
        let exception = self.interp.exception_of(&error_class(self.interp), Value::tuple([Value::from(shown)]));
        for (name, value) in [
            ("msg", Value::str(message)),
            ("doc", Value::from(self.text.iter().collect::<String>())),
            ("pos", position.into()),
            ("lineno", line.into()),
            ("colno", column.into()),
        ] {
            if let Err(stop) = self.interp.set_attr(&exception, name, value) {
                return stop;
            }
        }
        self.interp.raise_value(exception, None)
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t' | '\n' | '\r')) {
            self.at += 1;
        }
    }

    fn accept(&mut self, word: &str) -> bool {
        let found = word.chars().enumerate().all(|(offset, c)| self.text.get(self.at + offset) == Some(&c));
        if found {
            self.at += word.chars().count();
        }
        found
    }

    fn value(&mut self) -> PyResult<Value> {
        self.interp.charge(1)?;
        let start = self.at;
        match self.peek() {
            Some('"') => Ok(Value::from(self.string()?)),
            Some('{') => {
                let interp = self.interp;
                interp.nested(|| self.object())
            }
            Some('[') => {
                let interp = self.interp;
                interp.nested(|| self.array())
            }
            _ if self.accept("null") => Ok(Value::None),
            _ if self.accept("true") => Ok(Value::Bool(true)),
            _ if self.accept("false") => Ok(Value::Bool(false)),
            Some('N' | 'I' | '-') => {
                for (word, number) in [("NaN", f64::NAN), ("Infinity", f64::INFINITY), ("-Infinity", f64::NEG_INFINITY)]
                {
                    if self.accept(word) {
                        return if self.parse_constant.is_none() {
                            Ok(Value::Float(number))
                        } else {
                            self.interp.call_values(&self.parse_constant, [Value::str(word)])
                        };
                    }
                }
                self.number()
            }
            Some(c) if c.is_ascii_digit() => self.number(),
            _ => Err(self.error("Expecting value", start)),
        }
    }

    fn number(&mut self) -> PyResult<Value> {
        let start = self.at;
        let mut at = self.at + usize::from(self.peek() == Some('-'));
        let digits = |from: usize| self.text[from..].iter().take_while(|c| c.is_ascii_digit()).count();
        let whole = if self.text.get(at) == Some(&'0') { 1 } else { digits(at) };
        if whole == 0 {
            return Err(self.error("Expecting value", start));
        }
        at += whole;
        let mut is_float = false;
        if self.text.get(at) == Some(&'.') && digits(at + 1) > 0 {
            at += 1 + digits(at + 1);
            is_float = true;
        }
        if matches!(self.text.get(at), Some('e' | 'E')) {
            let sign = usize::from(matches!(self.text.get(at + 1), Some('+' | '-')));
            if at + 1 + sign <= self.text.len() && digits(at + 1 + sign) > 0 {
                at += 1 + sign + digits(at + 1 + sign);
                is_float = true;
            }
        }
        self.at = at;
        let literal: String = self.text[start..at].iter().collect();
        let types = self.interp.types();
        let (hook, class) = if is_float { (&self.parse_float, &types.float) } else { (&self.parse_int, &types.int) };
        let function = if hook.is_none() { Value::Class(class.clone()) } else { hook.clone() };
        self.interp.call_values(&function, [Value::from(literal)])
    }

    fn string(&mut self) -> PyResult<String> {
        let begin = self.at;
        self.at += 1;
        let mut result = String::new();
        loop {
            let Some(c) = self.peek() else { return Err(self.error("Unterminated string starting at", begin)) };
            self.at += 1;
            match c {
                '"' => return Ok(result),
                '\\' => {
                    let escape_start = self.at - 1;
                    let Some(c) = self.peek() else {
                        return Err(self.error("Unterminated string starting at", begin));
                    };
                    self.at += 1;
                    match c {
                        '"' | '\\' | '/' => result.push(c),
                        'b' => result.push('\x08'),
                        'f' => result.push('\x0c'),
                        'n' => result.push('\n'),
                        'r' => result.push('\r'),
                        't' => result.push('\t'),
                        'u' => {
                            let unit = self.unit(escape_start)?;
                            let mut units = vec![unit];
                            let pairs = (0xd800..0xdc00).contains(&unit)
                                && self.peek() == Some('\\')
                                && self.text.get(self.at + 1) == Some(&'u');
                            if pairs {
                                self.at += 2;
                                units.push(self.unit(self.at - 2)?);
                            }
                            result.extend(char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
                        }
                        _ => return Err(self.error("Invalid \\escape", escape_start)),
                    }
                }
                c if c < ' ' => return Err(self.error("Invalid control character at", self.at - 1)),
                c => result.push(c),
            }
        }
    }

    fn unit(&mut self, start: usize) -> PyResult<u16> {
        let digits: String = self.text[self.at..].iter().take(4).collect();
        match u16::from_str_radix(&digits, 16) {
            Ok(unit) if digits.len() == 4 && digits.chars().all(|c| c.is_ascii_hexdigit()) => {
                self.at += 4;
                Ok(unit)
            }
            _ => Err(self.error("Invalid \\uXXXX escape", start + 1)),
        }
    }

    fn array(&mut self) -> PyResult<Value> {
        self.at += 1;
        self.space();
        let mut items = Vec::new();
        if self.accept("]") {
            return Ok(Value::list(items));
        }
        loop {
            items.push(self.value()?);
            self.space();
            if self.accept("]") {
                return Ok(Value::list(items));
            }
            if !self.accept(",") {
                return Err(self.error("Expecting ',' delimiter", self.at));
            }
            self.space();
        }
    }

    fn object(&mut self) -> PyResult<Value> {
        self.at += 1;
        self.space();
        let mut pairs = Vec::new();
        if !self.accept("}") {
            loop {
                if self.peek() != Some('"') {
                    return Err(self.error("Expecting property name enclosed in double quotes", self.at));
                }
                let key = Value::from(self.string()?);
                self.space();
                if !self.accept(":") {
                    return Err(self.error("Expecting ':' delimiter", self.at));
                }
                self.space();
                let value = self.value()?;
                pairs.push((key, value));
                self.space();
                if self.accept("}") {
                    break;
                }
                if !self.accept(",") {
                    return Err(self.error("Expecting ',' delimiter", self.at));
                }
                self.space();
            }
        }
        if !self.pairs_hook.is_none() {
            let pairs = pairs.into_iter().map(|(key, value)| Value::tuple([key, value]));
            return self.interp.call_values(&self.pairs_hook, [Value::list(pairs.collect::<Vec<_>>())]);
        }
        let result = dict();
        for (key, value) in pairs {
            self.interp.set_item(&result, &key, value)?;
        }
        if self.object_hook.is_none() { Ok(result) } else { self.interp.call_values(&self.object_hook, [result]) }
    }
}
