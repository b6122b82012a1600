//! A block on its array, drawn with characters: a cell is a block, and it says whether any program has it.

use pallas_engine::ir::BlockMap;
use pallas_engine::{Launch, Operand};

/// More cells than this along a dimension are cut off.
const WIDEST: usize = 24;
const HIGHEST: usize = 8;
/// Grids with more programs are not walked through.
const MOST_PROGRAMS: usize = 4096;

/// The drawing; `None` where there is nothing to see: one block only, or blocks that depend on data.
///
/// ```text
/// □ □ □ ·   4 x 4 blocks of 16 x 128
/// □ □ □ ·   ■ program (3, 2)
/// □ □ □ ·   □ another program's
/// □ □ ■ ·   · nobody's
/// ```
pub(crate) fn drawing(launch: &Launch, operand: &Operand) -> Option<String> {
    if !launch.dynamic.is_empty() || operand.array.shape.is_empty() || launch.programs() == 0 {
        return None;
    }
    let counts: Vec<usize> =
        operand.block.iter().zip(operand.array.shape.iter()).map(|(dim, &extent)| dim.blocks(extent)).collect();
    let rank = counts.len();
    // The last two dimensions are drawn; the others stay where the program has them.
    let (rows, columns) = (if rank > 1 { counts[rank - 2] } else { 1 }, counts[rank - 1]);
    if rows * columns < 2 || counts.contains(&0) {
        return None;
    }
    let map = BlockMap::new(operand, launch.grid.len());
    let last: Vec<usize> = launch.grid.iter().map(|extent| extent.saturating_sub(1)).collect();
    let at = map.indices(&last)?;
    let (shown_rows, shown_columns) = (rows.min(HIGHEST), columns.min(WIDEST));
    let mut cells = vec![vec!['·'; shown_columns]; shown_rows];
    let is_whole_grid = launch.programs() <= MOST_PROGRAMS;
    let mark = |cells: &mut Vec<Vec<char>>, indices: &[i64], mark: char| {
        if indices[..rank.saturating_sub(2)] != at[..rank.saturating_sub(2)] {
            return;
        }
        let row = if rank > 1 { indices[rank - 2] } else { 0 };
        let cell = usize::try_from(row).ok().zip(usize::try_from(indices[rank - 1]).ok());
        if let Some((row, column)) = cell
            && let Some(cell) = cells.get_mut(row).and_then(|row| row.get_mut(column))
        {
            *cell = mark;
        }
    };
    if is_whole_grid {
        for program in 0..launch.programs() {
            mark(&mut cells, &map.indices(&launch.program(program))?, '□');
        }
    } else {
        cells.iter_mut().for_each(|row| row.fill('□'));
    }
    mark(&mut cells, &at, '■');
    let size = |sizes: &[usize]| sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(" x ");
    let blocks: Vec<usize> = operand.block.iter().map(|dim| dim.size()).collect();
    let has = |mark: char| cells.iter().flatten().any(|cell| *cell == mark);
    let mut legend = vec![format!("{} blocks of {}", size(&counts), size(&blocks))];
    if has('■') {
        legend.push(format!("■ program {}", crate::launches::tuple(&last)));
    }
    if has('□') {
        legend.push("□ other programs'".to_string());
    }
    if is_whole_grid && has('·') {
        legend.push("· nobody's".to_string());
    }
    let more = (rows > shown_rows, columns > shown_columns);
    let mut lines: Vec<String> = cells
        .iter()
        .map(|row| {
            let cells: Vec<String> = row.iter().map(char::to_string).collect();
            format!("{}{}", cells.join(" "), if more.1 { " …" } else { "" })
        })
        .collect();
    if more.0 {
        lines.push("…".to_string());
    }
    let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or_default();
    while lines.len() < legend.len() {
        lines.push(String::new());
    }
    for (line, said) in lines.iter_mut().zip(&legend) {
        let gap = width - line.chars().count() + 3;
        line.push_str(&" ".repeat(gap));
        line.push_str(said);
    }
    Some(lines.join("\n"))
}
