//! `json`: [`encode`] writes, [`decode`] reads.

mod decode;
mod encode;

use super::support::{ClassBuilder, classes, row};
use crate::class::Class;
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::{Arguments, NativeDef};
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "json",
    doc: "JSON text.",
    functions: &[
        row(
            "dumps",
            "(obj, *, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True, cls=None, indent=None, \
             separators=None, default=None, sort_keys=False, **kw)",
            "A value as JSON text.",
            |interp, args| encode::dumps(interp, args.values()),
        ),
        row(
            "dump",
            "(obj, fp, *, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True, cls=None, \
             indent=None, separators=None, default=None, sort_keys=False, **kw)",
            "Writes a value as JSON text.",
            |interp, args| {
                let mut values = args.values().to_vec();
                let file = values.remove(1);
                let text = encode::dumps(interp, &values)?;
                interp.call_method(&file, "write", [text])?;
                Ok(Value::None)
            },
        ),
        row(
            "loads",
            "(s, *, cls=None, object_hook=None, parse_float=None, parse_int=None, parse_constant=None, \
             object_pairs_hook=None, **kw)",
            "The value of JSON text.",
            |interp, args| decode::loads(interp, args.get(0), &args),
        ),
        row(
            "load",
            "(fp, *, cls=None, object_hook=None, parse_float=None, parse_int=None, parse_constant=None, \
             object_pairs_hook=None, **kw)",
            "The value of a stream of JSON text.",
            |interp, args| {
                let text = interp.call_method(args.get(0), "read", [])?;
                decode::loads(interp, &text, &args)
            },
        ),
    ],
    populate: |interp, names| {
        names.insert("JSONDecodeError".into(), Value::Class(decode::error_class(interp)));
        super::support::add_class(names, &encoder_class(interp));
    },
};

const ENCODER: &[NativeDef] = &[
    row(
        "__init__",
        "(self, *, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True, sort_keys=False, \
         indent=None, separators=None, default=None)",
        "Notes the options.",
        |interp, args| {
            let names =
                ["skipkeys", "ensure_ascii", "check_circular", "allow_nan", "sort_keys", "indent", "separators"];
            for (name, value) in names.iter().zip(&args.values()[1..]) {
                interp.set_attr(args.get(0), name, value.clone())?;
            }
            if !args.get(8).is_none() {
                interp.set_attr(args.get(0), "default", args.get(8).clone())?;
            }
            Ok(Value::None)
        },
    ),
    row("default", "(self, o)", "Raises TypeError; subclasses give something that can be written.", |interp, args| {
        Err(encode::not_serializable(interp, args.get(1)))
    }),
    row("encode", "(self, o)", "A value as JSON text.", |interp, args: Arguments| {
        let this = args.get(0);
        let attribute = |name: &str| -> PyResult<Value> { Ok(interp.find_attr(this, name)?.unwrap_or(Value::None)) };
        let options = [
            args.get(1).clone(),
            attribute("skipkeys")?,
            attribute("ensure_ascii")?,
            attribute("check_circular")?,
            attribute("allow_nan")?,
            Value::None,
            attribute("indent")?,
            attribute("separators")?,
            attribute("default")?,
            attribute("sort_keys")?,
        ];
        encode::dumps(interp, &options)
    }),
];

fn encoder_class(interp: &Interp) -> Rc<Class> {
    classes::cached(interp, "JSONEncoder", |interp| {
        ClassBuilder::new("JSONEncoder", "json.encoder", &interp.types().object).methods(ENCODER).build()
    })
}
