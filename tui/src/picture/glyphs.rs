//! Symbols that are shapes rather than letters: blocks, eighths, shades, quadrants, Braille, lines of borders. Each is a
//! few boxes within a cell.

/// The width of a cell.
pub(super) const CELL: usize = 9;
/// Its height.
pub(super) const LINE: usize = 18;

/// A box: left, top, right, bottom.
type Box4 = (usize, usize, usize, usize);

/// A symbol as boxes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) boxes: Vec<Box4>,
    /// How much they cover, in percent.
    pub(super) opacity: u8,
}

/// Sides of a cell that a line goes to.
const LEFT: u8 = 1;
const RIGHT: u8 = 2;
const UP: u8 = 4;
const DOWN: u8 = 8;
/// Twice as thick.
const BOLD: u8 = 16;

/// Lines of borders. Round corners are drawn as square ones.
const LINES: &[(&str, u8)] = &[
    ("─", LEFT | RIGHT),
    ("│", UP | DOWN),
    ("┌", RIGHT | DOWN),
    ("╭", RIGHT | DOWN),
    ("┐", LEFT | DOWN),
    ("╮", LEFT | DOWN),
    ("└", RIGHT | UP),
    ("╰", RIGHT | UP),
    ("┘", LEFT | UP),
    ("╯", LEFT | UP),
    ("├", UP | DOWN | RIGHT),
    ("┤", UP | DOWN | LEFT),
    ("┬", LEFT | RIGHT | DOWN),
    ("┴", LEFT | RIGHT | UP),
    ("┼", LEFT | RIGHT | UP | DOWN),
    ("╴", LEFT),
    ("╵", UP),
    ("╶", RIGHT),
    ("╷", DOWN),
    ("━", LEFT | RIGHT | BOLD),
    ("┃", UP | DOWN | BOLD),
    ("┏", RIGHT | DOWN | BOLD),
    ("┓", LEFT | DOWN | BOLD),
    ("┗", RIGHT | UP | BOLD),
    ("┛", LEFT | UP | BOLD),
    ("┣", UP | DOWN | RIGHT | BOLD),
    ("┫", UP | DOWN | LEFT | BOLD),
    ("┳", LEFT | RIGHT | DOWN | BOLD),
    ("┻", LEFT | RIGHT | UP | BOLD),
    ("╋", LEFT | RIGHT | UP | DOWN | BOLD),
];

/// Quadrants: upper left, upper right, lower left, lower right.
const QUADRANTS: &[(&str, [bool; 4])] = &[
    ("▘", [true, false, false, false]),
    ("▝", [false, true, false, false]),
    ("▖", [false, false, true, false]),
    ("▗", [false, false, false, true]),
    ("▚", [true, false, false, true]),
    ("▞", [false, true, true, false]),
    ("▙", [true, false, true, true]),
    ("▛", [true, true, true, false]),
    ("▜", [true, true, false, true]),
    ("▟", [false, true, true, true]),
];

/// The boxes of a symbol; `None` for letters.
pub(super) fn shape(symbol: &str) -> Option<Shape> {
    let mut letters = symbol.chars();
    let (Some(letter), None) = (letters.next(), letters.next()) else { return None };
    let solid = |boxes: Vec<Box4>| Some(Shape { boxes, opacity: 100 });
    let code = letter as usize;
    match letter {
        // Lower eighths up to the full block, then left eighths down to one.
        '▁'..='█' => solid(vec![(0, LINE - rounded(LINE, code - 0x2580), CELL, LINE)]),
        '▉'..='▏' => solid(vec![(0, 0, rounded(CELL, 0x2590 - code), LINE)]),
        '▀' => solid(vec![(0, 0, CELL, LINE / 2)]),
        '▐' => solid(vec![(CELL / 2, 0, CELL, LINE)]),
        '▔' => solid(vec![(0, 0, CELL, rounded(LINE, 1))]),
        '▕' => solid(vec![(CELL - 1, 0, CELL, LINE)]),
        '░' | '▒' | '▓' => {
            let opacity = [25, 50, 75][code - 0x2591];
            Some(Shape { boxes: vec![(0, 0, CELL, LINE)], opacity })
        }
        '\u{2801}'..='\u{28ff}' => solid(braille(code - 0x2800)),
        _ => {
            let line = LINES.iter().find(|(known, _)| *known == symbol).map(|(_, sides)| lines(*sides));
            let quadrant = || QUADRANTS.iter().find(|(known, _)| *known == symbol).map(|(_, parts)| quadrants(*parts));
            solid(line.or_else(quadrant)?)
        }
    }
}

/// So many eighths of an extent.
fn rounded(extent: usize, eighths: usize) -> usize {
    (extent * eighths + 4) / 8
}

fn lines(sides: u8) -> Vec<Box4> {
    let thick = if sides & BOLD == 0 { 1 } else { 2 };
    let (x, y) = (CELL / 2, LINE / 2);
    let mut boxes = Vec::new();
    // Lines reach over the middle, so that corners are closed.
    let (from, to) = (if sides & LEFT == 0 { x } else { 0 }, if sides & RIGHT == 0 { x + thick } else { CELL });
    if sides & (LEFT | RIGHT) != 0 {
        boxes.push((from, y, to, y + thick));
    }
    let (from, to) = (if sides & UP == 0 { y } else { 0 }, if sides & DOWN == 0 { y + thick } else { LINE });
    if sides & (UP | DOWN) != 0 {
        boxes.push((x, from, x + thick, to));
    }
    boxes
}

fn quadrants(parts: [bool; 4]) -> Vec<Box4> {
    let (x, y) = (CELL / 2, LINE / 2);
    let boxes = [(0, 0, x, y), (x, 0, CELL, y), (0, y, x, LINE), (x, y, CELL, LINE)];
    boxes.into_iter().zip(parts).filter(|(_, part)| *part).map(|(part, _)| part).collect()
}

/// Dots: the first three rows of the left and the right column, then the last row.
fn braille(dots: usize) -> Vec<Box4> {
    const PLACES: [(usize, usize); 8] = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)];
    let dot = |&(column, row): &(usize, usize)| {
        let (x, y) = (1 + column * 5, 1 + row * 4 + row / 2);
        (x, y, x + 2, y + 2)
    };
    PLACES.iter().enumerate().filter(|(bit, _)| dots >> bit & 1 == 1).map(|(_, place)| dot(place)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_stay_in_their_cell() {
        for code in (0x2500..0x25a0).chain(0x2800..0x2900) {
            let symbol = char::from_u32(code).expect("a character").to_string();
            for (left, top, right, bottom) in shape(&symbol).map_or(Vec::new(), |shape| shape.boxes) {
                assert!(left < right && right <= CELL && top < bottom && bottom <= LINE, "{symbol}");
            }
        }
    }

    #[test]
    fn eighths_grow() {
        let area = |symbol: &str| {
            let shape = shape(symbol).unwrap_or_else(|| panic!("{symbol} is a shape"));
            shape.boxes.iter().map(|(left, top, right, bottom)| (right - left) * (bottom - top)).sum::<usize>()
        };
        for ladder in ["▁▂▃▄▅▆▇█", "▏▎▍▌▋▊▉█"] {
            let areas: Vec<usize> = ladder.chars().map(|symbol| area(&symbol.to_string())).collect();
            assert!(areas.windows(2).all(|pair| pair[0] < pair[1]), "{ladder}: {areas:?}");
            assert_eq!(areas[7], CELL * LINE);
        }
        assert_eq!(area("▀"), area("▄"));
        assert_eq!(shape("x"), None);
        assert_eq!(shape("ab"), None);
    }
}
