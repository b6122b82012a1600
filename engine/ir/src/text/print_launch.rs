//! Prints launches: grid, operands with blocks and index maps, scratch, aliases, then the kernel.

use super::print::{new_line, write_function, write_symbol};
use crate::interpretation::Interpretation;
use crate::launch::{BlockDim, Launch, Operand, Role, Target};
use crate::types::MemorySpace;
use std::fmt::Write;

/// A launch as text, without a final line break.
pub fn print_launch(launch: &Launch) -> String {
    let mut out = String::new();
    write_launch(&mut out, launch, 0);
    out
}

/// `launch grid=[...] { ... }`.
pub(super) fn write_launch(out: &mut String, launch: &Launch, indent: usize) {
    let extents = launch.extents().into_iter().map(|extent| extent.map_or("dynamic".to_string(), |n| n.to_string()));
    let _ = write!(out, "launch grid=[{}]", extents.collect::<Vec<_>>().join(", "));
    if !launch.semantics.is_empty() {
        let names: Vec<&str> = launch.semantics.iter().map(|s| s.name()).collect();
        let _ = write!(out, " semantics=[{}]", names.join(", "));
    }
    if let Some((word, _)) = Target::WORDS.iter().find(|(_, target)| *target == launch.target) {
        let _ = write!(out, " {word}");
    }
    if let Some((word, _)) = Target::WORDS.iter().find(|(_, target)| *target == launch.written_for) {
        let _ = write!(out, " written_for={word}");
    }
    if let Some(limit) = launch.vmem_limit {
        let _ = write!(out, " vmem_limit={limit}");
    }
    if let Some(id) = launch.meeting.collective {
        let _ = write!(out, " collective={id}");
    }
    if launch.meeting.skipped {
        out.push_str(" skips_device_barrier");
    }
    if launch.meeting.unused {
        out.push_str(" collective_may_be_unused");
    }
    if launch.interpretation != Interpretation::Unsaid {
        let _ = write!(out, " interpret={}", launch.interpretation);
    }
    out.push_str(" {");
    for operand in &launch.operands {
        new_line(out, indent + 1);
        write_operand(out, operand, indent + 1);
    }
    for scratch in &launch.scratch {
        new_line(out, indent + 1);
        let _ = write!(out, "scratch {scratch}");
    }
    for (input, output) in &launch.aliases {
        new_line(out, indent + 1);
        let _ = write!(out, "alias {input} -> {output}");
    }
    new_line(out, indent + 1);
    out.push_str("kernel ");
    write_function(out, &launch.kernel, indent + 1);
    new_line(out, indent);
    out.push('}');
}

fn write_operand(out: &mut String, operand: &Operand, indent: usize) {
    let _ = write!(out, "{} ", role_name(operand.role));
    write_symbol(out, &operand.name);
    let _ = write!(out, ": {} block=[", operand.array);
    write_block(out, &operand.block);
    out.push(']');
    if operand.space != MemorySpace::Default {
        let _ = write!(out, " space={}", operand.space.name());
    }
    if let Some(buffers) = operand.buffers {
        let _ = write!(out, " buffers={buffers}");
    }
    if let Some(index_map) = &operand.index_map {
        out.push_str(" map ");
        write_function(out, index_map, indent);
    }
}

/// `16, squeezed, element(8, 0, 0)`
pub(super) fn write_block(out: &mut String, block: &[BlockDim]) {
    for (axis, dimension) in block.iter().enumerate() {
        if axis > 0 {
            out.push_str(", ");
        }
        let _ = match dimension {
            BlockDim::Blocked(size) => write!(out, "{size}"),
            BlockDim::Squeezed => write!(out, "squeezed"),
            BlockDim::Element { size, low, high } => write!(out, "element({size}, {low}, {high})"),
        };
    }
}

/// As printed.
pub(super) fn role_name(role: Role) -> &'static str {
    match role {
        Role::Prefetch => "prefetch",
        Role::Input => "input",
        Role::Output => "output",
    }
}
