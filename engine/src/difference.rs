//! What two runs of a file under different schedules differ in. A correct program gives the same under all.

use crate::run::Run;
use pallas_ir::Role;

/// Says what another run gives that the first does not, as a sentence without its subject; `None` if nothing. Outputs are
/// compared bit by bit, where both runs kept them.
pub fn difference(first: &Run, other: &Run) -> Option<String> {
    if first.exit != other.exit {
        let last = other.stderr.lines().last().map_or(String::new(), |line| format!(": {line}"));
        return Some(format!("ends with status {} instead of {}{last}", other.exit, first.exit));
    }
    for (number, ((launch, expected), (_, found))) in first.outputs.iter().zip(&other.outputs).enumerate() {
        let names = launch.operands.iter().filter(|operand| operand.role == Role::Output).map(|operand| &*operand.name);
        let differing = names.zip(expected.iter().zip(found)).find(|(_, (expected, found))| !expected.same_bits(found));
        let Some((name, (expected, found))) = differing else { continue };
        let count = expected.iter_scalars().zip(found.iter_scalars()).filter(|(a, b)| a != b).count();
        let kernel = &launch.kernel.name;
        return Some(format!(
            "gives `{name}` of `{kernel}` (launch {}) other values: {count} of {} elements",
            number + 1,
            expected.size()
        ));
    }
    (first.outputs.len() != other.outputs.len())
        .then(|| format!("makes {} launches instead of {}", other.outputs.len(), first.outputs.len()))
}
