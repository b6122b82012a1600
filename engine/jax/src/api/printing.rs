//! `jax.debug.print`, and what it has in common with `pl.debug_print`: the format is looked at when the print is staged, and
//! rewritten for the leaves of what is printed. Fields of values that are known (text, `None`) become text then.
//!
//! Formatting when a program runs is `state`'s.

use crate::context::Context;
use crate::convert;
use crate::pallas::program;
use crate::state::formatted;
use crate::tile::Tile;
use crate::tree;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::Arguments;
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::rc::Rc;

/// `jax.debug.print(fmt, *args, **kwargs)`
pub(super) fn debug_print(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [format, positional, _, _, unchecked, keywords] = args.take();
    let cx = Context::jax(interp);
    let format = interp.to_str(&format)?;
    let positional = interp.collect(&positional)?;
    let mut named = Vec::new();
    if let Value::Dict(dict) = &keywords {
        for (key, value) in dict.borrow().iter() {
            named.push((interp.to_str(key)?.to_string(), value.clone()));
        }
    }
    let checked = !interp.truth(&unchecked)?;
    stage(&cx, &format, &positional, &named, checked)
}

/// Stages a print of pytrees; `checked` as JAX does where `skip_format_check` is not given.
pub(crate) fn stage(
    cx: &Context<'_>,
    format: &str,
    positional: &[Value],
    named: &[(String, Value)],
    checked: bool,
) -> PyResult<Value> {
    let pieces = Pieces::of(cx.interp, format)?;
    if checked {
        pieces.check(cx.interp, positional, named)?;
    }
    let mut printed = Printed { cx, tiles: Vec::new() };
    // Arrays and numbers in their order: the format goes as it is written, since compilers of kernels read it.
    if named.is_empty() && (pieces.begins_with_field() || !format.contains(['{', '}'])) {
        let arrays = positional.iter().map(|value| printed.array(value)).collect::<PyResult<Option<Vec<_>>>>()?;
        if let Some(tiles) = arrays {
            at_once(cx, format, &tiles)?;
            return program::stage_print(cx, format, &tiles);
        }
    }
    if !pieces.begins_with_field() {
        // Without a field at the beginning the text stays as it is, and the values follow it.
        if !positional.is_empty() || format.contains(['{', '}']) {
            let mut text = escaped(format);
            for value in positional {
                text.push(' ');
                text.push_str(&printed.field(value, "")?);
            }
            return program::stage_print(cx, &plain(text, &printed.tiles), &printed.tiles);
        }
        return program::stage_print(cx, format, &[]);
    }
    let mut text = String::new();
    for piece in &pieces.0 {
        match piece {
            Piece::Text(piece) => text.push_str(&escaped(piece)),
            Piece::Field { name, rest } => {
                let value = match name {
                    Name::Position(at) => positional.get(*at),
                    Name::Keyword(name) => named.iter().find(|(known, _)| known == name).map(|(_, value)| value),
                };
                match value {
                    Some(value) => text.push_str(&printed.field(value, rest)?),
                    // Whoever prints says what is missing.
                    None => {
                        let text = match name {
                            Name::Position(at) => format!("{{{at}}}"),
                            Name::Keyword(name) => format!("{{{name}}}"),
                        };
                        return program::stage_print(cx, &text, &[]);
                    }
                }
            }
        }
    }
    at_once(cx, &text, &printed.tiles)?;
    program::stage_print(cx, &text, &printed.tiles)
}

/// Outside of traces: what goes wrong is raised as it is.
fn at_once(cx: &Context<'_>, format: &str, tiles: &[Tile]) -> PyResult<()> {
    if cx.innermost().is_none() && !cx.interp.is_analysis() {
        let arrays: Option<Vec<_>> = tiles.iter().map(|tile| tile.array().cloned()).collect();
        formatted(cx.interp, format, &arrays.unwrap_or_default())?;
    }
    Ok(())
}

/// `"text {0} {1}"` is `"text"` with values after it, the form that compilers of kernels know.
fn plain(text: String, tiles: &[Tile]) -> String {
    let tail: String = (0..tiles.len()).map(|leaf| format!(" {{{leaf}}}")).collect();
    match text.strip_suffix(&tail) {
        Some(head) if !head.contains(['{', '}']) => head.to_string(),
        _ => text,
    }
}

/// Which value a field shows.
#[derive(PartialEq)]
enum Name {
    Position(usize),
    Keyword(String),
}

enum Piece {
    Text(String),
    /// `rest` is what follows the name: attributes, a conversion, a spec.
    Field {
        name: Name,
        rest: String,
    },
}

/// A format, cut into text and fields.
struct Pieces(Vec<Piece>);

