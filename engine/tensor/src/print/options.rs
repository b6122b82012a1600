//! What `np.set_printoptions` sets.

/// How arrays are printed; the default is numpy's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintOptions {
    /// Digits after the decimal point.
    pub precision: usize,
    /// Elements above which an array is summarised.
    pub threshold: usize,
    /// Elements shown at each end of a summarised dimension.
    pub edgeitems: usize,
    /// Characters per line.
    pub linewidth: usize,
    /// Never scientific because of small values.
    pub suppress: bool,
    /// What stands before positive numbers.
    pub sign: Sign,
    /// How many digits.
    pub floatmode: FloatMode,
    /// How NaN is written.
    pub nanstr: String,
    /// How infinity is written.
    pub infstr: String,
}

/// What stands before positive numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sign {
    /// Nothing (`-`).
    #[default]
    Minus,
    /// A plus sign (`+`).
    Plus,
    /// A space (` `).
    Space,
}

/// How many digits a float gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FloatMode {
    /// Always `precision` digits.
    Fixed,
    /// As few as tell the value from its neighbours.
    Unique,
    /// As `Unique`, at most `precision`.
    #[default]
    Maxprec,
    /// As `Maxprec`, all elements as many as the longest.
    MaxprecEqual,
}

impl Default for PrintOptions {
    fn default() -> PrintOptions {
        PrintOptions {
            precision: 8,
            threshold: 1000,
            edgeitems: 3,
            linewidth: 75,
            suppress: false,
            sign: Sign::default(),
            floatmode: FloatMode::default(),
            nanstr: "nan".to_owned(),
            infstr: "inf".to_owned(),
        }
    }
}
