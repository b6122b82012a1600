//! The map of a grid: which program stands where on the screen. Two axes are drawn, the others are held at the cursor's
//! slice; a grid with one axis is laid out line by line. Where there are more programs than cells, a cell stands for
//! several. Pure arithmetic: costs nothing for a grid of any size.

use super::Size;

/// How a cell is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellShape {
    /// A tile with its label: so many columns and lines, a gap after it included.
    Tile {
        /// Columns from one tile to the next.
        pitch: usize,
        /// Lines from one tile to the next.
        lines: usize,
    },
    /// Two columns, one line: about a square.
    Square,
    /// One column, half a line: the most that a terminal can show.
    Half,
    /// One column, one line, for terminals without colours.
    Single,
}

/// Which axes are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drawn {
    /// None: one program.
    Nothing,
    /// One axis, laid out line by line.
    Line(usize),
    /// Two axes.
    Plane {
        /// The axis that goes down.
        down: usize,
        /// The axis that goes right.
        right: usize,
    },
}

/// What the map is made for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    /// The grid.
    pub(crate) grid: &'a [usize],
    /// The cursor.
    pub(crate) program: &'a [usize],
    /// Which pair of axes, of those with more than one program.
    pub(crate) pair: usize,
    /// Columns and lines for the map with its rulers.
    pub(crate) size: Size,
    /// Columns that a label takes.
    pub(crate) label: usize,
    /// Whether half cells can be drawn.
    pub(crate) halves: bool,
    /// Halvings of what a cell stands for, from the whole grid on.
    pub(crate) zoom: u32,
}

/// The map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Map {
    /// Which axes.
    pub(crate) drawn: Drawn,
    /// Programs down and right.
    pub(crate) extent: (usize, usize),
    /// Programs in all; the last line of a [`Drawn::Line`] may be shorter.
    total: usize,
    /// How cells are drawn.
    pub(crate) shape: CellShape,
    /// Programs that a cell stands for, down and right.
    pub(crate) per_cell: (usize, usize),
    /// The first cell on the screen, down and right.
    pub(crate) origin: (usize, usize),
    /// Cells on the screen, down and right.
    pub(crate) cells: (usize, usize),
    /// Columns of the ruler on the left.
    pub(crate) ruler: usize,
    /// The cursor, whose ids stand for the axes that are not drawn.
    program: Vec<usize>,
}

/// Axes with more than one program.
pub(crate) fn moving_axes(grid: &[usize]) -> Vec<usize> {
    (0..grid.len()).filter(|&axis| grid[axis] > 1).collect()
}

/// The pairs of axes that can be drawn, in order.
pub(crate) fn pairs(grid: &[usize]) -> Vec<(usize, usize)> {
    let moving = moving_axes(grid);
    let mut pairs = Vec::new();
    for (at, &down) in moving.iter().enumerate() {
        pairs.extend(moving[at + 1..].iter().map(|&right| (down, right)));
    }
    pairs
}

/// Which axes are drawn of a grid.
pub(crate) fn drawn(grid: &[usize], pair: usize) -> Drawn {
    let pairs = pairs(grid);
    match (pairs.get(pair % pairs.len().max(1)), moving_axes(grid).first()) {
        (Some(&(down, right)), _) => Drawn::Plane { down, right },
        (None, Some(&axis)) => Drawn::Line(axis),
        (None, None) => Drawn::Nothing,
    }
}

fn digits(number: usize) -> usize {
    number.max(1).ilog10() as usize + 1
}

impl Map {
    /// The map for a request; `None` where there is no program, or no room for a single cell.
    pub(crate) fn new(request: &Request<'_>) -> Option<Map> {
        let grid = request.grid;
        if grid.contains(&0) || request.program.len() != grid.len() {
            return None;
        }
        let drawn = drawn(grid, request.pair);
        let rows_for_ruler = match drawn {
            Drawn::Nothing => 1,
            Drawn::Line(axis) => grid[axis],
            Drawn::Plane { down, .. } => grid[down],
        };
        let ruler = digits(rows_for_ruler - 1) + 1;
        let width = (request.size.width as usize).checked_sub(ruler).filter(|&w| w > 0)?;
        let height = (request.size.height as usize).checked_sub(1).filter(|&h| h > 0)?;
        let (extent, total, shape, fit) = match drawn {
            Drawn::Nothing => plane((1, 1), width, height, request),
            Drawn::Plane { down, right } => plane((grid[down], grid[right]), width, height, request),
            Drawn::Line(axis) => line(grid[axis], width, height, request),
        };
        let per_cell = (zoomed(fit.0, request.zoom), zoomed(fit.1, request.zoom));
        let whole = (extent.0.div_ceil(per_cell.0), extent.1.div_ceil(per_cell.1));
        let room = match shape {
            CellShape::Tile { pitch, lines } => (height / lines, width / pitch),
            CellShape::Square => (height, width / 2),
            CellShape::Half => (height * 2, width),
            CellShape::Single => (height, width),
        };
        let cells = (whole.0.min(room.0), whole.1.min(room.1));
        let mut map = Map {
            drawn,
            extent,
            total,
            shape,
            per_cell,
            origin: (0, 0),
            cells,
            ruler,
            program: request.program.to_vec(),
        };
        let (row, column) = map.cell_of(request.program);
        let origin = |cell: usize, cells: usize, whole: usize| cell.saturating_sub(cells / 2).min(whole - cells);
        map.origin = (origin(row, cells.0, whole.0), origin(column, cells.1, whole.1));
        (cells.0 > 0 && cells.1 > 0).then_some(map)
    }

