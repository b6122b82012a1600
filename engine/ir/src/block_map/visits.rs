//! How many programs get the same block, by counting and not by visiting them: the affine index maps of a launch are a
//! system of linear equations in the program ids, and the programs that share a block are its solutions inside the grid.

use super::{BlockMap, IndexForm};

/// The programs that get one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visits {
    /// How many there are, the one that was asked about included; at least 1.
    pub programs: usize,
    /// Whether no program with another block comes between them in the order of the grid; `None` where that is not known.
    pub in_a_row: Option<bool>,
}

/// Work that one question may cost: values tried for axes that no formula settles.
const BUDGET: usize = 4096;

/// Coefficients and extents up to here cannot overflow 128 bits, however they are combined.
const LARGEST: u64 = 1 << 48;

impl BlockMap<'_> {
    /// The programs of the grid that get the same block as `program`. `None` where the block depends on data, or where
    /// counting would take longer than a moment.
    pub fn visits(&self, grid: &[usize], program: &[usize]) -> Option<Visits> {
        if program.len() != grid.len() || program.iter().zip(grid).any(|(id, extent)| id >= extent) {
            return None;
        }
        if self.is_affine() {
            self.visits_by_formula(grid, program)
        } else if self.is_known() {
            self.visits_by_search(grid, program)
        } else {
            None
        }
    }

    fn visits_by_formula(&self, grid: &[usize], program: &[usize]) -> Option<Visits> {
        let rows: Vec<&[i64]> = self.dims.iter().filter_map(IndexForm::coefficients).collect();
        let numbers = rows.iter().copied().flatten().map(|c| c.unsigned_abs()).chain(grid.iter().map(|&g| g as u64));
        if rows.iter().any(|row| row.len() != grid.len()) || numbers.max().is_some_and(|n| n > LARGEST) {
            return None;
        }
        let free = |axis: usize| rows.iter().all(|row| row.get(axis).is_none_or(|&c| c == 0));
        let moves = |axis: &usize| grid[*axis] > 1;
        let bound: Vec<usize> = (0..grid.len()).filter(moves).filter(|&axis| !free(axis)).collect();
        let repeats = (0..grid.len()).filter(|&axis| free(axis)).fold(1usize, |n, axis| n.saturating_mul(grid[axis]));
        // Unknowns are distances from the program asked about, so every equation begins with the right side 0.
        let system = System {
            rows: &rows,
            low: program.iter().map(|&id| -(id as i128)).collect(),
            high: program.iter().zip(grid).map(|(&id, &extent)| (extent - 1 - id) as i128).collect(),
        };
        let mut budget = BUDGET;
        let solutions = system.count(&vec![0; rows.len()], &bound, &mut budget)?;
        let programs = usize::try_from(solutions).unwrap_or(usize::MAX).saturating_mul(repeats);
        // With one solution for the bound axes, the programs are all ids of the free axes: they follow one another if
        // those axes run fastest.
        let in_a_row = (solutions == 1).then(|| {
            let moving: Vec<bool> = (0..grid.len()).filter(moves).map(free).collect();
            moving.is_sorted()
        });
        Some(Visits { programs, in_a_row })
    }

    fn visits_by_search(&self, grid: &[usize], program: &[usize]) -> Option<Visits> {
        let total = grid.iter().try_fold(1usize, |n, &g| n.checked_mul(g)).filter(|&n| n <= BUDGET)?;
        let wanted = self.indices(program)?;
        let mut ids = vec![0; grid.len()];
        let (mut first, mut last, mut programs) = (None, 0, 0);
        for number in 0..total {
            if self.indices(&ids)? == wanted {
                first.get_or_insert(number);
                last = number;
                programs += 1;
            }
            for (id, &extent) in ids.iter_mut().zip(grid).rev() {
                *id += 1;
                if *id < extent {
                    break;
                }
                *id = 0;
            }
        }
        let in_a_row = first.map(|first| last - first + 1 == programs);
        Some(Visits { programs, in_a_row })
    }
}

/// Linear equations `sum(row[axis] * x[axis]) = right side` over whole numbers within bounds.
struct System<'a> {
    rows: &'a [&'a [i64]],
    low: Vec<i128>,
    high: Vec<i128>,
}

