//! PL502.

use crate::checked::Checked;
use crate::rule::Rule;
use crate::words;
use pallas_ir::{BlockMap, Certainty, Finding, Launch, MemorySpace, Operand, Role, Severity};
use pallas_tensor::DType;

/// What programs need of vector or scalar memory is more than there is.
pub(super) static RULE: Rule = Rule {
    code: "PL502",
    name: "memory-budget",
    severity: Severity::Error,
    summary: "blocks with their buffers and scratch memory do not fit into the memory of the target",
    doc: r#"
## What it does
Adds up what a launch holds in vector memory (VMEM) and in scalar memory (SMEM) of a TPU, where the target is one (`--target
tpu-v5e`, or `target` in `pallas.toml`; of a kernel for TPUs without that, it is said what fits into none): blocks times their buffers (two, or as many as `pl.Buffered` says; one where the
block never changes), and scratch memory. Rows are counted as they lie there: padded to 128 lanes, and to 8 sublanes of 32
bits. It is an error where that is more than the chip has (v5e and v6e: 128 MiB, v5p: 64 MiB; 1 MiB of scalar memory), and
a warning where it is more than the compiler allows a kernel by default (16 MiB, on v6e 32 MiB), unless `vmem_limit_bytes`
says another limit. What the compiler itself needs for intermediate results comes on top.

## Why is this bad?
The compiler runs out of memory, after minutes: `Ran out of memory in memory space vmem`.

## Example
```python
pl.BlockSpec((4096, 2048), lambda i, j: (i, j))     # float32: 32 MiB, two buffers: 64 MiB
```

## Use instead
Smaller blocks: `(512, 1024)` is 2 MiB. Or, where the chip has the memory:
```python
compiler_params=pltpu.CompilerParams(vmem_limit_bytes=100 * 2**20)
```
"#,
    check: Some(check),
};

const MIB: usize = 1 << 20;
/// Vector memory of the TPUs that have most of it.
const MOST_VMEM: usize = 128 * MIB;
/// Scalar memory of a core.
const SMEM: usize = MIB;

fn check(launch: &Checked<'_>, findings: &mut Vec<Finding>) {
    // Of a TPU that nobody named, it is known that none has more.
    let is_named = launch.target.vmem_bytes().is_some();
    let most = || launch.target.is_tpu().then_some(MOST_VMEM);
    let Some(capacity) = launch.target.vmem_bytes().or_else(most) else { return };
    let allowed = launch.vmem_limit.unwrap_or(launch.target.default_vmem_bytes().unwrap_or(capacity)).min(capacity);
    let allowed = if is_named { allowed } else { capacity };
    let vector = parts(launch, true);
    let scalar = parts(launch, false);
    for (parts, name, capacity, allowed) in
        [(vector, "vector memory (VMEM)", capacity, allowed), (scalar, "scalar memory (SMEM)", SMEM, SMEM)]
    {
        let total: usize = parts.iter().fold(0, |total, part| total.saturating_add(part.bytes));
        if total <= allowed {
            continue;
        }
        let is_certain = total > capacity;
        let limit = if is_certain { capacity } else { allowed };
        let whose = match (is_certain, launch.vmem_limit) {
            (true, _) if is_named => "the chip has",
            (true, _) => "no TPU has more than",
            (false, Some(_)) => "`vmem_limit_bytes` allows",
            (false, None) => "the compiler allows by default",
        };
        let message = format!("this launch needs {} of {name}, {whose} {}", words::bytes(total), words::bytes(limit));
        let mut finding = RULE.finding(Certainty::Proved, launch.spans.call, message);
        if !is_certain {
            finding.severity = Severity::Warning;
        }
        let mut parts = parts;
        parts.sort_by_key(|part| std::cmp::Reverse(part.bytes));
        let shown: Vec<String> =
            parts.iter().take(4).map(|part| format!("{}: {}", part.name, words::bytes(part.bytes))).collect();
        finding.evidence = Some(shown.join(", "));
        finding.help = Some(match is_certain {
            true => "take smaller blocks; those that are used once need one buffer: `pipeline_mode=pl.Buffered(1)`"
                .to_string(),
            false => "take smaller blocks, or allow more: `pltpu.CompilerParams(vmem_limit_bytes=...)`".to_string(),
        });
        findings.push(finding);
    }
}

