//! What the terminal's own colours look like on paper: a terminal has a theme, a picture has to choose one.

use ratatui::style::Color;

/// What is drawn on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Paper {
    /// Light letters on a dark ground.
    #[default]
    Dark,
    /// Dark letters on a light ground.
    Light,
}

/// The sixteen names, black to white and then bright, on a dark ground. All have a contrast of 4.5 to it but black.
const ON_DARK: [u32; 16] = [
    0x30_363d, 0xff_7b72, 0x3f_b950, 0xd2_9922, 0x58_a6ff, 0xbc_8cff, 0x39_c5cf, 0xb1_bac4, 0x8b_949e, 0xff_a198,
    0x56_d364, 0xe3_b341, 0x79_c0ff, 0xd2_a8ff, 0x56_d4dd, 0xff_ffff,
];
/// The same on a light ground; white is light.
const ON_LIGHT: [u32; 16] = [
    0x24_292f, 0xcf_222e, 0x11_6329, 0x7d_4e00, 0x09_69da, 0x82_50df, 0x1b_7c83, 0x6e_7781, 0x57_606a, 0xa4_0e26,
    0x1a_7f37, 0x63_3c01, 0x21_8bff, 0xa4_75f9, 0x31_92aa, 0xd0_d7de,
];

impl Paper {
    /// The ground.
    pub(super) fn back(self) -> [u8; 3] {
        match self {
            Paper::Dark => rgb(0x0d_1117),
            Paper::Light => rgb(0xff_ffff),
        }
    }

    /// Letters without a colour.
    pub(super) fn fore(self) -> [u8; 3] {
        match self {
            Paper::Dark => rgb(0xe6_edf3),
            Paper::Light => rgb(0x1f_2328),
        }
    }

    /// A colour; `None` where the terminal's own is meant.
    pub(super) fn colour(self, colour: Color) -> Option<[u8; 3]> {
        let table = match self {
            Paper::Dark => &ON_DARK,
            Paper::Light => &ON_LIGHT,
        };
        let named = |at: usize| Some(rgb(table[at % 16]));
        match colour {
            Color::Reset => None,
            Color::Black => named(0),
            Color::Red => named(1),
            Color::Green => named(2),
            Color::Yellow => named(3),
            Color::Blue => named(4),
            Color::Magenta => named(5),
            Color::Cyan => named(6),
            Color::Gray => named(7),
            Color::DarkGray => named(8),
            Color::LightRed => named(9),
            Color::LightGreen => named(10),
            Color::LightYellow => named(11),
            Color::LightBlue => named(12),
            Color::LightMagenta => named(13),
            Color::LightCyan => named(14),
            Color::White => named(15),
            Color::Rgb(red, green, blue) => Some([red, green, blue]),
            Color::Indexed(at @ 0..16) => named(at.into()),
            Color::Indexed(at @ 16..232) => {
                // The 6×6×6 cube.
                let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
                let at = at - 16;
                Some([level(at / 36), level(at / 6 % 6), level(at % 6)])
            }
            Color::Indexed(at) => Some([8 + 10 * (at - 232); 3]),
        }
    }
}

/// The colour halfway from one to another.
pub(super) fn between(one: [u8; 3], other: [u8; 3]) -> [u8; 3] {
    std::array::from_fn(|at| (u16::from(one[at]) + u16::from(other[at])).div_ceil(2) as u8)
}

fn rgb(colour: u32) -> [u8; 3] {
    let [_, red, green, blue] = colour.to_be_bytes();
    [red, green, blue]
}
