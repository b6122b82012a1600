//! Numbers as people read them: three digits and a unit; and tables.

/// `12.3 µs` of nanoseconds.
pub(crate) fn time(nanoseconds: f64) -> String {
    const UNITS: [(&str, f64); 4] = [("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1.0)];
    let (unit, size) = UNITS.iter().find(|(_, size)| nanoseconds.abs() >= *size * 0.9995).unwrap_or(&("ns", 1.0));
    format!("{} {unit}", digits(nanoseconds / size))
}

/// `1.05 MB`, in powers of 1000 as bandwidths are.
pub(crate) fn bytes(count: u64) -> String {
    scaled(count as f64, "B")
}

/// `8.19 kFLOP`
pub(crate) fn flops(count: u64) -> String {
    scaled(count as f64, "FLOP")
}

/// A number with a prefix before its unit.
pub(crate) fn scaled(number: f64, unit: &str) -> String {
    const PREFIXES: [(&str, f64); 6] = [("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3), ("", 1.0)];
    let (prefix, size) = PREFIXES.iter().find(|(_, size)| number.abs() >= *size * 0.9995).unwrap_or(&("", 1.0));
    format!("{} {prefix}{unit}", digits(number / size))
}

/// `97.2 %`
pub(crate) fn percent(share: f64) -> String {
    format!("{} %", digits(share * 100.0))
}

/// Three digits, without zeros that say nothing.
pub(crate) fn digits(number: f64) -> String {
    let size = number.abs();
    let text = if size >= 99.95 {
        format!("{number:.0}")
    } else if size >= 9.995 {
        format!("{number:.1}")
    } else {
        format!("{number:.2}")
    };
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

/// Columns as wide as their widest cell, two spaces apart; numbers stand to the right.
pub(crate) fn table(rows: &[Vec<String>], right: &[usize]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(
                |(at, (cell, &width))| {
                    if right.contains(&at) { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
                },
            )
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_three_digits_and_their_unit() {
        assert_eq!(time(12_345.0), "12.3 µs");
        assert_eq!(time(0.0), "0 ns");
        assert_eq!(time(999.9), "1 µs");
        assert_eq!(time(2_500_000_000.0), "2.5 s");
        assert_eq!(bytes(1_048_576), "1.05 MB");
        assert_eq!(bytes(12), "12 B");
        assert_eq!(flops(2_147_483_648), "2.15 GFLOP");
        assert_eq!(percent(0.75), "75 %");
        assert_eq!(percent(0.0312), "3.12 %");
    }
}
