//! A launch from arrays to arrays: its program's parameters filled, run on a device, and read back.

use crate::bytes::{array, bytes};
use crate::device::Device;
use crate::failure::Failure;
use crate::launch::{Boxed, Memory, Outcome, Work, run};
use pallas_ir::{Launch, Role};
use pallas_simt::{CHECK_WORDS, Check, Initial, Met, Param, ParamKind, Program, STORE_WORDS, Stored, pairs};
use pallas_syntax::Span;
use pallas_tensor::{Array, Shape};

/// What a launch gave.
#[derive(Clone, Debug)]
pub struct Executed {
    /// Its outputs.
    pub outputs: Vec<Array>,
    /// For how many microseconds the device worked.
    pub microseconds: f64,
    /// What its checks told.
    pub told: Vec<Told>,
    /// What it stored to the element that was watched, in order.
    pub stores: Vec<Stored>,
    /// The times that it noted, as they lay in memory; empty where it notes none.
    pub notes: Vec<u64>,
}

/// A check that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// What it is about, and where.
    pub check: Check,
    /// How often it failed: once for each element.
    pub count: u32,
    /// The number of the first program in which it did.
    pub program: usize,
    /// Of a race whom it met.
    pub met: Option<Met>,
}

/// What a host has to know of a kernel, whichever way it was compiled.
#[derive(Clone, Copy, Debug)]
pub struct Kernel<'a> {
    /// The function's name.
    pub entry: &'a str,
    /// How many blocks.
    pub blocks: usize,
    /// Threads of a block.
    pub threads: u32,
    /// Bytes of dynamic shared memory of a block.
    pub shared_bytes: usize,
    /// Its parameters.
    pub params: &'a [Param],
    /// What its checks say.
    pub checks: &'a [Check],
    /// Where it stores to the element that is watched.
    pub stores: &'a [Span],
}

impl<'a> From<&'a Program> for Kernel<'a> {
    fn from(program: &'a Program) -> Kernel<'a> {
        Kernel {
            entry: &program.entry,
            blocks: program.blocks,
            threads: program.threads,
            shared_bytes: program.shared_bytes,
            params: &program.params,
            checks: &program.checks,
            stores: &program.stores,
        }
    }
}

/// The tile compiler says in the machine code how many threads there are: the host names one.
impl<'a> From<&'a pallas_tileir::Program> for Kernel<'a> {
    fn from(program: &'a pallas_tileir::Program) -> Kernel<'a> {
        let (blocks, params) = (program.blocks, &program.params);
        Kernel { entry: &program.entry, blocks, threads: 1, shared_bytes: 0, params, checks: &[], stores: &[] }
    }
}

/// Runs a program that was compiled from a launch on the arrays of its prefetched scalars and inputs.
///
/// # Errors
/// What went wrong on the device.
pub fn execute<'a>(
    device: &mut dyn Device,
    launch: &Launch,
    program: impl Into<Kernel<'a>>,
    cubin: &'a [u8],
    inputs: &[Array],
) -> Result<Executed, Failure> {
    let program = program.into();
    let initials = initials(launch, program, inputs);
    let work = work(launch, program, cubin, &initials);
    let Outcome { contents, microseconds } = run(device, &work)?;
    let mut contents = contents.into_iter();
    let mut results: Vec<Option<Array>> = launch.operands.iter().map(|_| None).collect();
    let (mut told, mut stores, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for param in program.params {
        if param.kind == ParamKind::Checks {
            told.extend(contents.next().into_iter().flat_map(|content| failed(program.checks, &content)));
        }
        if param.kind == ParamKind::Stores {
            stores = stored(program.stores, &words(&contents.next().unwrap_or_default()));
        }
        if param.kind == ParamKind::Notes {
            notes = words(&contents.next().unwrap_or_default());
        }
        if let Some(operand) = output(launch, &param.kind) {
            let ty = &launch.operands[operand].array;
            results[operand] = contents.next().and_then(|content| array(ty.dtype, &ty.shape, &content));
        }
    }
    let mut outputs = Vec::new();
    for (number, operand) in launch.with_role(Role::Output) {
        // An output that the kernel never touches has no parameter: it is as it began.
        let untouched = || Array::zeros(operand.array.dtype, operand.array.shape.clone()).ok();
        outputs.extend(results[number].take().or_else(untouched));
    }
    Ok(Executed { outputs, microseconds, told, stores, notes })
}

/// Content as words.
fn words(content: &[u8]) -> Vec<u64> {
    content.chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap_or_default())).collect()
}

