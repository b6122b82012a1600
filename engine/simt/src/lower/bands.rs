//! In which order blocks go through the programs of a grid. Blocks that run at the same time find in the device's cache what one of
//! them has read. Of a product, a row of blocks after the other means that all of them read the whole right factor again and again; in
//! bands of a few rows, column by column, they read as little as they can. Programs of blocks run in any order, so this is free.

use pallas_ir::{BlockMap, Launch, Operand, Role, axis_name};

/// Programs along two axes, the last ones of blocks, that are taken in bands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bands {
    /// The axes. Blocks with numbers that follow each other differ along the first one.
    pub axes: [usize; 2],
    /// Programs along the first one of a band; the last band may have fewer.
    pub height: usize,
    /// Operands whose blocks follow the first axis and not the second one, and the other way round.
    pub operands: [usize; 2],
}

/// Blocks that run at the same time, about.
const AT_ONCE: usize = 128;

impl Bands {
    /// Bands of a launch whose other axes are loops, if it is a product of that kind, and they are worth it: without bands, those
    /// that run at the same time are in half as many rows at most.
    pub(crate) fn of(launch: &Launch, looped: &[bool]) -> Option<Bands> {
        let parallel: Vec<usize> =
            (0..launch.grid.len()).filter(|&axis| !looped[axis] && launch.grid[axis] > 1).collect();
        let &[.., down, across] = parallel.as_slice() else { return None };
        let bytes = |operand: &Operand| -> usize {
            let elements = operand.block.iter().map(|dim| dim.size()).fold(1, usize::saturating_mul);
            elements.saturating_mul(operand.array.dtype.size_bytes())
        };
        let follows = |axes: [usize; 2]| {
            let of = |(position, operand): (usize, &Operand)| {
                let map = BlockMap::new(operand, launch.grid.len());
                let [one, other] = axes.map(|axis| map.depends_on(axis));
                (one == Some(true) && other == Some(false)).then(|| (bytes(operand), position))
            };
            launch.with_role(Role::Input).filter_map(of).max_by_key(|(bytes, _)| *bytes)
        };
        let ((rows, row), (columns, column)) = (follows([down, across])?, follows([across, down])?);
        // So many rows that blocks at the same time read as much of one operand as of the other.
        let height = (AT_ONCE.saturating_mul(columns) / rows.max(1)).isqrt().clamp(1, AT_ONCE);
        let height = (1 << height.ilog2()).min(launch.grid[down]);
        let without = AT_ONCE.div_ceil(launch.grid[across]);
        (height >= 2 * without).then_some(Bands { axes: [down, across], height, operands: [row, column] })
    }

    /// The ids along both axes of the program with this number among those of `extents`.
    pub fn ids(&self, [rows, columns]: [usize; 2], number: usize) -> [usize; 2] {
        let size = (self.height * columns).max(1);
        let (first, within) = (number / size * self.height, number % size);
        let height = rows.saturating_sub(first).clamp(1, self.height.max(1));
        [first + within % height, within / height]
    }

    /// That it is so, and why.
    pub(crate) fn words(&self, launch: &Launch) -> String {
        let [down, across] = self.axes.map(|axis| format!("{axis} ({})", axis_name(axis)));
        let name = |operand: usize| launch.operands.get(operand).map_or("an operand", |operand| &*operand.name);
        let [one, other] = self.operands.map(name);
        format!(
            "blocks go along axis {across} in bands of {} along axis {down}: at the same time they read few blocks of {one} and {other}",
            self.height
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_has_a_block() {
        for (extents, height) in [([16, 5], 8), ([19, 7], 8), ([3, 40], 3), ([1, 4], 1), ([9, 1], 2)] {
            let bands = Bands { axes: [0, 1], height, operands: [0, 1] };
            let mut seen: Vec<[usize; 2]> =
                (0..extents[0] * extents[1]).map(|number| bands.ids(extents, number)).collect();
            assert!(seen.windows(2).all(|pair| pair[0][0] / height <= pair[1][0] / height), "bands in turn");
            seen.sort_unstable();
            let all = (0..extents[0]).flat_map(|row| (0..extents[1]).map(move |column| [row, column]));
            assert!(seen.into_iter().eq(all), "{extents:?} in bands of {height}");
        }
    }
}
