//! What things look like: the palette, and how a drawn frame is brought down to what the terminal can show. Panels draw
//! with every colour and symbol that there is; [`Styles::degrade`] is the only place that takes some away.
//! Chrome uses the terminal's own colours, so that light and dark both work; only heat maps use RGB.

use crate::args::ColorChoice;
use crate::environment::is_unicode;
use pallas_engine::report::Stage;
use pallas_engine::{Role, Severity};
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;

/// How many colours the terminal has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Depth {
    /// None, or none wanted.
    None,
    /// The sixteen ANSI names.
    Sixteen,
    /// The 6×6×6 cube.
    Cube,
    /// 24 bits.
    True,
}

/// What this terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Styles {
    /// Colours.
    pub(crate) depth: Depth,
    /// ASCII characters only.
    pub(crate) ascii: bool,
    /// The colours of magnitudes.
    pub(crate) ramp: Ramp,
}

/// Colours for magnitudes from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ramp {
    /// From violet over green to yellow.
    #[default]
    Viridis,
    /// From blue to yellow: the same for every kind of colour vision.
    Cividis,
    /// From dark to light.
    Greys,
}

impl Ramp {
    /// The next one.
    pub(crate) fn next(self) -> Ramp {
        match self {
            Ramp::Viridis => Ramp::Cividis,
            Ramp::Cividis => Ramp::Greys,
            Ramp::Greys => Ramp::Viridis,
        }
    }

    /// As people call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Ramp::Viridis => "viridis",
            Ramp::Cividis => "cividis",
            Ramp::Greys => "greys",
        }
    }
}

/// Okabe and Ito's colours, told apart with every kind of colour vision.
const SKY_BLUE: Color = Color::Rgb(0x56, 0xb4, 0xe9);
const ORANGE: Color = Color::Rgb(0xe6, 0x9f, 0x00);
const BLUISH_GREEN: Color = Color::Rgb(0x00, 0x9e, 0x73);
const VERMILION: Color = Color::Rgb(0xd5, 0x5e, 0x00);
const PURPLE: Color = Color::Rgb(0xcc, 0x79, 0xa7);

/// Borders where there is only ASCII.
const ASCII_BORDER: border::Set<'_> = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

/// ASCII stand-ins, each one column wide like what it stands for.
const STAND_INS: &[(&str, &str)] = &[
    ("│", "|"),
    ("─", "-"),
    ("┌", "+"),
    ("┐", "+"),
    ("└", "+"),
    ("┘", "+"),
    ("·", "-"),
    ("┄", "."),
    ("×", "x"),
    ("→", ">"),
    ("…", "~"),
    ("█", "#"),
    ("▀", "#"),
    ("▄", "#"),
    ("▸", ">"),
    ("▾", "v"),
    ("◆", "X"),
    ("µ", "u"),
    ("✔", "*"),
    ("░", "."),
    ("▒", "+"),
    ("▓", "%"),
    ("▏", ":"),
    ("▎", ":"),
    ("▍", "="),
    ("▌", "="),
    ("▋", "="),
    ("▊", "#"),
    ("▉", "#"),
    ("▲", "^"),
    ("▼", "v"),
    ("●", "o"),
    ("−", "-"),
    ("╱", "/"),
    ("╷", "|"),
    ("┤", "|"),
    ("▁", "."),
    ("α", "a"),
    ("β", "b"),
];

impl Styles {
    /// What the command line and the environment allow. `environment` gives the value of a variable; `windows` says whose
    /// terminal it is.
    pub(crate) fn detect(
        choice: ColorChoice,
        ascii: bool,
        environment: impl Fn(&str) -> Option<String>,
        windows: bool,
    ) -> Styles {
        let utf8 = is_unicode(&environment, windows);
        let value = |name: &str| environment(name).filter(|value| !value.is_empty());
        let term = value("TERM");
        let mut depth = match (value("COLORTERM").as_deref(), term.as_deref()) {
            (_, Some("dumb")) => Depth::None,
            (Some("truecolor" | "24bit"), _) => Depth::True,
            (_, Some(term)) if term.contains("direct") => Depth::True,
            (_, Some(term)) if term.contains("256color") => Depth::Cube,
            // Consoles of Windows have 24 bits since 2017, and no variable that says so.
            (None, None) if windows => Depth::True,
            _ => Depth::Sixteen,
        };
        // Over a slow line the cube costs half the bytes.
        if value("SSH_CONNECTION").is_some() {
            depth = depth.min(Depth::Cube);
        }
        match choice {
            ColorChoice::Never => depth = Depth::None,
            ColorChoice::Auto if value("NO_COLOR").is_some() => depth = Depth::None,
            ColorChoice::Always => depth = depth.max(Depth::Sixteen),
            ColorChoice::Auto => {}
        }
        Styles { depth, ascii: ascii || !utf8, ramp: Ramp::default() }
    }

