//! `input_output_aliases`, checked as JAX checks it.

use crate::context::Context;
use crate::pallas::call::PallasCall;
use pallas_ir::{Operand, Role};
use pallas_python::raise::{Diagnosis, PyResult};
use pallas_python::value::Value;

/// `input_output_aliases`, checked as JAX checks it.
pub(super) fn aliases(cx: &Context<'_>, call: &PallasCall, operands: &[Operand]) -> PyResult<Vec<(usize, usize)>> {
    let interp = cx.interp;
    let dict = match &call.aliases {
        Value::Dict(dict) => dict,
        Value::List(_) | Value::Tuple(_) => {
            let class = interp.type_of(&call.aliases).name.clone();
            let message = format!("'{class}' object has no attribute 'items'");
            return Err(interp.error(&interp.types().attribute_error, message));
        }
        _ => return Ok(Vec::new()),
    };
    let nested = matches!(call.out_shape, Value::Tuple(_) | Value::List(_));
    let entries: Vec<(Value, Value)> = dict.borrow().iter().map(|(k, v)| (k.clone(), v.clone())).collect();
    let inputs: Vec<&Operand> = operands.iter().filter(|o| o.role != Role::Output).collect();
    let outputs: Vec<&Operand> = operands.iter().filter(|o| o.role == Role::Output).collect();
    entries
        .iter()
        .map(|(key, value)| {
            let (input, output) = (interp.to_i64(key)?, interp.to_i64(value)?);
            let refuse = |message: String| {
                interp.error_with(
                    &interp.types().value_error,
                    message,
                    Diagnosis { code: "PL111", span: call.aliases_span, ..Diagnosis::default() },
                )
            };
            let prefix = format!("input_output_aliases contains the mapping '{input}:{output}'");
            let Some(source) = usize::try_from(input).ok().and_then(|i| inputs.get(i)) else {
                return Err(refuse(format!(
                    "{prefix} with input index {input} outside the range [0, {})",
                    inputs.len()
                )));
            };
            let Some(target) = usize::try_from(output).ok().and_then(|i| outputs.get(i)) else {
                return Err(refuse(format!(
                    "{prefix} with output index {output} outside the range [0, {})",
                    outputs.len()
                )));
            };
            if source.array.shape != target.array.shape || source.array.dtype != target.array.dtype {
                return Err(refuse(format!(
                    "{prefix} referring to input[{input}] with abstract value {} and to output{} with a different \
                     abstract value {}.",
                    crate::errors::type_text(&source.array),
                    if nested { format!("[{output}]") } else { String::new() },
                    crate::errors::type_text(&target.array)
                )));
            }
            Ok((input as usize, output as usize))
        })
        .collect()
}