impl Pieces {
    fn of(interp: &Interp, format: &str) -> PyResult<Pieces> {
        let mut pieces = Vec::new();
        let mut automatic = 0;
        let mut rest = format;
        while let Some(at) = rest.find(['{', '}']) {
            let (text, brace, after) = (&rest[..at], &rest[at..=at], &rest[at + 1..]);
            if after.starts_with(brace) {
                pieces.push(Piece::Text(format!("{text}{brace}")));
                rest = &after[1..];
                continue;
            }
            if brace == "}" || after.is_empty() {
                return Err(interp.value_error(format!("Single '{brace}' encountered in format string")));
            }
            let mut depth = 1_usize;
            let end = after.find(|c| {
                depth = match c {
                    '{' => depth + 1,
                    '}' => depth - 1,
                    _ => depth,
                };
                depth == 0
            });
            let Some(end) = end else {
                return Err(interp.value_error("expected '}' before end of string"));
            };
            let field = &after[..end];
            let name = &field[..field.find(['.', '[', '!', ':']).unwrap_or(field.len())];
            if !text.is_empty() {
                pieces.push(Piece::Text(text.to_string()));
            }
            let rest_of_field = field[name.len()..].to_string();
            let name = match name.parse() {
                Ok(position) => Name::Position(position),
                Err(_) if name.is_empty() => {
                    automatic += 1;
                    Name::Position(automatic - 1)
                }
                Err(_) => Name::Keyword(name.to_string()),
            };
            pieces.push(Piece::Field { name, rest: rest_of_field });
            rest = &after[end + 1..];
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest.to_string()));
        }
        Ok(Pieces(pieces))
    }

    /// What JAX takes for a format with fields: one whose first brace opens a field.
    fn begins_with_field(&self) -> bool {
        let braced = |piece: &&Piece| match piece {
            Piece::Field { .. } => true,
            Piece::Text(text) => text.ends_with(['{', '}']),
        };
        matches!(self.0.iter().find(braced), Some(Piece::Field { .. }))
    }

    /// That every field has its value, and every value its field.
    fn check(&self, interp: &Interp, positional: &[Value], named: &[(String, Value)]) -> PyResult<()> {
        let names =
            || self.0.iter().filter_map(|piece| if let Piece::Field { name, .. } = piece { Some(name) } else { None });
        for name in names() {
            match name {
                Name::Position(at) if *at >= positional.len() => {
                    return Err(interp.error(&interp.types().index_error, "tuple index out of range"));
                }
                Name::Keyword(name) if !named.iter().any(|(known, _)| known == name) => {
                    return Err(interp.key_error(&Value::from(name.as_str())));
                }
                _ => {}
            }
        }
        let unused = positional.iter().enumerate().filter(|(at, _)| !names().any(|name| *name == Name::Position(*at)));
        let unused: Vec<Value> = unused.map(|(_, value)| value.clone()).collect();
        if !unused.is_empty() {
            let shown = interp.repr(&Value::list(unused))?;
            return Err(interp.value_error(format!("Unused positional arguments to `jax.debug.print`: {shown}")));
        }
        let used = |known: &str| names().any(|name| matches!(name, Name::Keyword(name) if name == known));
        let unused: Vec<Value> =
            named.iter().filter(|(name, _)| !used(name)).map(|(name, _)| Value::from(name.as_str())).collect();
        if !unused.is_empty() {
            let shown = interp.repr(&Value::list(unused))?;
            return Err(interp.value_error(format!(
                "Unused keyword arguments to `jax.debug.print`: {shown}. You may be passing an f-string (i.e, `f\"{{x}}\"`) \
                 into `jax.debug.print` and instead should pass in a regular string."
            )));
        }
        Ok(())
    }
}

/// The leaves that a print shows.
struct Printed<'c, 'i> {
    cx: &'c Context<'i>,
    tiles: Vec<Tile>,
}

impl Printed<'_, '_> {
    /// What stands in the format for a value: a field for each leaf that is an array.
    fn field(&mut self, value: &Value, rest: &str) -> PyResult<String> {
        let interp = self.cx.interp;
        if let Some(tile) = self.array(value)? {
            return Ok(format!("{{{}{rest}}}", self.leaf(tile)));
        }
        let (leaves, def) = tree::flatten(interp, value, None)?;
        let mut marked = Vec::new();
        for leaf in leaves {
            marked.push(match self.array(&leaf)? {
                // What is known says itself that it is weakly typed.
                Some(Tile::Concrete { array, weak }) => {
                    let weak = weak && self.cx.innermost().is_none();
                    convert::value(self.cx, Tile::Concrete { array, weak })
                }
                Some(tile) => Value::object(Mark(self.leaf(tile))),
                None => leaf,
            });
        }
        let known = tree::unflatten(interp, &def, &mut marked.into_iter())?;
        let template = Value::from(format!("{{0{rest}}}").as_str());
        let text = interp.call_method(&template, "format", [known])?;
        let text = escaped(&interp.str(&text)?);
        Ok(text.replace(BEGIN, "{").replace(END, "!r}"))
    }

    fn leaf(&mut self, tile: Tile) -> usize {
        self.tiles.push(tile);
        self.tiles.len() - 1
    }

    /// An array, a number, or what a Ref holds then.
    fn array(&self, value: &Value) -> PyResult<Option<Tile>> {
        if value.downcast::<crate::refs::RefObject>().is_some() {
            let held = self.cx.interp.get_item(value, &Value::Ellipsis)?;
            return convert::tile(self.cx, &held, "debug.print").map(Some);
        }
        convert::try_tile(self.cx, value)
    }
}

fn escaped(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

/// Around the number of a leaf in the text of a pytree: no text of a program has them.
const BEGIN: char = '\u{f0000}';
const END: char = '\u{f0001}';

/// Stands for a leaf while the text of a pytree is made.
struct Mark(usize);

static MARK_CLASS: NativeClass = NativeClass {
    name: "Array",
    module: "jax",
    doc: "A leaf of what is printed.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

impl Object for Mark {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&MARK_CLASS)
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(format!("{BEGIN}{}{END}", self.0)))
    }
}