impl System<'_> {
    /// How many values of the `open` axes solve every equation; `None` past the budget.
    fn count(&self, right: &[i128], open: &[usize], budget: &mut usize) -> Option<i128> {
        *budget = budget.checked_sub(1)?;
        let unknowns = |row: &[i64]| open.iter().copied().filter(|&axis| row[axis] != 0).collect::<Vec<_>>();
        let mut shortest: Option<(usize, Vec<usize>)> = None;
        for (number, row) in self.rows.iter().enumerate() {
            let axes = unknowns(row);
            if axes.is_empty() {
                if right[number] != 0 {
                    return Some(0);
                }
            } else if shortest.as_ref().is_none_or(|(_, best)| axes.len() < best.len()) {
                shortest = Some((number, axes));
            }
        }
        let Some((number, axes)) = shortest else {
            // Axes that are in no equation are counted by the caller; none of them is open.
            return Some(1);
        };
        let row = self.rows[number];
        if let [axis] = axes[..] {
            let factor = i128::from(row[axis]);
            if right[number] % factor != 0 {
                return Some(0);
            }
            return self.with(right, open, axis, right[number] / factor, budget);
        }
        if let [a, b] = axes[..] {
            let alone = |axis: usize| self.rows.iter().enumerate().all(|(n, row)| n == number || row[axis] == 0);
            if alone(a) && alone(b) {
                let pairs = self.pairs((i128::from(row[a]), a), (i128::from(row[b]), b), right[number]);
                let rest: Vec<usize> = open.iter().copied().filter(|&axis| axis != a && axis != b).collect();
                let mut settled = right.to_vec();
                settled[number] = 0;
                return Some(pairs.saturating_mul(self.count(&settled, &rest, budget)?));
            }
        }
        // Try the values of the axis with the fewest.
        let &axis = axes.iter().min_by_key(|&&axis| self.high[axis] - self.low[axis])?;
        let mut sum = 0i128;
        for value in self.low[axis]..=self.high[axis] {
            sum = sum.saturating_add(self.with(right, open, axis, value, budget)?);
        }
        Some(sum)
    }

    /// How many solutions there are with this value for an axis.
    fn with(&self, right: &[i128], open: &[usize], axis: usize, value: i128, budget: &mut usize) -> Option<i128> {
        if value < self.low[axis] || value > self.high[axis] {
            return Some(0);
        }
        let rest: Vec<usize> = open.iter().copied().filter(|&other| other != axis).collect();
        let right: Vec<i128> = right.iter().zip(self.rows).map(|(&r, row)| r - i128::from(row[axis]) * value).collect();
        self.count(&right, &rest, budget)
    }

    /// How many `(x, y)` within their bounds solve `a*x + b*y = right`; both factors are not 0.
    fn pairs(&self, (a, x): (i128, usize), (b, y): (i128, usize), right: i128) -> i128 {
        let (divisor, inverse, _) = extended_gcd(a, b);
        if right % divisor != 0 {
            return 0;
        }
        let (a, b, right) = (a / divisor, b / divisor, right / divisor);
        // x = x0 + t*step; y's bounds are bounds on a*x.
        let step = b.abs();
        let x0 = (right % step * (inverse % step)).rem_euclid(step);
        let (y0, y1) = (b * self.low[y], b * self.high[y]);
        let (least, most) = (right - y0.max(y1), right - y0.min(y1));
        let (from, to) =
            if a > 0 { (ceil_div(least, a), most.div_euclid(a)) } else { (ceil_div(most, a), floor_div(least, a)) };
        let (from, to) = (from.max(self.low[x]), to.min(self.high[x]));
        let first = from + (x0 - from).rem_euclid(step);
        if first > to { 0 } else { (to - first) / step + 1 }
    }
}

/// `(g, s, t)` with `a*s + b*t = g`, the greatest common divisor, which is positive.
fn extended_gcd(a: i128, b: i128) -> (i128, i128, i128) {
    let (mut r0, mut r1) = (a, b);
    let (mut s0, mut s1) = (1, 0);
    let (mut t0, mut t1) = (0, 1);
    while r1 != 0 {
        let q = r0 / r1;
        (r0, r1) = (r1, r0 - q * r1);
        (s0, s1) = (s1, s0 - q * s1);
        (t0, t1) = (t1, t0 - q * t1);
    }
    if r0 < 0 { (-r0, -s0, -t0) } else { (r0, s0, t0) }
}

fn floor_div(a: i128, b: i128) -> i128 {
    let q = a / b;
    if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q }
}

