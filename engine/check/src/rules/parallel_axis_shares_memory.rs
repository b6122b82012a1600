//! PL125.

use crate::checked::Checked;
use crate::rule::Rule;
use crate::shadow::{Garbage, Leak};
use crate::words;
use pallas_ir::{BlockMap, Certainty, Finding, Label, Launch, Severity, Target};

/// A program reads what a program of another id along a parallel axis has left in memory.
pub(super) static RULE: Rule = Rule {
    code: "PL125",
    name: "parallel-axis-shares-memory",
    severity: Severity::Error,
    summary: "programs along a parallel axis need what others of them wrote",
    doc: r#"
## What it does
Reports a read of an output block or of scratch memory that takes in what programs with another id along a grid axis
wrote there, where `dimension_semantics` declares that axis `parallel` (or `core_parallel`), if an element of an output
depends on it. Launches for Triton (`compiler_params=plgpu.CompilerParams(...)` of `pallas.triton`) have no other axes than
parallel ones, and launches for Mosaic GPU none where `dimension_semantics` is not given; kernels with atomics are not reported. The kernel is run on what is known without data; programs that write
before they read are not reported.

## Why is this bad?
Programs along a parallel axis run in any order, and on chips with two cores at the same time, each with buffers and
scratch memory of its own: what one core adds, the other does not see, and the last to write back wins. On a GPU all programs of a launch run at the
same time, and in no order: sums over a grid axis come out too small, and differently from run to run. No check of JAX
notices; interpret mode runs the programs in order.

## Example
```python
def accumulate(x_ref, o_ref):
    @pl.when(pl.program_id(1) == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)
    o_ref[...] += x_ref[...]

pl.pallas_call(accumulate, grid=(blocks, steps),
               out_specs=pl.BlockSpec((128,), lambda i, k: (i,)),
               compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "parallel")))
```

## Use instead
```python
compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "arbitrary"))
```
"#,
    check: Some(check),
};

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    for leak in launch.leaks() {
        let Garbage::Shared(axis) = leak.kind else { continue };
        // What was forgotten is to set it, which PL203 says: an axis in order would not mend that.
        let is_forgotten = |other: &Leak| other.kind == Garbage::Unwritten && other.name == leak.name;
        if launch.leaks().iter().any(is_forgotten) {
            continue;
        }
        let name = &leak.name;
        let is_triton = launch.target == Target::Triton;
        let is_unsaid = launch.target.is_mosaic_gpu() && launch.semantics.is_empty();
        let why = match (is_triton, is_unsaid) {
            (true, _) => "whose programs Triton runs at the same time",
            (_, true) => "which Mosaic GPU takes for parallel, as no axis is said to be anything else",
            _ => "which is declared parallel",
        };
        let message = format!("{name} passes values along grid axis {axis}, {why}");
        let mut finding = RULE.finding(Certainty::Proved, leak.read, message);
        finding.evidence = Some(format!(
            "{} reads what programs with other ids along axis {axis} left in {name}; {} depends on it",
            words::program(&leak.program),
            leak.place(&launch.operands[leak.output].name),
        ));
        finding.help = Some(if let Some(summed) = begins_elsewhere(launch, leak.output, axis) {
            format!(
                "blocks of {} are others for each id along axis {axis}, and go along axis {summed}: set {name} where a block begins, \
                 under `@pl.when(pl.program_id({summed}) == 0)`",
                launch.operands[leak.output].name
            )
        } else if is_triton {
            format!(
                "loop over what axis {axis} goes over within the kernel (`lax.fori_loop`), let each program write a block of its \
                 own and sum them up afterwards, or add with `plgpu.atomic_add` to an output that begins with zeros \
                 (`input_output_aliases`)"
            )
        } else if launch.target.is_mosaic_gpu() {
            format!(
                "say that axis {axis} is `sequential` in `dimension_semantics`, so that one block of the GPU goes along it, or write \
                 {name} before it is read for each of its ids"
            )
        } else {
            format!(
                "declare axis {axis} `arbitrary` in `dimension_semantics`, so that its programs run in order, or write {name} before \
             it is read for each of its ids"
            )
        });
        finding.labels.push(Label { span: launch.spans.call, text: "launched here".to_string() });
        finding.called_from(&leak.calls);
        findings.push(finding);
    }
}

/// The axis along which sums for blocks of an output go, where those are others for each id along an axis: nothing has to be passed
/// along that one.
fn begins_elsewhere(launch: &Launch, output: usize, axis: usize) -> Option<usize> {
    let map = BlockMap::new(launch.operands.get(output)?, launch.grid.len());
    let follows = |axis: usize| map.depends_on(axis);
    if follows(axis) != Some(true) {
        return None;
    }
    let mut others = (0..launch.grid.len()).filter(|&other| launch.grid[other] > 1 && follows(other) == Some(false));
    others.next().filter(|_| others.next().is_none())
}
