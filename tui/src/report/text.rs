//! The report as text, for pipes and logs: per launch its grid, its operands with their blocks, the blocks of the first
//! programs, and how much of each output is covered; then the findings.

use crate::app::facts::{OperandFacts, block};
use crate::app::report::{LaunchReport, Report, grouped, plural, tuple};
use pallas_engine::ir::{BlockMap, IndexForm, axis_name};
use pallas_engine::{Launch, Operand, Role};

/// Programs that are listed with their blocks.
const PROGRAMS: usize = 8;

/// The launches of a report. Findings are printed by `render`.
pub(crate) fn text(report: &Report) -> String {
    let mut out = String::new();
    for (at, launch) in report.launches.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        one(report, launch, &mut out);
    }
    if report.launches.is_empty() {
        out.push_str(&format!("{}: no kernel is launched in this file\n", report.source.path));
    }
    out
}

fn one(report: &Report, launch: &LaunchReport, out: &mut String) {
    let call = launch.launch.spans.call;
    out.push_str(&format!("{} ({})\n", launch.launch.kernel.name, report.source_of(call).place(call.start)));
    out.push_str(&format!("  {}\n\n", launch.grid()));
    out.push_str(&table(&operands(&launch.launch)));
    let blocks = blocks(&launch.launch);
    if !blocks.is_empty() {
        out.push('\n');
        out.push_str(&table(&blocks));
        let more = launch.launch.programs().saturating_sub(PROGRAMS);
        if more > 0 {
            out.push_str(&format!("  ... and {}\n", plural(more, "more program")));
        }
    }
    let coverage: Vec<String> = launch
        .launch
        .with_role(Role::Output)
        .map(|(_, operand)| format!("  coverage of {}: {}\n", operand.name, coverage(&launch.launch, operand)))
        .collect();
    if !coverage.is_empty() {
        out.push('\n');
        out.push_str(&coverage.concat());
    }
    if !launch.findings.is_empty() {
        out.push_str(&format!("  {}, below\n", plural(launch.findings.len(), "finding")));
    }
}

/// A line for each operand.
fn operands(launch: &Launch) -> Vec<Vec<String>> {
    let first = launch.program(0);
    let has_programs = launch.programs() > 0;
    let head = ["", "operand", "array", "block", "index map", "each block goes to"];
    let mut rows = vec![head.iter().map(|cell| (*cell).to_string()).collect::<Vec<_>>()];
    for operand in &launch.operands {
        let facts = OperandFacts::new(launch, operand, &first);
        let visits = match (facts.visits, operand.role) {
            _ if !has_programs => "no program".to_string(),
            (None, _) => "depends on data".to_string(),
            (Some(visits), _) if visits.programs == launch.programs() && visits.programs > 1 => {
                "every program".to_string()
            }
            (Some(visits), Role::Output) if visits.in_a_row == Some(false) => {
                format!("{}, not in a row", plural(visits.programs, "program"))
            }
            (Some(visits), _) => plural(visits.programs, "program"),
        };
        rows.push(vec![
            facts.role().to_string(),
            format!("{}:", facts.name),
            facts.array.clone(),
            block(&operand.block),
            format!("block {}", facts.formula),
            visits,
        ]);
    }
    for scratch in &launch.scratch {
        let blank = String::new;
        rows.push(vec!["scratch".to_string(), blank(), scratch.to_string(), blank(), blank(), blank()]);
    }
    rows
}

/// The block indices of the first programs.
fn blocks(launch: &Launch) -> Vec<Vec<String>> {
    let programs = launch.programs().min(PROGRAMS);
    if programs == 0 || launch.operands.is_empty() || launch.grid.is_empty() {
        return Vec::new();
    }
    let axes: Vec<String> = (0..launch.grid.len()).map(axis_name).collect();
    let mut head = vec![format!("program {}", tuple(&axes))];
    head.extend(launch.operands.iter().map(|operand| operand.name.to_string()));
    let maps: Vec<BlockMap<'_>> =
        launch.operands.iter().map(|operand| BlockMap::new(operand, launch.grid.len())).collect();
    let mut rows = vec![head];
    for number in 0..programs {
        let program = launch.program(number);
        let mut row = vec![tuple(&program)];
        row.extend(maps.iter().map(|map| map.indices(&program).map_or("data".to_string(), |i| tuple(&i))));
        rows.push(row);
    }
    rows
}