    /// Whether cells can carry two colours of a heat map.
    pub(crate) fn has_heat(self) -> bool {
        self.depth >= Depth::Cube && !self.ascii
    }

    /// Whether cells can carry a background of a heat map.
    pub(crate) fn has_background(self) -> bool {
        self.depth >= Depth::Cube
    }

    /// The colour of a magnitude from 0 to 1.
    pub(crate) fn heat(self, value: f64) -> Color {
        let value = if value.is_finite() { value.clamp(0.0, 1.0) } else { 0.0 };
        match self.ramp {
            Ramp::Viridis => viridis(value),
            Ramp::Cividis => between(CIVIDIS, value),
            Ramp::Greys => between(GREYS, value),
        }
    }

    /// The set of border symbols.
    pub(crate) fn border_set(self) -> border::Set<'static> {
        if self.ascii { ASCII_BORDER } else { border::PLAIN }
    }

    /// A shade for a magnitude from 0 to 1, where there is no colour for it.
    pub(crate) fn shade(self, value: f64) -> &'static str {
        let ramp: &[&str] =
            if self.ascii { &[".", ":", "-", "=", "+", "*", "%", "#"] } else { &["·", "░", "▒", "▓", "█"] };
        let step = (value.clamp(0.0, 1.0) * ramp.len() as f64) as usize;
        ramp[step.min(ramp.len() - 1)]
    }

    /// Brings a frame down to the terminal's colours and characters.
    pub(crate) fn degrade(self, buffer: &mut Buffer) {
        if self.depth == Depth::True && !self.ascii {
            return;
        }
        for cell in &mut buffer.content {
            cell.fg = self.color(cell.fg);
            cell.bg = self.color(cell.bg);
            if self.ascii && !cell.symbol().is_ascii() {
                let symbol = STAND_INS.iter().find(|(symbol, _)| *symbol == cell.symbol());
                cell.set_symbol(symbol.map_or("?", |(_, ascii)| ascii));
            }
        }
    }

    fn color(self, color: Color) -> Color {
        match (self.depth, color) {
            (Depth::None, _) => Color::Reset,
            (Depth::Cube, Color::Rgb(r, g, b)) => Color::Indexed(cube(r, g, b)),
            (Depth::Sixteen, SKY_BLUE) => Color::Cyan,
            (Depth::Sixteen, ORANGE) => Color::Yellow,
            (Depth::Sixteen, BLUISH_GREEN) => Color::Green,
            (Depth::Sixteen, VERMILION) => Color::Red,
            (Depth::Sixteen, PURPLE) => Color::Magenta,
            (Depth::Sixteen, Color::Rgb(..)) => Color::Reset,
            (_, color) => color,
        }
    }
}

/// The nearest colour of the 6×6×6 cube, whose levels are 0, 95, 135, 175, 215 and 255.
fn cube(r: u8, g: u8, b: u8) -> u8 {
    let level = |value: u8| match value {
        0..48 => 0,
        48..115 => 1,
        _ => (value - 35) / 40,
    };
    16 + 36 * level(r) + 6 * level(g) + level(b)
}

/// Cividis at nine places (Nuñez, Anderton and Renslow, 2018).
const CIVIDIS: &[(u8, u8, u8)] = &[
    (0, 34, 78),
    (18, 53, 112),
    (59, 73, 108),
    (87, 93, 109),
    (112, 113, 115),
    (138, 134, 120),
    (165, 156, 116),
    (195, 179, 105),
    (254, 232, 56),
];
/// Greys that can be seen on black and on white.
const GREYS: &[(u8, u8, u8)] = &[(40, 40, 40), (230, 230, 230)];

