//! How findings name programs, parts of arrays and counts, so that all rules speak alike.

use pallas_tensor::Shape;

/// `program (3, 0)`
pub(crate) fn program(ids: &[usize]) -> String {
    format!("program {}", Shape::from(ids))
}

/// `program (3, 0), loop counter 2: `, in front of what is so there; nothing where there are neither ids nor counters. A point has
/// the ids along the axes of the grid, then counters.
pub(crate) fn at(axes: usize, point: &[i64]) -> String {
    let (ids, counters) = point.split_at(axes.min(point.len()));
    let ids: Vec<usize> = ids.iter().map(|&id| usize::try_from(id).unwrap_or(0)).collect();
    let mut places = if ids.is_empty() { Vec::new() } else { vec![program(&ids)] };
    places.extend(counters.iter().map(|counter| format!("loop counter {counter}")));
    if places.is_empty() { String::new() } else { format!("{}: ", places.join(", ")) }
}

/// `rows 96..128`, `column 3`, `elements 0..4`, `positions 2..3 along dimension 2`: what an array of `rank` dimensions
/// has along `axis`.
pub(crate) fn part(axis: usize, rank: usize, start: i64, end: i64) -> String {
    let name = match (rank, axis) {
        (1, 0) => "element",
        (2, 0) => "row",
        (2, 1) => "column",
        _ => "position",
    };
    let range = match end.checked_sub(start) {
        Some(1) => format!("{name} {start}"),
        _ => format!("{name}s {start}..{end}"),
    };
    match rank {
        1 | 2 => range,
        _ => format!("{range} along dimension {axis}"),
    }
}

/// `rows 96..128 of x, which has 64`
pub(crate) fn part_of(axis: usize, rank: usize, (start, end): (i64, i64), name: &str, extent: usize) -> String {
    format!("{} of {name}, which has {extent}", part(axis, rank, start, end))
}

/// `1 block`, `3 blocks`
pub(crate) fn count(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

/// `512 bytes`, `1.5 MiB`
pub(crate) fn bytes(number: usize) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let mut value = number as f64;
    let mut unit = None;
    while value >= 1024.0 && unit.is_none_or(|unit| unit + 1 < UNITS.len()) {
        value /= 1024.0;
        unit = Some(unit.map_or(0, |unit: usize| unit + 1));
    }
    match unit {
        None => count(number, "byte"),
        Some(unit) if value.fract() == 0.0 => format!("{value:.0} {}", UNITS[unit]),
        Some(unit) => format!("{value:.1} {}", UNITS[unit]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_arrays() {
        assert_eq!(part_of(0, 2, (96, 128), "x", 64), "rows 96..128 of x, which has 64");
        assert_eq!(part(1, 2, 3, 4), "column 3");
        assert_eq!(part(0, 1, -4, 0), "elements -4..0");
        assert_eq!(part(2, 3, 1, 2), "position 1 along dimension 2");
        assert_eq!(program(&[3]), "program (3,)");
        assert_eq!(program(&[]), "program ()");
        assert_eq!(count(1, "block"), "1 block");
        assert_eq!(count(0, "block"), "0 blocks");
        assert_eq!([512, 1536, 16 << 20].map(bytes), ["512 bytes", "1.5 KiB", "16 MiB"]);
    }
}