/// What was stored to the element that was watched, as far as there was room.
fn stored(places: &[Span], words: &[u64]) -> Vec<Stored> {
    let (header, records) = words.split_at(STORE_WORDS.min(words.len()));
    let count = header.first().and_then(|&count| usize::try_from(count).ok()).unwrap_or(0);
    let record = |words: &[u64]| Stored {
        span: places.get((words[0] >> 32) as usize).copied().unwrap_or_default(),
        program: words[0] as u32 as usize,
        bits: words[1],
    };
    records.chunks_exact(STORE_WORDS).take(count).map(record).collect()
}

/// The checks that failed, in the order of the source.
fn failed(checks: &[Check], content: &[u8]) -> Vec<Told> {
    let words: Vec<u32> =
        content.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap_or_default())).collect();
    let told = checks.iter().zip(words.chunks_exact(CHECK_WORDS)).filter(|(_, words)| words[0] > 0);
    let met = |operand: usize, words: &[u32]| Met {
        program: words[2] as usize,
        span: (words[3] as usize).checked_sub(1).and_then(|number| checks.get(number)).map(|check| check.span),
        element: (operand, words[4] as usize),
    };
    told.map(|(check, words)| Told {
        check: check.clone(),
        count: words[0],
        program: words[1] as usize,
        met: check.operand.map(|operand| met(operand, words)),
    })
    .collect()
}

/// What each parameter holds before the launch; `None`: anything.
pub fn initials<'a>(launch: &Launch, program: impl Into<Kernel<'a>>, inputs: &[Array]) -> Vec<Option<Vec<u8>>> {
    program.into().params.iter().map(|param| initial(launch, &param.kind, param.dtype, param.len, inputs)).collect()
}

/// A program as work for a device.
pub fn work<'a>(
    launch: &Launch,
    program: impl Into<Kernel<'a>>,
    cubin: &'a [u8],
    initials: &'a [Option<Vec<u8>>],
) -> Work<'a> {
    let program = program.into();
    let in_memory =
        program.params.iter().zip(initials).filter(|(param, _)| !matches!(param.kind, ParamKind::Map { .. }));
    let boxes = program.params.iter().enumerate().filter_map(|(position, param)| match &param.kind {
        ParamKind::Map { param: of, map } => Some(Boxed { position, of: *of, map, dtype: param.dtype }),
        _ => None,
    });
    let memories = in_memory.map(|(param, initial)| Memory {
        bytes: param.len.saturating_mul(param.dtype.size_bytes()),
        initial: initial.as_deref(),
        wanted: output(launch, &param.kind).is_some()
            || matches!(param.kind, ParamKind::Checks | ParamKind::Stores | ParamKind::Notes),
    });
    Work {
        cubin,
        entry: program.entry,
        blocks: program.blocks,
        threads: program.threads,
        shared: program.shared_bytes,
        memories: memories.collect(),
        boxes: boxes.collect(),
    }
}

/// The operand that a parameter is the output of.
fn output(launch: &Launch, kind: &ParamKind) -> Option<usize> {
    match kind {
        ParamKind::Operand { operand, .. } if launch.operands.get(*operand)?.role == Role::Output => Some(*operand),
        _ => None,
    }
}

