//! What kernels are written for: the names that settings and `--target` know.

use pallas_ir::Target;
use pallas_pipeline::{Machine, Machines};

/// A machine, or a compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TargetDevice {
    /// TPU v5e.
    TpuV5e,
    /// TPU v5p.
    TpuV5p,
    /// TPU v6e.
    TpuV6e,
    /// Any GPU, through Triton.
    Triton,
    /// Hopper GPUs, through Mosaic.
    Hopper,
    /// Blackwell GPUs, through Mosaic.
    Blackwell,
}

/// A row of the table.
struct Row {
    device: TargetDevice,
    name: &'static str,
    /// The machine that profiles model.
    machine: &'static str,
    /// What JAX calls a device of this kind, and how many cores it has.
    tpu: Option<(&'static str, i64)>,
}

const ROWS: [Row; 6] = [
    Row { device: TargetDevice::TpuV5e, name: "tpu-v5e", machine: "v5e", tpu: Some(("TPU v5e", 1)) },
    Row { device: TargetDevice::TpuV5p, name: "tpu-v5p", machine: "v5p", tpu: Some(("TPU v5p", 2)) },
    Row { device: TargetDevice::TpuV6e, name: "tpu-v6e", machine: "v6e", tpu: Some(("TPU v6e", 1)) },
    Row { device: TargetDevice::Triton, name: "triton", machine: "h100", tpu: None },
    Row { device: TargetDevice::Hopper, name: "hopper", machine: "h100", tpu: None },
    Row { device: TargetDevice::Blackwell, name: "blackwell", machine: "b200", tpu: None },
];

impl TargetDevice {
    /// The names of all.
    pub const NAMES: [&str; ROWS.len()] = {
        let mut names = [""; ROWS.len()];
        let mut index = 0;
        while index < names.len() {
            names[index] = ROWS[index].name;
            index += 1;
        }
        names
    };

    /// The target with this name.
    ///
    /// # Errors
    /// There is none.
    pub fn parse(name: &str) -> Result<TargetDevice, String> {
        let row = ROWS.iter().find(|row| row.name == name);
        row.map(|row| row.device).ok_or_else(|| {
            let close = Self::NAMES.iter().find(|known| super::file::is_close(known, name));
            match close {
                Some(known) => format!("no target is called `{name}`; did you mean `{known}`?"),
                None => format!("no target is called `{name}`; there are: {}", Self::NAMES.join(", ")),
            }
        })
    }

    fn row(self) -> &'static Row {
        // The table has a row for each: a test sees to it.
        ROWS.iter().find(|row| row.device == self).unwrap_or(&ROWS[0])
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The machine that profiles for it model.
    pub fn machine(self) -> &'static str {
        self.row().machine
    }

    /// All launches on that machine.
    pub(crate) fn machines(self) -> Machines {
        Machine::find(self.machine()).map_or(Machines::Fitting, Machines::named)
    }

    /// What JAX calls such a TPU, and its number of cores.
    pub(crate) fn tpu(self) -> Option<(&'static str, i64)> {
        self.row().tpu
    }

    /// What launches that do not say it are compiled with.
    pub(crate) fn compiler(self) -> Target {
        match self {
            TargetDevice::TpuV5e => Target::TpuV5e,
            TargetDevice::TpuV5p => Target::TpuV5p,
            TargetDevice::TpuV6e => Target::TpuV6e,
            TargetDevice::Triton => Target::Triton,
            TargetDevice::Hopper => Target::Hopper,
            TargetDevice::Blackwell => Target::Blackwell,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_its_row_and_a_machine() {
        for name in TargetDevice::NAMES {
            let device = TargetDevice::parse(name).expect("known");
            assert_eq!(device.name(), name);
            assert!(Machine::find(device.machine()).is_some(), "{name}");
        }
        assert!(TargetDevice::parse("tpu").is_err_and(|message| message.contains("tpu-v5e, tpu-v5p")));
    }
}