    /// Where a program stands, in programs down and right.
    pub(crate) fn position(&self, program: &[usize]) -> (usize, usize) {
        let id = |axis: usize| program.get(axis).copied().unwrap_or(0);
        match self.drawn {
            Drawn::Nothing => (0, 0),
            Drawn::Line(axis) => (id(axis) / self.extent.1, id(axis) % self.extent.1),
            Drawn::Plane { down, right } => (id(down), id(right)),
        }
    }

    /// The program at a position, in programs down and right; the axes that are not drawn are the cursor's.
    pub(crate) fn program(&self, (row, column): (usize, usize)) -> Option<Vec<usize>> {
        if row >= self.extent.0 || column >= self.extent.1 {
            return None;
        }
        let mut program = self.program.clone();
        match self.drawn {
            Drawn::Nothing => {}
            Drawn::Line(axis) => {
                let number = row.saturating_mul(self.extent.1).saturating_add(column);
                if number >= self.total {
                    return None;
                }
                program[axis] = number;
            }
            Drawn::Plane { down, right } => {
                program[down] = row;
                program[right] = column;
            }
        }
        Some(program)
    }

    /// The cell that a program is in.
    pub(crate) fn cell_of(&self, program: &[usize]) -> (usize, usize) {
        let (row, column) = self.position(program);
        (row / self.per_cell.0, column / self.per_cell.1)
    }

    /// The first program of a cell.
    pub(crate) fn first_in(&self, (row, column): (usize, usize)) -> Option<Vec<usize>> {
        self.program((row.checked_mul(self.per_cell.0)?, column.checked_mul(self.per_cell.1)?))
    }

    /// The cell at a place on the screen: columns and lines from the first cell's.
    pub(crate) fn cell_at(&self, x: usize, y: usize) -> Option<(usize, usize)> {
        let (row, column) = match self.shape {
            CellShape::Tile { pitch, lines } => (y / lines.max(1), x / pitch.max(1)),
            CellShape::Square => (y, x / 2),
            CellShape::Half => (y * 2, x),
            CellShape::Single => (y, x),
        };
        (row < self.cells.0 && column < self.cells.1).then(|| (self.origin.0 + row, self.origin.1 + column))
    }

    /// The map without the cursor, as far as it does not hold a slice: equal for all cursors that see the same cells.
    pub(crate) fn pinned(&self) -> Map {
        let mut map = self.clone();
        match self.drawn {
            Drawn::Nothing => {}
            Drawn::Line(axis) => map.program[axis] = 0,
            Drawn::Plane { down, right } => {
                map.program[down] = 0;
                map.program[right] = 0;
            }
        }
        map
    }

    /// Whether a program is drawn: it is in the cursor's slice.
    pub(crate) fn shows(&self, program: &[usize]) -> bool {
        let drawn = |axis: usize| match self.drawn {
            Drawn::Nothing => false,
            Drawn::Line(at) => at == axis,
            Drawn::Plane { down, right } => down == axis || right == axis,
        };
        program.len() == self.program.len()
            && (0..program.len()).all(|axis| drawn(axis) || program[axis] == self.program[axis])
    }

    /// Whether a cell stands for more than one program.
    pub(crate) fn is_coarse(&self) -> bool {
        self.per_cell != (1, 1)
    }

    /// Whether the whole plane is on the screen.
    pub(crate) fn is_whole(&self) -> bool {
        self.cells.0.saturating_mul(self.per_cell.0) >= self.extent.0
            && self.cells.1.saturating_mul(self.per_cell.1) >= self.extent.1
    }
}

/// `fit` halved `zoom` times, at least 1.
fn zoomed(fit: usize, zoom: u32) -> usize {
    fit.checked_shr(zoom).unwrap_or(0).max(1)
}

/// The next number that grids like to be divided by: 1, 2, 3, 4, 6, 8, 12, 16, 24, ...
fn round_up(number: usize) -> usize {
    let Some(power) = number.max(1).checked_next_power_of_two() else { return number };
    let below = power / 4 * 3;
    if below >= number.max(1) { below } else { power }
}

type Fitted = ((usize, usize), usize, CellShape, (usize, usize));

/// The largest cells with which so many programs down and right fit.
fn plane(extent: (usize, usize), width: usize, height: usize, request: &Request<'_>) -> Fitted {
    let (rows, columns) = extent;
    let total = rows.saturating_mul(columns);
    let tile = request.label + 3;
    if rows <= height && columns <= width / tile {
        return (extent, total, tiles(extent, width, height, tile), (1, 1));
    }
    if rows <= height && columns <= width / 2 {
        return (extent, total, CellShape::Square, (1, 1));
    }
    let (shape, lines) = if request.halves { (CellShape::Half, height * 2) } else { (CellShape::Single, height) };
    (extent, total, shape, (round_up(rows.div_ceil(lines)), round_up(columns.div_ceil(width))))
}

