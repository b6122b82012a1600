//! When the block of an operand moves, as the programs of a grid run in row-major order. From one program to the next one
//! axis goes up by one and all axes behind it start again; under an affine index map whether the block moves depends on
//! that axis alone, so that millions of programs are described by one answer per axis.

use pallas_ir::{BlockMap, IndexForm, Launch, MemorySpace, Operand, Role};

/// Index maps that are no formula are evaluated for so many programs at most.
pub const MOST_EVALUATED: usize = 1 << 15;

/// The programs of a grid in row-major order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    grid: Vec<usize>,
    /// Per axis: programs between two changes of its id.
    inner: Vec<usize>,
    programs: usize,
}

impl Order {
    /// The order of a grid.
    pub fn new(grid: &[usize]) -> Order {
        let mut inner = vec![1usize; grid.len()];
        for axis in (0..grid.len().saturating_sub(1)).rev() {
            inner[axis] = inner[axis + 1].saturating_mul(grid[axis + 1]);
        }
        let programs = grid.iter().fold(1usize, |n, &extent| n.saturating_mul(extent));
        Order { grid: grid.to_vec(), inner, programs }
    }

    /// Extents.
    pub fn grid(&self) -> &[usize] {
        &self.grid
    }

    /// How many programs there are.
    pub fn programs(&self) -> usize {
        self.programs
    }

    /// Programs between two changes of the id along an axis.
    pub fn inner(&self, axis: usize) -> usize {
        self.inner.get(axis).copied().unwrap_or(1)
    }

    /// The id along an axis of the program with this number.
    pub fn id(&self, axis: usize, number: usize) -> usize {
        number / self.inner(axis) % self.grid[axis].max(1)
    }

    /// The axis along which program `number` follows the one before it. `number` is not 0.
    pub fn axis_into(&self, number: usize) -> usize {
        (0..self.grid.len()).find(|&axis| number.is_multiple_of(self.inner[axis])).unwrap_or(0)
    }

    /// How many of the steps into programs `1..=number` go along an axis.
    pub fn steps_along(&self, axis: usize, number: usize) -> usize {
        let outer = if axis == 0 { 0 } else { number / self.inner[axis - 1] };
        number / self.inner[axis] - outer
    }
}

/// When the block moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moves {
    /// It stays where it is.
    Never,
    /// With every program. Also where that is not known: it is the most that can be copied.
    Every,
    /// With steps along some axes: one answer per axis of the grid.
    Along(Vec<bool>),
    /// Program by program: whether its block is another one than the program's before it.
    Listed(Vec<bool>),
}

/// Why it is not known when a block moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assumed {
    /// The index map, or the grid, depends on data.
    DependsOnData,
    /// The index map is no formula of the program ids, and the grid too large to evaluate it for each.
    TooManyPrograms,
}

impl Moves {
    /// When the block of `operand` moves; and why that is only assumed, where it is.
    pub fn of(launch: &Launch, operand: &Operand) -> (Moves, Option<Assumed>) {
        if operand.role == Role::Prefetch || operand.index_map.is_none() {
            return (Moves::Never, None);
        }
        let map = BlockMap::new(operand, launch.grid.len());
        // An extent that is not known changes by how much an axis falls back, not whether the id moves: one is as good as
        // any where the axis does not matter, and unknown where it does.
        let dynamic = launch.dynamic.iter().any(|&axis| map.depends_on(axis) != Some(false));
        if map.is_affine() && !dynamic {
            return (along(&map.dims, &launch.grid), None);
        }
        if !map.is_known() || !launch.dynamic.is_empty() {
            return (Moves::Every, Some(Assumed::DependsOnData));
        }
        let programs = launch.programs();
        if programs > MOST_EVALUATED {
            return (Moves::Every, Some(Assumed::TooManyPrograms));
        }
        match listed(launch, &map, programs) {
            Some(moves) => (moves, None),
            None => (Moves::Every, Some(Assumed::DependsOnData)),
        }
    }

    /// Whether program `number` has another block than the one before it. `number` is not 0.
    pub fn into_program(&self, order: &Order, number: usize) -> bool {
        match self {
            Moves::Never => false,
            Moves::Every => true,
            Moves::Along(axes) => axes.get(order.axis_into(number)).copied().unwrap_or(false),
            Moves::Listed(moved) => moved.get(number).copied().unwrap_or(true),
        }
    }

    /// Whether a step along this axis moves the block; `None` where that is not a question of the axis.
    pub fn along(&self, axis: usize) -> Option<bool> {
        match self {
            Moves::Never => Some(false),
            Moves::Every => Some(true),
            Moves::Along(axes) => Some(axes.get(axis).copied().unwrap_or(false)),
            Moves::Listed(_) => None,
        }
    }

