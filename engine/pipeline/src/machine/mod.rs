//! Machines as the model sees them: a latency alpha, a bandwidth beta, rates F of compute per dtype, memory on chip, and how
//! programs are dealt to cores. Each number says where it comes from; those that nobody has published are marked as assumed.

mod choice;
mod table;

pub use choice::{Chosen, Machines};
pub use table::MACHINES;

use crate::max_plus::Ticks;
use crate::timing::{Rates, ticks};
use crate::work::{Unit, Work};
use pallas_tensor::DType;
use std::borrow::Cow;

/// What runs programs.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// As it is called: `TPU v5e`.
    pub name: Cow<'static, str>,
    /// What is typed for it: `v5e`.
    pub key: Cow<'static, str>,
    /// How programs are dealt out.
    pub cores: Cores,
    /// Alpha, in seconds: what a copy takes at least.
    pub latency: Number,
    /// Beta, in bytes per second, of the whole machine.
    pub bandwidth: Number,
    /// F of products of matrices, in FLOP per second of the whole machine, by dtype of the operands.
    pub matrix: Cow<'static, [(DType, Number)]>,
    /// F of everything else, in operations per second of the whole machine.
    pub vector: Number,
    /// Bytes on chip that the blocks of one program, all slots of them, have to fit in.
    pub on_chip: Number,
    /// What a copy or a signal to another device takes at least, in seconds.
    pub link_latency: Number,
    /// Bytes per second from one device to another, one way.
    pub link_bandwidth: Number,
    /// What the last two dimensions of a block have to be multiples of, unless they are the array's; 1 where anything goes.
    pub tile: (usize, usize),
}

/// A number and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// The number.
    pub value: f64,
    /// Where it comes from.
    pub source: Cow<'static, str>,
    /// Whether it is published or measured, and not just assumed.
    pub known: bool,
}

/// How programs are dealt out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cores {
    /// One core runs the grid in order; blocks that do not move stay in their slots.
    One,
    /// Programs are spread over so many cores, which share the bandwidth. Each brings its own blocks; a slot is what
    /// another program on the same core holds.
    Many(usize),
}