/// How much of an array the blocks of all programs cover.
fn coverage(launch: &Launch, operand: &Operand) -> String {
    let extents: Vec<usize> =
        operand.block.iter().zip(operand.array.shape.iter()).map(|(dim, &extent)| dim.blocks(extent)).collect();
    let total = extents.iter().fold(1usize, |n, &e| n.saturating_mul(e));
    let map = BlockMap::new(operand, launch.grid.len());
    if launch.programs() == 0 {
        return format!("none of {}", plural(total, "block"));
    }
    match reached(&map, &launch.grid, &extents) {
        Some(reached) if reached == total => format!("all of {}", plural(total, "block")),
        Some(reached) => format!("{} of {}", grouped(reached), plural(total, "block")),
        None => "depends on data, or is not affine".to_string(),
    }
}

/// How many blocks inside the array are reached: by formula, where every index depends on one axis at most, and no axis
/// moves two indices.
fn reached(map: &BlockMap<'_>, grid: &[usize], extents: &[usize]) -> Option<usize> {
    let mut used = vec![false; grid.len()];
    let mut product = 1usize;
    for (form, &extent) in map.dims.iter().zip(extents) {
        let IndexForm::Affine { constant, coefficients } = form else { return None };
        let mut axes = (0..grid.len()).filter(|&axis| coefficients[axis] != 0 && grid[axis] > 1);
        let count = match (axes.next(), axes.next()) {
            (None, _) => usize::from(*constant >= 0 && (*constant as u128) < extent as u128),
            (Some(axis), None) => {
                if std::mem::replace(&mut used[axis], true) {
                    return None;
                }
                inside(*constant, coefficients[axis], grid[axis], extent)
            }
            _ => return None,
        };
        product = product.saturating_mul(count);
    }
    Some(product)
}

/// For how many `p` in `0..programs` the index `constant + factor * p` is in `0..extent`.
fn inside(constant: i64, factor: i64, programs: usize, extent: usize) -> usize {
    let (c, f, n, e) = (i128::from(constant), i128::from(factor), programs as i128, extent as i128);
    // Bounds on p from 0 <= c + f*p <= e - 1, and from the grid.
    let (low, high) = if f > 0 { (-c, e - 1 - c) } else { (c - (e - 1), c) };
    let f = f.abs();
    let first = (low + f - 1).div_euclid(f).max(0);
    let last = high.div_euclid(f).min(n - 1);
    usize::try_from((last - first + 1).max(0)).unwrap_or(usize::MAX)
}

/// Columns as wide as their widest cell, two spaces apart and two from the left.
fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|c| c.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
        text.push_str(format!("  {}", cells.join("  ")).trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::samples;

    #[test]
    fn indices_inside_are_counted_by_formula() {
        for constant in -5..6 {
            for factor in [-3, -1, 1, 2, 4] {
                for programs in [0usize, 1, 2, 7] {
                    for extent in [0usize, 1, 5, 9] {
                        let counted = (0..programs as i64)
                            .filter(|p| (0..extent as i64).contains(&(constant + factor * p)))
                            .count();
                        assert_eq!(
                            inside(constant, factor, programs, extent),
                            counted,
                            "{constant} {factor} {programs} {extent}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_report_of_a_matmul() {
        insta::assert_snapshot!(text(&samples::report()));
    }

    #[test]
    fn launches_without_a_grid_and_with_data() {
        let texts =
            [samples::single(), samples::gather(), samples::add(0)].map(|launch| text(&samples::report_of(launch)));
        insta::assert_snapshot!(texts.join("---\n"));
    }

    #[test]
    fn a_file_without_launches_says_so() {
        let report = Report::made("empty.py", "", Vec::new(), &[]);
        assert_eq!(text(&report), "empty.py: no kernel is launched in this file\n");
    }
}