    /// How often the block moves until program `number` has it: the number of its block in the order of copies.
    pub fn until(&self, order: &Order, number: usize) -> usize {
        match self {
            Moves::Never => 0,
            Moves::Every => number,
            Moves::Along(axes) => {
                let moving = axes.iter().enumerate().filter(|(_, moves)| **moves);
                moving.map(|(axis, _)| order.steps_along(axis, number)).sum()
            }
            Moves::Listed(moved) => moved.iter().take(number + 1).skip(1).filter(|moved| **moved).count(),
        }
    }

    /// How many blocks are copied for a whole grid.
    pub fn copies(&self, order: &Order) -> usize {
        match order.programs() {
            0 => 0,
            programs => self.until(order, programs - 1) + 1,
        }
    }
}

/// Whether blocks of operands in this space are brought on chip by the pipeline. Others stay where they are, and the
/// kernel copies what it wants.
pub fn is_copied(space: MemorySpace) -> bool {
    !matches!(
        space,
        MemorySpace::Any | MemorySpace::Hbm | MemorySpace::Gmem | MemorySpace::Semaphore | MemorySpace::Host
    )
}

/// A step along an axis adds the axis's coefficient, and takes back what the axes behind it had added up.
fn along(dims: &[IndexForm], grid: &[usize]) -> Moves {
    let moves = |axis: usize| {
        dims.iter().filter_map(IndexForm::coefficients).any(|row| {
            let behind = (axis + 1..grid.len())
                .map(|other| i128::from(row[other]) * (grid[other].max(1) as i128 - 1))
                .sum::<i128>();
            i128::from(row[axis]) != behind
        })
    };
    let axes: Vec<bool> = (0..grid.len()).map(|axis| grid[axis] > 1 && moves(axis)).collect();
    if axes.contains(&true) { Moves::Along(axes) } else { Moves::Never }
}

fn listed(launch: &Launch, map: &BlockMap<'_>, programs: usize) -> Option<Moves> {
    let mut last = None;
    let mut moved = Vec::with_capacity(programs);
    for number in 0..programs {
        let indices = map.indices(&launch.program(number))?;
        moved.push(last.as_ref() != Some(&indices));
        last = Some(indices);
    }
    Some(if moved.iter().skip(1).any(|moved| *moved) { Moves::Listed(moved) } else { Moves::Never })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_counted_as_they_are_taken() {
        for grid in [vec![], vec![5], vec![3, 4], vec![1, 4], vec![4, 1], vec![2, 1, 3], vec![2, 3, 2]] {
            let order = Order::new(&grid);
            let mut counts = vec![0; grid.len()];
            for number in 1..order.programs() {
                let differs = (0..grid.len()).find(|&axis| order.id(axis, number) != order.id(axis, number - 1));
                assert_eq!(Some(order.axis_into(number)), differs, "{grid:?} {number}");
                counts[order.axis_into(number)] += 1;
                let found: Vec<usize> = (0..grid.len()).map(|axis| order.steps_along(axis, number)).collect();
                assert_eq!(found, counts, "{grid:?} {number}");
            }
        }
    }

    #[test]
    fn moves_along_axes_are_those_that_a_search_finds() {
        let form = |coefficients: &[i64]| IndexForm::Affine { constant: 1, coefficients: coefficients.to_vec() };
        let grid = [3, 2, 4];
        let order = Order::new(&grid);
        let cases: &[&[&[i64]]] = &[
            &[&[1, 0, 0]],
            &[&[0, 1, 0], &[0, 0, 1]],
            &[&[0, 0, 0]],
            &[&[8, 4, 1]],
            &[&[0, 3, 1]],
            &[&[4, 1, 1], &[0, 1, 0]],
            &[&[1, -1, 0]],
        ];
        for rows in cases {
            let dims: Vec<IndexForm> = rows.iter().map(|row| form(row)).collect();
            let moves = along(&dims, &grid);
            let block = |number: usize| -> Vec<i64> {
                rows.iter().map(|row| (0..3).map(|axis| row[axis] * order.id(axis, number) as i64).sum()).collect()
            };
            let mut copies = 1;
            for number in 1..order.programs() {
                let moved = block(number) != block(number - 1);
                assert_eq!(moves.into_program(&order, number), moved, "{rows:?}, program {number}");
                copies += usize::from(moved);
                assert_eq!(moves.until(&order, number) + 1, copies, "{rows:?}, program {number}");
            }
            assert_eq!(moves.copies(&order), copies);
        }
    }
}
