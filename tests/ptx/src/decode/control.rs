//! Where a thread goes on, and whom it waits for (PTX ISA 9.7.12, 9.7.13).

use super::{Decoded, Decoder};
use crate::inst::{BarrierKind, Op};
use crate::ops::Words;
use crate::parse::{Operand, Statement};

pub(super) fn decode(decoder: &mut Decoder<'_>, words: &Words<'_>, statement: &Statement) -> Decoded {
    let label = |decoder: &Decoder<'_>, name: &str| {
        decoder.labels.get(name).copied().ok_or_else(|| format!("the label `{name}`"))
    };
    match (words.stem, statement.args.as_slice()) {
        ("bra", [Operand::Name(name)]) => Ok(Op::Branch { to: label(decoder, name)? }),
        ("brx", [index, Operand::Name(table)]) => {
            let names = decoder.tables.get(table).ok_or_else(|| format!("the table `{table}`"))?;
            let to = names.iter().map(|name| label(decoder, name)).collect::<Result<_, _>>()?;
            Ok(Op::BranchIndexed { index: decoder.reg(index)?, to })
        }
        ("call", args) => call(decoder, args),
        ("ret", _) => Ok(Op::Return),
        ("exit", _) => Ok(Op::Exit),
        ("trap" | "brkpt", _) => Ok(Op::Trap),
        ("nanosleep", _) => Ok(Op::Yield),
        _ => Err(format!("`{}`", statement.name)),
    }
}

/// `call (results), function, (parameters);`
fn call(decoder: &mut Decoder<'_>, args: &[Operand]) -> Decoded {
    let (results, rest) = match args {
        [Operand::Group(results), rest @ ..] => (results.as_slice(), rest),
        rest => (&[] as &[Operand], rest),
    };
    let [Operand::Name(name), rest @ ..] = rest else { return Err("a call through a register".to_string()) };
    let params = match rest {
        [Operand::Group(params), ..] => params.as_slice(),
        _ => &[],
    };
    let (results, params) = (decoder.regs(results)?, decoder.regs(params)?);
    match name.as_str() {
        "vprintf" => Ok(Op::Printf { result: results.first().copied(), params }),
        "__assertfail" => Ok(Op::AssertFail { params }),
        _ => {
            let function = *decoder.functions.get(name).ok_or_else(|| format!("the function `{name}`"))?;
            Ok(Op::Call { function, params, results })
        }
    }
}

/// `bar`, `barrier` and those of clusters.
pub(super) fn barrier(decoder: &mut Decoder<'_>, words: &Words<'_>, statement: &Statement) -> Decoded {
    if words.has("cluster") {
        return match words.has("arrive") {
            true => Ok(Op::ClusterArrive),
            false => Ok(Op::ClusterWait),
        };
    }
    let args = statement.args.as_slice();
    if words.stem == "bar" && words.has("warp") {
        let [members] = args else { return Err("`bar.warp.sync` without members".to_string()) };
        return Ok(Op::WarpSync { members: decoder.reg(members)? });
    }
    // `bar` is `barrier.aligned`.
    let aligned = words.stem == "bar" || words.has("aligned");
    if !words.has("red") {
        let kind = if words.has("arrive") { BarrierKind::Arrive } else { BarrierKind::Sync };
        let [which, rest @ ..] = args else { return Err("a barrier without a number".to_string()) };
        let count = rest.first().map(|count| decoder.reg(count)).transpose()?;
        let which = decoder.reg(which)?;
        return Ok(Op::Barrier { kind, aligned, which, count, value: None, to: None });
    }
    let kind = match () {
        () if words.has("and") => BarrierKind::And,
        () if words.has("or") => BarrierKind::Or,
        () => BarrierKind::Count,
    };
    let [to, which, rest @ .., value] = args else { return Err("a barrier with too few operands".to_string()) };
    let count = rest.first().map(|count| decoder.reg(count)).transpose()?;
    let (to, which, value) = (decoder.reg(to)?, decoder.reg(which)?, decoder.predicate(value)?);
    Ok(Op::Barrier { kind, aligned, which, count, value: Some(value), to: Some(to) })
}

/// What has no effect here: accesses have one order, grids run one after the other, registers are enough.
pub(super) fn nothing(_: &mut Decoder<'_>, _: &Words<'_>, _: &Statement) -> Decoded {
    Ok(Op::Nothing)
}