/// The colour between the two of a table that a value from 0 to 1 falls between.
fn between(table: &[(u8, u8, u8)], value: f64) -> Color {
    let at = value * (table.len() - 1) as f64;
    let from = (at as usize).min(table.len() - 1);
    let (a, b) = (table[from], table[(from + 1).min(table.len() - 1)]);
    let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * at.fract()).round() as u8;
    Color::Rgb(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

/// The colour of a magnitude from 0 to 1: viridis, by Matt Zucker's polynomial, within 2 % of the table.
fn viridis(value: f64) -> Color {
    const TERMS: [[f64; 3]; 7] = [
        [0.277_727_327_223_417_7, 0.005_407_344_544_966_578, 0.334_099_805_335_306_1],
        [0.105_093_043_108_577_4, 1.404_613_529_898_575, 1.384_590_162_594_685],
        [-0.330_861_828_725_556_3, 0.214_847_559_468_213, 0.095_095_163_028_236_59],
        [-4.634_230_498_983_486, -5.799_100_973_351_585, -19.332_440_956_279_87],
        [6.228_269_936_347_081, 14.179_933_366_805_09, 56.690_552_600_681_05],
        [4.776_384_997_670_288, -13.745_145_377_746_01, -65.353_032_633_372_34],
        [-5.435_455_855_934_631, 4.645_852_612_178_535, 26.312_435_249_583_2],
    ];
    let value = value.clamp(0.0, 1.0);
    let channel = |at: usize| {
        let sum = TERMS.iter().rev().fold(0.0, |sum, term| sum * value + term[at]);
        (sum.clamp(0.0, 1.0) * 255.0).round() as u8
    };
    Color::Rgb(channel(0), channel(1), channel(2))
}

/// Black or white, whichever can be read on `background`.
pub(crate) fn ink(background: Color) -> Color {
    let Color::Rgb(r, g, b) = background else { return Color::Reset };
    // ITU-R BT.601 luma.
    let luma = 299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b);
    if luma > 128_000 { Color::Rgb(0, 0, 0) } else { Color::Rgb(255, 255, 255) }
}

/// The colour of an operand's blocks.
pub(crate) fn role(role: Role) -> Color {
    match role {
        Role::Prefetch => PURPLE,
        Role::Input => SKY_BLUE,
        Role::Output => BLUISH_GREEN,
    }
}

/// The word of a severity.
pub(crate) fn severity(severity: Severity) -> Style {
    match severity {
        Severity::Error => Style::new().fg(VERMILION).add_modifier(Modifier::BOLD),
        Severity::Warning => Style::new().fg(ORANGE).add_modifier(Modifier::BOLD),
        Severity::Info => Style::new().fg(SKY_BLUE),
    }
}

/// How a stage looks: a colour, a texture for bars and a letter, each of which tells it apart by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Texture {
    /// What fills a bar.
    pub(crate) symbol: &'static str,
    /// What stands for it where a cell is a character.
    pub(crate) letter: char,
    color: Color,
}

impl Texture {
    /// The style of both.
    pub(crate) fn style(self) -> Style {
        Style::new().fg(self.color)
    }
}

/// Copies to the kernel.
pub(crate) const COPY_IN: Texture = Texture { symbol: "▒", letter: 'I', color: SKY_BLUE };
/// The kernel.
pub(crate) const COMPUTE: Texture = Texture { symbol: "█", letter: 'C', color: ORANGE };
/// Copies back.
pub(crate) const COPY_OUT: Texture = Texture { symbol: "▓", letter: 'O', color: BLUISH_GREEN };
/// Copies to other devices.
pub(crate) const SEND: Texture = Texture { symbol: "▚", letter: 'S', color: PURPLE };
/// Waiting.
pub(crate) const WAIT: Texture = Texture { symbol: "┄", letter: '.', color: Color::Reset };

/// How a stage looks.
pub(crate) fn stage(stage: Stage) -> Texture {
    match stage {
        Stage::CopyIn => COPY_IN,
        Stage::Compute => COMPUTE,
        Stage::CopyOut => COPY_OUT,
        Stage::Wait => WAIT,
    }
}

