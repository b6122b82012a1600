//! The guide's formulas ("Analyzing the performance"): how long a pipeline of N programs takes, if each moves X bytes and
//! does Y operations, by what holds it up. They leave out the ends of a pipeline where those do not matter; what
//! [`crate::Timing`] computes leaves out nothing.

/// What holds a pipeline up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// The processor is always busy.
    Compute,
    /// The path to memory is always busy.
    Bandwidth,
    /// Neither is: copies are waited for that could have been started earlier, with more slots.
    Latency,
}

impl Bound {
    /// As it is written: `compute`.
    pub fn name(self) -> &'static str {
        match self {
            Bound::Compute => "compute",
            Bound::Bandwidth => "bandwidth",
            Bound::Latency => "latency",
        }
    }
}

/// Whoever is busy for so much of the time is so always.
const ALL_OF_IT: f64 = 0.95;

/// A pipeline in the guide's letters, times in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Formulas {
    /// N: iterations.
    pub programs: usize,
    /// Alpha.
    pub latency: f64,
    /// X / beta: the copies of one iteration.
    pub transfer: f64,
    /// Y / F: the compute of one iteration.
    pub compute: f64,
    /// Slots per operand.
    pub slots: usize,
    /// In how many iterations a copy is made: N, unless blocks stay.
    pub rounds: usize,
    /// At how many ends there is a bubble: 2 with inputs and outputs.
    pub bubbles: usize,
}

impl Formulas {
    /// A bubble: `alpha + X / beta`.
    pub fn bubble(&self) -> f64 {
        self.latency + self.transfer
    }

    /// `(alpha + X / beta) + N (Y / F)`, the first term for each end.
    pub fn compute_bound(&self) -> f64 {
        self.bubbles as f64 * self.bubble() + self.programs as f64 * self.compute
    }

    /// `alpha + N (X / beta)`
    pub fn bandwidth_bound(&self) -> f64 {
        self.latency + self.programs as f64 * self.transfer
    }

    /// `N (alpha + X / beta + Y / F) / S`: a slot is filled, used, and filled again; S of them take turns. Iterations
    /// without a copy have no latency.
    pub fn latency_bound(&self) -> f64 {
        let work = self.programs as f64 * (self.transfer + self.compute);
        (self.rounds as f64 * self.latency + work) / self.slots.max(1) as f64
    }

    /// What the steady state waits for.
    pub fn bound(&self) -> Bound {
        let turn = self.latency_bound() / self.programs.max(1) as f64;
        // With one slot, or one program, a turn is always longer than the longest part of it: that says nothing where the rest is short.
        if turn * ALL_OF_IT > self.compute.max(self.transfer) {
            Bound::Latency
        } else if self.transfer > self.compute {
            Bound::Bandwidth
        } else {
            Bound::Compute
        }
    }

    /// The time by the formula that applies.
    pub fn time(&self) -> f64 {
        match self.bound() {
            Bound::Compute => self.compute_bound(),
            Bound::Bandwidth => self.bandwidth_bound(),
            Bound::Latency => self.latency_bound(),
        }
    }
}
