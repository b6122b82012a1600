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
    /// `allow_hbm_allocation_in_run_scoped=True`: kernels may allocate main memory.
    pub main_scopes: bool,
    /// `buffer_bounds="padded"`: memory reaches to the end of its last tile.
    pub padded: bool,
    /// `num_cores_or_threads`: cores of a device, among which axes of the grid are dealt that are parallel. None is one.
    pub cores: u32,
    /// `random_seed`, for the order of programs along parallel axes.
    pub seed: u32,
    /// `grid_point_recorder`: the number under which the caller keeps who is told of each program. None is nobody.
    pub recorder: u32,
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

    /// The options of a device.
    pub fn device(self) -> Option<DeviceOptions> {
        match self {
            Interpretation::Device(options) => Some(options),
            _ => None,
        }
    }

    /// Whether memory begins as zeros.
    pub fn zeroed(self) -> bool {
        matches!(self, Interpretation::Device(options) if options.zeroed)
    }
}

impl DeviceOptions {
    /// Options by the words of the text form, with their values.
    pub(crate) fn words(self) -> [(&'static str, bool); 7] {
        [
            ("eager", self.eager),
            ("zeroed", self.zeroed),
            ("lenient", self.lenient),
            ("races", self.races),
            ("skips_floats", self.skips_floats),
            ("padded", self.padded),
            ("main_scopes", self.main_scopes),
        ]
    }

    /// Options that are numbers, with their words in the text form; nothing is said of those that are 0.
    pub(crate) fn numbers(self) -> [(&'static str, u32); 3] {
        [("cores", self.cores), ("seed", self.seed), ("recorder", self.recorder)]
    }

    /// Sets the option called `word`, to a number if it is one; false where there is none.
    pub(crate) fn set(&mut self, word: &str, number: Option<u32>) -> bool {
        match (word, number) {
            ("eager", None) => self.eager = true,
            ("zeroed", None) => self.zeroed = true,
            ("lenient", None) => self.lenient = true,
            ("races", None) => self.races = true,
            ("skips_floats", None) => self.skips_floats = true,
            ("padded", None) => self.padded = true,
            ("main_scopes", None) => self.main_scopes = true,
            ("cores", Some(number)) => self.cores = number,
            ("seed", Some(number)) => self.seed = number,
            ("recorder", Some(number)) => self.recorder = number,
            _ => return false,
        }
        true
    }
}

/// `plain`, `device[eager, cores=2]`.
impl fmt::Display for Interpretation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Interpretation::Unsaid => f.write_str("unsaid"),
            Interpretation::Plain => f.write_str("plain"),
            Interpretation::Device(options) => {
                let words = options.words().into_iter().filter(|(_, set)| *set).map(|(word, _)| word.to_string());
                let numbers = options.numbers().into_iter().filter(|(_, number)| *number != 0);
                let numbers = numbers.map(|(word, number)| format!("{word}={number}"));
                let words: Vec<String> = words.chain(numbers).collect();
                write!(f, "device[{}]", words.join(", "))
            }
        }
    }
}
