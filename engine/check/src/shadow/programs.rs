//! Which programs of a launch are run: all of a small grid; of a large one the first, the second and the last along each
//! axis, where kernels begin, go on and end. Where programs take long, the first along outer axes has to do: sums go along inner ones.

/// Grids of so few programs are run whole.
const MOST_PROGRAMS: usize = 48;

/// The programs to run, in order.
pub(super) struct Programs {
    axes: Vec<Vec<usize>>,
    /// Whether these are all.
    pub(super) is_all: bool,
}

impl Programs {
    pub(super) fn of(grid: &[usize]) -> Programs {
        let count = grid.iter().fold(1usize, |count, &extent| count.saturating_mul(extent));
        let is_all = count <= MOST_PROGRAMS;
        let ids = |&extent: &usize| match extent {
            _ if is_all || extent <= 3 => (0..extent).collect(),
            _ => vec![0, 1, extent - 1],
        };
        let axes: Vec<Vec<usize>> = grid.iter().map(ids).collect();
        Programs { is_all: is_all || axes.iter().zip(grid).all(|(ids, &extent)| ids.len() == extent), axes }
    }

    /// At most so many of a grid's programs, if that is fewer than these.
    pub(super) fn fewer(&self, grid: &[usize], most: usize) -> Option<Programs> {
        let mut axes = self.axes.clone();
        let count = |axes: &[Vec<usize>]| axes.iter().map(Vec::len).product::<usize>();
        for (axis, &extent) in grid.iter().enumerate() {
            if count(&axes) <= most {
                break;
            }
            axes[axis] = if extent > 3 { vec![0, 1, extent - 1] } else { (0..extent).collect() };
            // Along the innermost axis something ends, too.
            let is_innermost = grid[axis + 1..].iter().all(|&extent| extent == 1);
            if count(&axes) > most {
                axes[axis] = if is_innermost && extent > 1 { vec![0, extent - 1] } else { vec![0] };
            }
        }
        let fewer = count(&axes);
        (fewer <= most && fewer < self.count()).then_some(Programs { is_all: false, axes })
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.axes.iter().map(Vec::len).product()
    }

    /// The programs in row-major order, as the grid runs them.
    pub(super) fn iter(&self) -> impl Iterator<Item = Vec<usize>> + '_ {
        let count = self.count();
        (0..count).map(|mut number| {
            let mut program = vec![0; self.axes.len()];
            for (id, ids) in program.iter_mut().zip(&self.axes).rev() {
                *id = ids[number % ids.len()];
                number /= ids.len();
            }
            program
        })
    }
}

/// Whether `after` is the program that the grid runs next after `before`.
pub(super) fn follows(grid: &[usize], before: &[usize], after: &[usize]) -> bool {
    let mut next = before.to_vec();
    for (id, &extent) in next.iter_mut().zip(grid).rev() {
        *id += 1;
        if *id < extent {
            return next == after;
        }
        *id = 0;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_grids_are_run_whole() {
        let programs = Programs::of(&[2, 3]);
        assert!(programs.is_all);
        assert_eq!(programs.iter().count(), 6);
        assert_eq!(Programs::of(&[]).iter().collect::<Vec<_>>(), [Vec::<usize>::new()]);
    }

    #[test]
    fn where_there_is_time_for_few_only_the_first_of_outer_axes_are_run() {
        let programs = Programs::of(&[2, 8, 4, 4]);
        let of = |most| programs.fewer(&[2, 8, 4, 4], most).map(|fewer| fewer.axes);
        assert_eq!(of(10), Some(vec![vec![0], vec![0], vec![0, 1, 3], vec![0, 1, 3]]));
        assert_eq!(of(5), Some(vec![vec![0], vec![0], vec![0], vec![0, 1, 3]]));
        assert_eq!(of(2), Some(vec![vec![0], vec![0], vec![0], vec![0, 3]]));
        assert_eq!(of(1), None);
        assert_eq!(of(1000), None);
        let whole = Programs::of(&[40, 1]);
        assert_eq!(whole.fewer(&[40, 1], 10).map(|fewer| fewer.axes), Some(vec![vec![0, 1, 39], vec![0]]));
    }

    #[test]
    fn of_large_grids_the_ends_are_run() {
        let programs = Programs::of(&[2, 100]);
        assert!(!programs.is_all);
        let run: Vec<_> = programs.iter().collect();
        assert_eq!(run, [[0, 0], [0, 1], [0, 99], [1, 0], [1, 1], [1, 99]]);
        assert!(follows(&[2, 100], &run[2], &run[3]));
        assert!(!follows(&[2, 100], &run[1], &run[2]));
    }
}
