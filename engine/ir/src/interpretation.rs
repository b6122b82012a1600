//! How a launch is interpreted: the `interpret` argument of its call, which decides when copies move their data and what a
//! wait does that nothing satisfies. Hardware knows nothing of it.

use std::fmt;

/// How a launch is interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Interpretation {
    /// Nothing was said. Data moves when a copy starts, and a wait that nothing satisfies is an error.
    #[default]
    Unsaid,
    /// `interpret=True`: data moves when a copy starts, and waits only count.
    Plain,
    /// `interpret=pltpu.InterpretParams(...)`: a device with its engines.
    Device(DeviceOptions),
}

/// Options of [`Interpretation::Device`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct DeviceOptions {
    /// `dma_execution_mode="eager"`: data moves when a copy starts, not as late as may be.
    pub eager: bool,
    /// `uninitialized_memory="zero"`: memory begins as zeros.
    pub zeroed: bool,
    /// `out_of_bounds_reads="uninitialized"`: what lies outside reads as fresh memory; otherwise reading it is an error.
    pub lenient: bool,
    /// `detect_races=True`: accesses that nothing orders are looked for.
    pub races: bool,
    /// `skip_floating_point_ops=True`: what has floating-point results gives infinity.
    pub skips_floats: bool,
}

impl Interpretation {
    /// Whether data moves when a copy is waited for.
    pub fn moves_on_wait(self) -> bool {
        matches!(self, Interpretation::Device(options) if !options.eager)
    }

    /// Whether a wait that nothing satisfies goes on, leaving a count below zero.
    pub fn only_counts(self) -> bool {
        self == Interpretation::Plain
    }

    /// Whether races are asked for.
    pub fn detects_races(self) -> bool {
        matches!(self, Interpretation::Device(options) if options.races)
    }

    /// Whether what has floating-point results gives infinity.
    pub fn skips_floats(self) -> bool {
        matches!(self, Interpretation::Device(options) if options.skips_floats)
    }

    /// Whether memory begins as zeros.
    pub fn zeroed(self) -> bool {
        matches!(self, Interpretation::Device(options) if options.zeroed)
    }
}

impl DeviceOptions {
    /// Options by the words of the text form, with their values.
    pub(crate) fn words(self) -> [(&'static str, bool); 5] {
        [
            ("eager", self.eager),
            ("zeroed", self.zeroed),
            ("lenient", self.lenient),
            ("races", self.races),
            ("skips_floats", self.skips_floats),
        ]
    }

    /// Sets the option called `word`; false where there is none.
    pub(crate) fn set(&mut self, word: &str) -> bool {
        match word {
            "eager" => self.eager = true,
            "zeroed" => self.zeroed = true,
            "lenient" => self.lenient = true,
            "races" => self.races = true,
            "skips_floats" => self.skips_floats = true,
            _ => return false,
        }
        true
    }
}

/// `plain`, `device[eager, zeroed]`.
impl fmt::Display for Interpretation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Interpretation::Unsaid => f.write_str("unsaid"),
            Interpretation::Plain => f.write_str("plain"),
            Interpretation::Device(options) => {
                let words: Vec<&str> =
                    options.words().into_iter().filter(|(_, set)| *set).map(|(word, _)| word).collect();
                write!(f, "device[{}]", words.join(", "))
            }
        }
    }
}