/// Something that lies in memory while programs run.
struct Part {
    name: String,
    bytes: usize,
}

/// What lies in vector memory, or in scalar memory.
fn parts(launch: &Launch, is_vector: bool) -> Vec<Part> {
    let mut parts = Vec::new();
    for operand in &launch.operands {
        let is_here = match (operand.role, operand.space) {
            (Role::Prefetch, _) | (_, MemorySpace::Smem) => !is_vector,
            (_, MemorySpace::Default | MemorySpace::Vmem) => is_vector,
            _ => false,
        };
        if !is_here {
            continue;
        }
        let buffers = buffers(launch, operand);
        let shape = operand.block_shape();
        let bytes = match is_vector {
            true => padded(&shape, operand.array.dtype),
            false => shape.iter().fold(4, |bytes: usize, &n| bytes.saturating_mul(n)),
        };
        let name = match buffers {
            1 => operand.name.to_string(),
            _ => format!("{} ({} buffers)", operand.name, buffers),
        };
        parts.push(Part { name, bytes: bytes.saturating_mul(buffers) });
    }
    for (number, scratch) in launch.scratch.iter().enumerate() {
        let is_here = match scratch.space {
            MemorySpace::Vmem | MemorySpace::Default => is_vector,
            MemorySpace::Smem => !is_vector,
            _ => false,
        };
        if is_here {
            let param = launch.kernel.params().get(launch.operands.len() + number);
            let name = param.and_then(|&param| launch.kernel.value(param).name.as_deref()).unwrap_or("scratch");
            let bytes = match is_vector {
                true => padded(&scratch.shape, scratch.dtype),
                false => scratch.shape.iter().fold(4, |bytes: usize, &n| bytes.saturating_mul(n)),
            };
            parts.push(Part { name: name.to_string(), bytes });
        }
    }
    parts
}

/// Two where the block changes from program to program.
fn buffers(launch: &Launch, operand: &Operand) -> usize {
    if operand.role == Role::Prefetch {
        return 1;
    }
    if let Some(buffers) = operand.buffers {
        return buffers;
    }
    let map = BlockMap::new(operand, launch.grid.len());
    let moves = (0..launch.grid.len()).any(|axis| launch.grid[axis] > 1 && map.depends_on(axis) != Some(false));
    if moves { 2 } else { 1 }
}

/// Bytes of a tile as it lies in vector memory.
fn padded(shape: &[usize], dtype: DType) -> usize {
    let bits = if dtype == DType::Bool { 32 } else { (dtype.bits() as usize).max(1) };
    let sublanes = 8 * (32 / bits.min(32));
    let (outer, rows, columns) = match shape {
        [] => (&[][..], 1, 1),
        [columns] => (&[][..], 1, *columns),
        [outer @ .., rows, columns] => (outer, *rows, *columns),
    };
    // One row of a narrow type still is a row of 32 bits.
    let rows = if rows == 1 { 1 } else { rows.next_multiple_of(sublanes.min(rows.next_power_of_two().max(8))) };
    let elements =
        outer.iter().fold(rows.saturating_mul(columns.next_multiple_of(128)), |n, &extent| n.saturating_mul(extent));
    elements.saturating_mul(bits).div_ceil(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_padded_to_lanes_and_sublanes() {
        assert_eq!(padded(&[8, 128], DType::F32), 4096);
        assert_eq!(padded(&[16, 1], DType::F32), 16 * 128 * 4);
        assert_eq!(padded(&[512, 1024], DType::BF16), 1 << 20);
        assert_eq!(padded(&[2, 8, 128], DType::F32), 8192);
        assert_eq!(padded(&[100], DType::F32), 512);
    }
}
