//! PL411.

use crate::checked::Checked;
use crate::rule::Rule;
use crate::words;
use pallas_ir::{
    Certainty, ControlOp, Finding, Function, Interpretation, MemorySpace, OpKind, Overlay, RefType, RegionId,
};
use pallas_ir::{Severity, Type};

/// A block needs more shared or tensor memory than its GPU has.
pub(super) static RULE: Rule = Rule {
    code: "PL411",
    name: "gpu-memory-budget",
    severity: Severity::Error,
    summary: "a block of a GPU kernel needs more shared memory, tensor memory or registers than there are",
    doc: r#"
## What it does
Adds up what a block of a Mosaic GPU kernel allocates at the same time: scratch, slots of pipelines and scopes in shared memory,
each rounded up to 1 KiB as the compiler places them (there are 227 KiB for a block of a Hopper or Blackwell GPU); and
accumulators in tensor memory (512 columns of 128 lanes of 32 bits, on Blackwell). Scopes that follow each other have
their memory in common, and so have the groups of a `plgpu.RefUnion`. Accumulators in registers are counted for a
thread of 128 lanes, which has at most 255 registers a lane. Launches that are interpreted are judged if a GPU is their
target (`--target hopper`).

## Why is this bad?
The kernel does not compile: `Mosaic GPU kernel exceeds available shared memory`. Accumulators beyond the registers are
spilled to main memory, which is slower by orders of magnitude.

## Example
```python
plgpu.SMEM((8, 128, 128), jnp.float16)      # eight slots of 32 KiB: 256 KiB
```

## Use instead
```python
plgpu.SMEM((4, 128, 128), jnp.float16)      # four slots: 128 KiB
```
"#,
    check: Some(check),
};

/// Shared memory that a block may have.
const SHARED: usize = 227 << 10;
/// Where allocations in shared memory begin.
const ALIGNMENT: usize = 1 << 10;
/// Columns of tensor memory, and what one of them holds.
const COLUMNS: usize = 512;
const COLUMN: usize = 128 * 4;
/// Registers of a warpgroup.
const REGISTERS: usize = 255 * 128 * 4;

/// What is allocated at the same time, by space.
#[derive(Clone, Default)]
struct Needs {
    shared: Vec<(String, usize)>,
    tensor: Vec<(String, usize)>,
    registers: Vec<(String, usize)>,
}

fn total(parts: &[(String, usize)]) -> usize {
    parts.iter().fold(0, |total, (_, bytes)| total.saturating_add(*bytes))
}

fn larger(one: Vec<(String, usize)>, other: Vec<(String, usize)>) -> Vec<(String, usize)> {
    if total(&other) > total(&one) { other } else { one }
}

impl Needs {
    fn add(&mut self, name: Option<&str>, ty: &RefType) {
        if ty.overlay == Overlay::Beside {
            return;
        }
        let bits = ty.shape.iter().fold(ty.dtype.bits() as usize, |bits, &extent| bits.saturating_mul(extent));
        let bytes = bits.div_ceil(8);
        let name = name.unwrap_or("scratch").to_string();
        match ty.space {
            MemorySpace::Shared => self.shared.push((name, bytes.next_multiple_of(ALIGNMENT))),
            MemorySpace::Tmem => self.tensor.push((name, bytes)),
            MemorySpace::Registers => self.registers.push((name, bytes)),
            _ => {}
        }
    }

    /// What is needed by one or the other, one after the other.
    fn or(self, other: Needs) -> Needs {
        Needs {
            shared: larger(self.shared, other.shared),
            tensor: larger(self.tensor, other.tensor),
            registers: larger(self.registers, other.registers),
        }
    }

    fn and(mut self, other: Needs) -> Needs {
        self.shared.extend(other.shared);
        self.tensor.extend(other.tensor);
        self.registers.extend(other.registers);
        self
    }
}

/// What a region allocates at most at any time.
fn region(function: &Function, id: RegionId) -> Needs {
    let mut needs = Needs::default();
    for &op in &function.region(id).ops {
        let op = function.op(op);
        for &inner in &op.regions {
            let mut here = region(function, inner);
            if matches!(op.op.kind, OpKind::Control(ControlOp::Scoped)) {
                let mut own = Needs::default();
                for &param in &function.region(inner).params {
                    if let Type::Ref(ty) = function.ty(param) {
                        own.add(function.value(param).name.as_deref(), ty);
                    }
                }
                here = own.and(here);
            }
            needs = needs.or(here);
        }
    }
    needs
}

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    let interpreted = launch.interpretation != Interpretation::Unsaid;
    if !launch.has_agents() || (interpreted && !launch.target.is_mosaic_gpu()) {
        return;
    }
    let mut needs = Needs::default();
    for (&param, ty) in launch.kernel.params().iter().skip(launch.operands.len()).zip(&launch.scratch) {
        needs.add(launch.kernel.value(param).name.as_deref(), ty);
    }
    let needs = needs.and(region(&launch.kernel, launch.kernel.body));
    let shared = total(&needs.shared);
    if shared > SHARED {
        let message = format!(
            "a block of this kernel needs {} of shared memory, a GPU has {}",
            words::bytes(shared),
            words::bytes(SHARED)
        );
        report(launch, message, &needs.shared, "take smaller tiles or fewer slots (`max_concurrent_steps`)", findings);
    }
    let columns = total(&needs.tensor).div_ceil(COLUMN);
    if columns > COLUMNS {
        let message = format!("a block of this kernel needs {columns} columns of tensor memory, a GPU has {COLUMNS}");
        report(launch, message, &needs.tensor, "take smaller accumulators, or fewer of them", findings);
    }
    let registers = total(&needs.registers);
    if registers > REGISTERS {
        let message = format!(
            "the accumulators of a warpgroup need {} of registers, it has {}",
            words::bytes(registers),
            words::bytes(REGISTERS)
        );
        let help = "take a smaller accumulator, and more warpgroups (`num_threads`) that have a part each";
        report(launch, message, &needs.registers, help, findings);
    }
}

fn report(launch: &Checked<'_>, message: String, parts: &[(String, usize)], help: &str, findings: &mut Vec<Finding>) {
    let mut finding = RULE.finding(Certainty::Proved, launch.spans.call, message);
    let mut parts = parts.to_vec();
    parts.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    let shown: Vec<String> =
        parts.iter().take(4).map(|(name, bytes)| format!("{name}: {}", words::bytes(*bytes))).collect();
    finding.evidence = Some(shown.join(", "));
    finding.help = Some(help.to_string());
    findings.push(finding);
}