/// Less important text. The terminal's own dim, which fits its background.
pub(crate) const DIM: Style = Style::new().add_modifier(Modifier::DIM);
/// Names and titles.
pub(crate) const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
/// The selected line.
pub(crate) const SELECTED: Style = Style::new().add_modifier(Modifier::REVERSED);
/// What a finding points at.
pub(crate) const POINTED: Style = Style::new().add_modifier(Modifier::BOLD).add_modifier(Modifier::UNDERLINED);
/// Work in progress, and states that are not the usual ones.
pub(crate) const ACTIVE: Style = Style::new().fg(ORANGE).add_modifier(Modifier::BOLD);
/// All is well.
pub(crate) const GOOD: Style = Style::new().fg(BLUISH_GREEN).add_modifier(Modifier::BOLD);

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(choice: ColorChoice, variables: &[(&str, &str)]) -> Styles {
        let find = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| value.to_string());
        Styles::detect(choice, false, find, false)
    }

    #[test]
    fn consoles_of_windows_have_colours_and_unicode() {
        let detect = |variables: &'static [(&str, &str)]| {
            let find = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| value.to_string());
            let styles = Styles::detect(ColorChoice::Auto, false, find, true);
            (styles.depth, styles.ascii)
        };
        assert_eq!(detect(&[]), (Depth::True, false));
        assert_eq!(detect(&[("NO_COLOR", "1")]), (Depth::None, false));
        // Terminals that came from Unix say what they are.
        assert_eq!(detect(&[("TERM", "xterm-256color"), ("LANG", "de_DE.UTF-8")]), (Depth::Cube, false));
        assert_eq!(detect(&[("TERM", "cygwin"), ("LANG", "C")]), (Depth::Sixteen, true));
    }

    #[test]
    fn colours_follow_the_environment() {
        let utf8 = ("LANG", "en_US.UTF-8");
        let depth = |choice, variables: &[(&str, &str)]| detect(choice, variables).depth;
        assert_eq!(depth(ColorChoice::Auto, &[utf8, ("TERM", "xterm")]), Depth::Sixteen);
        assert_eq!(depth(ColorChoice::Auto, &[utf8, ("TERM", "xterm-256color")]), Depth::Cube);
        assert_eq!(depth(ColorChoice::Auto, &[("COLORTERM", "truecolor")]), Depth::True);
        assert_eq!(depth(ColorChoice::Auto, &[("COLORTERM", "truecolor"), ("NO_COLOR", "1")]), Depth::None);
        assert_eq!(depth(ColorChoice::Auto, &[("COLORTERM", "truecolor"), ("NO_COLOR", "")]), Depth::True);
        assert_eq!(depth(ColorChoice::Always, &[("COLORTERM", "truecolor"), ("NO_COLOR", "1")]), Depth::True);
        assert_eq!(depth(ColorChoice::Never, &[("COLORTERM", "truecolor")]), Depth::None);
        assert_eq!(depth(ColorChoice::Auto, &[("TERM", "dumb")]), Depth::None);
        assert_eq!(depth(ColorChoice::Auto, &[("COLORTERM", "24bit"), ("SSH_CONNECTION", "a")]), Depth::Cube);
    }

    #[test]
    fn a_locale_that_is_not_utf8_means_ascii() {
        assert!(!detect(ColorChoice::Auto, &[("LANG", "de_DE.utf8")]).ascii);
        assert!(detect(ColorChoice::Auto, &[("LANG", "C")]).ascii);
        assert!(detect(ColorChoice::Auto, &[]).ascii);
        assert!(detect(ColorChoice::Auto, &[("LC_ALL", "C"), ("LANG", "en_US.UTF-8")]).ascii, "LC_ALL wins");
        assert!(!detect(ColorChoice::Auto, &[("LC_ALL", ""), ("LANG", "C.UTF-8")]).ascii, "empty is not set");
    }

    #[test]
    fn viridis_is_viridis() {
        // matplotlib's table at 0, 128 and 255, within 2 %.
        for (value, expected) in [(0.0, (68, 1, 84)), (0.5, (33, 145, 140)), (1.0, (253, 231, 37))] {
            let Color::Rgb(r, g, b) = viridis(value) else { panic!("not RGB") };
            let near = |a: u8, b: i32| (i32::from(a) - b).abs() <= 6;
            assert!(near(r, expected.0) && near(g, expected.1) && near(b, expected.2), "{value}: {r} {g} {b}");
        }
    }

    #[test]
    fn the_cube_has_the_nearest_levels() {
        assert_eq!(cube(0, 0, 0), 16);
        assert_eq!(cube(255, 255, 255), 231);
        assert_eq!(cube(95, 135, 175), 16 + 36 + 12 + 3);
        assert_eq!(cube(115, 114, 154), 16 + 2 * 36 + 6 + 2);
    }

    #[test]
    fn degraded_frames_hold_nothing_that_is_not_there() {
        let mut buffer = Buffer::with_lines(["│·×→é"]);
        buffer.set_style(buffer.area, Style::new().fg(SKY_BLUE).bg(Color::Rgb(1, 2, 3)));
        Styles { depth: Depth::None, ascii: true, ramp: Ramp::Viridis }.degrade(&mut buffer);
        assert_eq!(buffer, Buffer::with_lines(["|-x>?"]));
    }
}