impl Machine {
    /// The machine of this key or name, whatever its case.
    pub fn find(name: &str) -> Option<&'static Machine> {
        let fits = |known: &str| known.eq_ignore_ascii_case(name);
        let short = |machine: &Machine| machine.name.rsplit(' ').next().is_some_and(fits);
        MACHINES.iter().find(|machine| fits(&machine.key) || fits(&machine.name) || short(machine))
    }

    /// This CPU under interpret mode, as measured: alpha, beta, F of matrices of `f32`, F of the rest.
    pub fn this_cpu(latency: f64, bandwidth: f64, matrix: f64, vector: f64) -> Machine {
        let measured = |value: f64| Number { value, source: Cow::Borrowed("measured on this machine"), known: true };
        Machine {
            name: Cow::Borrowed("this CPU (interpret mode)"),
            key: Cow::Borrowed("cpu"),
            cores: Cores::One,
            latency: measured(latency),
            bandwidth: measured(bandwidth),
            matrix: Cow::Owned(vec![(DType::F32, measured(matrix))]),
            vector: measured(vector),
            on_chip: Number {
                value: 1e18,
                source: Cow::Borrowed("interpret mode keeps blocks in main memory: there is no limit to model"),
                known: true,
            },
            link_latency: measured(latency),
            link_bandwidth: measured(bandwidth),
            tile: (1, 1),
        }
    }

    /// How many cores share a launch.
    pub fn core_count(&self) -> usize {
        match self.cores {
            Cores::One => 1,
            Cores::Many(cores) => cores.max(1),
        }
    }

    /// How many cores have something to do.
    pub fn busy_cores(&self, programs: usize) -> usize {
        self.core_count().min(programs).max(1)
    }

    /// Clocks of the copies of one core, where the busy ones share the bandwidth.
    pub fn rates(&self, programs: usize) -> Rates {
        Rates::new(self.latency.value, self.bandwidth.value / self.busy_cores(programs) as f64)
    }

    /// Operations per second of the whole machine.
    pub fn rate(&self, unit: Unit, dtype: DType) -> f64 {
        match unit {
            Unit::Matrix => self.matrix_rate(dtype),
            Unit::Vector | Unit::Transcendental | Unit::Other => self.vector.value,
        }
    }

    /// The rate of products of a dtype: its own, or that of the narrowest dtype with a rate that holds it, or else of the
    /// rest.
    fn matrix_rate(&self, dtype: DType) -> f64 {
        let stand_in = match dtype {
            DType::F16 => DType::BF16,
            DType::I4 | DType::U4 | DType::U8 | DType::I2 | DType::U2 | DType::Bool => DType::I8,
            other if other.is_small_float() => DType::F8E4M3Fn,
            other => other,
        };
        let wider = match stand_in {
            DType::F8E4M3Fn => &[DType::F8E4M3Fn, DType::BF16, DType::F32][..],
            DType::BF16 => &[DType::BF16, DType::F32],
            other => &[other],
        };
        let wanted = std::iter::once(&dtype).chain(wider);
        let rates = || self.matrix.iter();
        wanted
            .filter_map(|wanted| rates().find(|(known, _)| known == wanted))
            .map(|(_, number)| number.value)
            .next()
            .unwrap_or(self.vector.value)
    }

    /// How long one core computes on some work: `Y / F`, summed over units and dtypes.
    pub fn compute(&self, work: &Work) -> Ticks {
        ticks(self.compute_seconds(work))
    }

    /// [`Machine::compute`] in seconds.
    pub fn compute_seconds(&self, work: &Work) -> f64 {
        let cores = self.core_count() as f64;
        work.terms.iter().map(|(&(unit, dtype), &count)| count as f64 * cores / self.rate(unit, dtype)).sum()
    }

    /// FLOP per second that this mix of work could reach at best.
    pub fn peak(&self, work: &Work) -> f64 {
        let time = self.compute_seconds(work) / self.core_count() as f64;
        if time == 0.0 { self.vector.value } else { work.flops() as f64 / time }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_are_found_by_key_and_name() {
        for machine in MACHINES {
            assert_eq!(Machine::find(&machine.key), Some(machine));
            assert_eq!(Machine::find(&machine.name.to_uppercase()), Some(machine));
        }
        assert_eq!(Machine::find("v5e").map(|machine| &*machine.name), Some("TPU v5e"));
        assert_eq!(Machine::find("abacus"), None);
    }

    #[test]
    fn every_number_has_a_source() {
        for machine in MACHINES {
            let links = [&machine.link_latency, &machine.link_bandwidth];
            let rest = [links[0], links[1], &machine.latency, &machine.bandwidth, &machine.vector, &machine.on_chip];
            for number in rest.into_iter().chain(machine.matrix.iter().map(|(_, number)| number)) {
                assert!(number.value > 0.0 && !number.source.is_empty(), "{}: {number:?}", machine.name);
                assert_eq!(number.known, !number.source.starts_with("assumed"), "{}: {number:?}", machine.name);
            }
        }
    }

    #[test]
    fn dtypes_without_a_rate_take_that_of_one_that_holds_them() {
        let find = |name: &str| Machine::find(name).expect("it is in the table");
        assert_eq!(find("v5e").rate(Unit::Matrix, DType::F16), find("v5e").rate(Unit::Matrix, DType::BF16));
        assert_eq!(find("a100").rate(Unit::Matrix, DType::F8E5M2), find("a100").rate(Unit::Matrix, DType::BF16));
        assert_eq!(find("h100").rate(Unit::Matrix, DType::U8), find("h100").rate(Unit::Matrix, DType::I8));
        assert_eq!(find("v5e").rate(Unit::Matrix, DType::F64), find("v5e").vector.value);
    }
}