fn ceil_div(a: i128, b: i128) -> i128 {
    -floor_div(-a, b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::Launch;
    use crate::text::parse_launch;

    /// A launch with one output whose index map is `ops; yield values` over axes `%i %j %k`.
    fn launch(grid: &[usize], map: &str, dims: usize) -> Launch {
        let params: Vec<String> =
            ["i", "j", "k"].iter().take(grid.len()).map(|name| format!("%{name}: i32[]")).collect();
        let sizes = vec!["1000"; dims].join(",");
        let ones = vec!["1"; dims].join(", ");
        let text = format!(
            "launch grid={grid:?} {{\n output @o: f32[{sizes}] block=[{ones}] map @m({}) {{ {map} }}\n \
             kernel @k(%o: ref<f32[{}]>) {{ }}\n}}",
            params.join(", "),
            vec!["1"; dims].join(",")
        );
        parse_launch(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    /// Counts by visiting every program.
    fn counted(map: &BlockMap<'_>, launch: &Launch, program: &[usize]) -> (usize, bool) {
        let wanted = map.indices(program).expect("the map is known");
        let numbers: Vec<usize> = (0..launch.programs())
            .filter(|&number| map.indices(&launch.program(number)).as_ref() == Some(&wanted))
            .collect();
        (numbers.len(), numbers[numbers.len() - 1] - numbers[0] + 1 == numbers.len())
    }

    #[test]
    fn formulas_count_what_a_search_counts() {
        let cases: &[(&[usize], &str, usize)] = &[
            (&[7], "yield %i", 1),
            (&[7], "%0 = constant 0 : i32[]\n yield %0", 1),
            (&[4, 6], "yield %i, %j", 2),
            (&[4, 6], "%0 = constant 0 : i32[]\n yield %i, %0", 2),
            (&[4, 6], "%0 = constant 0 : i32[]\n yield %0, %j", 2),
            (&[4, 6], "%0 = add %i, %j : i32[]\n yield %0", 1),
            (&[4, 6], "%0 = sub %i, %j : i32[]\n yield %0", 1),
            (&[4, 6], "%0 = constant 2 : i32[]\n %1 = mul %i, %0 : i32[]\n %2 = sub %1, %j : i32[]\n yield %2", 1),
            (&[5, 3], "%0 = constant 3 : i32[]\n %1 = mul %i, %0 : i32[]\n %2 = add %1, %j : i32[]\n yield %2", 1),
            (&[4, 3, 5], "yield %i, %j", 2),
            (&[4, 3, 5], "yield %j, %k", 2),
            (&[4, 3, 5], "yield %k, %i", 2),
            (&[4, 3, 5], "%0 = add %i, %j : i32[]\n %1 = add %0, %k : i32[]\n yield %1", 1),
            (&[4, 3, 5], "%0 = add %i, %j : i32[]\n %1 = add %j, %k : i32[]\n yield %0, %1", 2),
            (&[4, 3, 1], "%0 = add %i, %k : i32[]\n yield %0", 1),
        ];
        for (grid, map, dims) in cases {
            let launch = launch(grid, map, *dims);
            let blocks = BlockMap::new(&launch.operands[0], grid.len());
            assert!(blocks.is_affine(), "{map}");
            for number in 0..launch.programs() {
                let program = launch.program(number);
                let visits = blocks.visits(grid, &program).expect("small enough");
                let (programs, in_a_row) = counted(&blocks, &launch, &program);
                assert_eq!(visits.programs, programs, "grid {grid:?}, {map}, program {program:?}");
                if let Some(known) = visits.in_a_row {
                    assert_eq!(known, in_a_row, "grid {grid:?}, {map}, program {program:?}");
                }
            }
        }
    }

    #[test]
    fn huge_grids_cost_nothing() {
        let grid = [1_000_000, 1_000_000, 1000];
        let launch = launch(&grid, "yield %i, %j", 2);
        let blocks = BlockMap::new(&launch.operands[0], 3);
        let visits = Visits { programs: 1000, in_a_row: Some(true) };
        assert_eq!(blocks.visits(&grid, &[5, 7, 0]), Some(visits));
        let diagonal = self::launch(&grid, "%0 = add %i, %j : i32[]\n yield %0", 1);
        let blocks = BlockMap::new(&diagonal.operands[0], 3);
        let visits = blocks.visits(&grid, &[999_999, 999_999, 3]).map(|v| v.programs);
        assert_eq!(visits, Some(1000), "only the last program of the plane has this sum");
        assert_eq!(blocks.visits(&grid, &[10, 20, 3]).map(|v| v.programs), Some(31 * 1000));
    }

    #[test]
    fn maps_that_are_not_affine_are_searched_while_that_is_quick() {
        let map = "%0 = constant 2 : i32[]\n %1 = div %i, %0 : i32[]\n yield %1";
        let small = launch(&[8], map, 1);
        let blocks = BlockMap::new(&small.operands[0], 1);
        assert!(!blocks.is_affine());
        let visits = Visits { programs: 2, in_a_row: Some(true) };
        assert_eq!(blocks.visits(&[8], &[5]), Some(visits));
        let large = launch(&[1 << 20], map, 1);
        assert_eq!(BlockMap::new(&large.operands[0], 1).visits(&[1 << 20], &[5]), None);
    }

    #[test]
    fn a_program_outside_the_grid_has_no_visits() {
        let launch = launch(&[4], "yield %i", 1);
        assert_eq!(BlockMap::new(&launch.operands[0], 1).visits(&[4], &[4]), None);
        assert_eq!(BlockMap::new(&launch.operands[0], 1).visits(&[4], &[]), None);
    }
}