/// Tiles that grow with the room that there is, but not out of proportion.
fn tiles((rows, columns): (usize, usize), width: usize, height: usize, least: usize) -> CellShape {
    let lines = (height / rows).clamp(1, 5);
    let pitch = (width / columns).clamp(least, least.max(lines * 4 + 1));
    CellShape::Tile { pitch, lines }
}

/// One axis, line by line; lines hold a round number of programs.
fn line(total: usize, width: usize, height: usize, request: &Request<'_>) -> Fitted {
    let round = |fits: usize| if fits > 8 { fits / 8 * 8 } else { fits };
    let tile = request.label + 3;
    for (cell, shape) in [(tile, CellShape::Tile { pitch: tile, lines: 1 }), (2, CellShape::Square)] {
        let fits = width / cell;
        let columns = if total <= fits { total } else { round(fits) };
        if columns > 0 && total.div_ceil(columns) <= height {
            let rows = total.div_ceil(columns);
            let shape = match shape {
                CellShape::Tile { .. } => tiles((rows, columns), width, height, tile),
                other => other,
            };
            return ((rows, columns), total, shape, (1, 1));
        }
    }
    let (shape, lines) = if request.halves { (CellShape::Half, height * 2) } else { (CellShape::Single, height) };
    let cells = round(width).max(1);
    let per_cell = round_up(total.div_ceil(cells.saturating_mul(lines)));
    let columns = cells.saturating_mul(per_cell);
    ((total.div_ceil(columns), columns), total, shape, (1, per_cell))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(grid: &[usize], program: &[usize], width: u16, height: u16) -> Map {
        let request = Request { grid, program, pair: 0, size: Size { width, height }, label: 3, halves: true, zoom: 0 };
        Map::new(&request).expect("there is room")
    }

    #[test]
    fn small_grids_have_tiles_and_large_ones_share_cells() {
        assert!(matches!(map(&[4, 2], &[0, 0], 50, 16).shape, CellShape::Tile { lines: 3, .. }));
        assert_eq!(map(&[16, 24], &[0, 0], 60, 18).shape, CellShape::Square);
        assert_eq!(map(&[30, 50], &[0, 0], 60, 18).shape, CellShape::Half);
        let huge = map(&[4096, 4096], &[0, 0], 69, 33);
        assert_eq!((huge.shape, huge.per_cell, huge.cells), (CellShape::Half, (64, 64), (64, 64)));
        assert!(huge.is_coarse() && huge.is_whole());
    }

    #[test]
    fn every_program_has_its_place() {
        for grid in [&[7usize, 5][..], &[100], &[1], &[], &[3, 1, 4], &[2, 3, 4], &[1, 9, 1]] {
            for (width, height) in [(60, 20), (12, 5), (9, 3)] {
                let total: usize = grid.iter().product();
                for number in 0..total {
                    let mut program = vec![0; grid.len()];
                    let mut rest = number;
                    for (id, &extent) in program.iter_mut().zip(grid).rev() {
                        *id = rest % extent;
                        rest /= extent;
                    }
                    let map = map(grid, &program, width, height);
                    assert_eq!(map.program(map.position(&program)).as_ref(), Some(&program), "{grid:?}");
                    let (row, column) = map.cell_of(&program);
                    assert!((map.origin.0..map.origin.0 + map.cells.0).contains(&row), "{grid:?} {program:?}");
                    assert!((map.origin.1..map.origin.1 + map.cells.1).contains(&column), "{grid:?} {program:?}");
                }
            }
        }
    }

    #[test]
    fn no_size_and_no_grid_is_too_much() {
        for grid in [&[usize::MAX][..], &[usize::MAX, usize::MAX], &[1, usize::MAX, 2], &[0], &[0, 5], &[]] {
            for width in 0..40 {
                for height in 0..12 {
                    for zoom in [0, 3, 200] {
                        let program: Vec<usize> = grid.iter().map(|&extent| extent.saturating_sub(1)).collect();
                        let request = Request {
                            grid,
                            program: &program,
                            pair: 0,
                            size: Size { width, height },
                            label: 20,
                            halves: width % 2 == 0,
                            zoom,
                        };
                        let Some(map) = Map::new(&request) else { continue };
                        for row in 0..map.cells.0.min(30) {
                            map.first_in((map.origin.0 + row, map.origin.1));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn pairs_of_axes_leave_out_those_with_one_program() {
        assert_eq!(pairs(&[4, 1, 2, 8]), [(0, 2), (0, 3), (2, 3)]);
        assert_eq!(drawn(&[4, 1], 3), Drawn::Line(0));
        assert_eq!(drawn(&[1, 1], 0), Drawn::Nothing);
        assert_eq!(drawn(&[2, 3, 4], 4), Drawn::Plane { down: 0, right: 2 });
    }
}