/// What a parameter's memory holds before the launch.
fn initial(
    launch: &Launch,
    kind: &ParamKind,
    dtype: pallas_tensor::DType,
    len: usize,
    inputs: &[Array],
) -> Option<Vec<u8>> {
    if matches!(kind, ParamKind::Checks | ParamKind::Owners | ParamKind::Stores | ParamKind::Notes) {
        return Some(vec![0; len * dtype.size_bytes()]);
    }
    let ParamKind::Operand { operand, initial } = kind else { return None };
    // Outputs are not given: inputs are counted without them.
    let given = |operand: usize| {
        let before = launch.operands.iter().take(operand).filter(|operand| operand.role != Role::Output);
        inputs.get(before.count())
    };
    match initial {
        Initial::Given => given(*operand).map(bytes),
        Initial::GivenInPairs => pairs::packed(given(*operand)?).ok().map(|array| bytes(&array)),
        Initial::CopyOf(other) => given(*other).map(bytes),
        Initial::Fill(value) => Array::full(dtype, Shape::from(vec![len]), *value).ok().map(|array| bytes(&array)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pallas_ir::text::parse_launch;
    use pallas_simt::{Architecture, Options, STORES, Watched, compile_with};
    use pallas_tensor::Scalar;

    #[test]
    fn checks_that_failed_are_read_back() {
        let text = "launch grid=[3] {\n  input @x_ref: f32[8] block=[8] map @x(%i: i32[]) {\n    %0 = constant 0 : i32[]\n    \
                    yield %0\n  }\n  output @o_ref: f32[3] block=[1] map @o(%i: i32[]) { yield %i }\n  \
                    kernel @pick(%x_ref: ref<f32[8]>, %o_ref: ref<f32[1]>) {\n    %i = program_id axis=0 : i32[]\n    \
                    %0 = load %x_ref[%i] : f32[]\n    store %o_ref[0], %0\n  }\n}\n";
        let launch = parse_launch(text).expect("a launch");
        let options = Options { checked: true, ..Options::new(Architecture::new(90)) };
        let program = compile_with(&launch, options).expect("a program");
        let kinds: Vec<&ParamKind> = program.params.iter().map(|param| &param.kind).collect();
        assert_eq!(kinds[2..], [&ParamKind::Checks, &ParamKind::Owners]);
        assert_eq!(program.params[2].len, CHECK_WORDS * program.checks.len());
        assert_eq!(program.params[3].len, 3, "an owner for each element of the output");
        let mut words = vec![0u32; CHECK_WORDS * program.checks.len()];
        words[..5].copy_from_slice(&[7, 2, 1, 2, 3]);
        let content: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        let told = failed(&program.checks, &content);
        assert_eq!((told.len(), told[0].count, told[0].program), (1, 7, 2));
        let met = Met { program: 1, span: Some(program.checks[1].span), element: (1, 3) };
        assert_eq!(told[0].met, program.checks[0].operand.map(|_| met));
        assert!(told[0].check.words.starts_with("reads `x_ref`"), "{told:?}");
        assert_eq!(failed(&program.checks, &[0; 4 * CHECK_WORDS]), []);
    }

    #[test]
    fn stores_that_were_noted_are_read_back() {
        let text = "launch grid=[2] {\n  output @o_ref: f32[2] block=[1] map @o(%i: i32[]) { yield %i }\n  \
                    kernel @put(%o_ref: ref<f32[1]>) {\n    %0 = load %o_ref[0] : f32[]\n    store %o_ref[0], %0\n  }\n}\n";
        let launch = parse_launch(text).expect("a launch");
        let watched = Some(Watched { operand: 0, element: 1 });
        let options = Options { watched, ..Options::new(Architecture::new(90)) };
        let program = compile_with(&launch, options).expect("a program");
        assert_eq!(
            program.params.last().map(|param| (&param.kind, param.len)),
            Some((&ParamKind::Stores, 2 + 2 * STORES))
        );
        assert_eq!(program.stores.len(), 1);
        let mut words = vec![0_u64; 2 + 2 * STORES];
        words[..4].copy_from_slice(&[1, 0, 1, 1.375_f64.to_bits()]);
        let expected = Stored { span: program.stores[0], program: 1, bits: Stored::bits(Scalar::Float(1.375)) };
        assert_eq!(stored(&program.stores, &words), [expected]);
        // More than there is room for.
        words[0] = u64::MAX;
        assert_eq!(stored(&program.stores, &words).len(), STORES);
    }
}
