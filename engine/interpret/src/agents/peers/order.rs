//! Which programs each core of a device runs, and in which order (`_get_randomized_grid_coordinates` and
//! `_execute_grid_for_core` of jax/_src/pallas/mosaic/interpret/interpret_pallas_call.py, JAX 0.10.2): axes that are
//! parallel are gone along in an order that a seed gives, and cut into one stretch for each core.

use crate::error::RunError;
use pallas_tensor::random::{bits, seed, split};

/// A key of Threefry.
type Key = [u32; 2];

/// For each core the numbers of its programs, counted over the axes of one device.
pub(super) fn programs(grid: &[usize], parallel: &[bool], core_axis: Option<usize>, cores: usize) -> Vec<Vec<usize>> {
    let count = grid.iter().fold(1usize, |count, &extent| count.saturating_mul(extent));
    if let Some(axis) = core_axis {
        let inner: usize = grid[axis + 1..].iter().product();
        let core_of = |number: usize| number / inner.max(1) % grid[axis].max(1);
        return (0..cores).map(|core| (0..count).filter(|&number| core_of(number) == core).collect()).collect();
    }
    let points: usize =
        grid.iter().zip(parallel).filter(|(_, parallel)| **parallel).map(|(extent, _)| extent).product();
    // Every core gets as many points along the parallel axes, the last ones perhaps none.
    let each = points.div_ceil(cores.max(1)) * count.checked_div(points).unwrap_or(0);
    (0..cores).map(|core| ((core * each).min(count)..((core + 1) * each).min(count)).collect()).collect()
}

/// The ids of a program, by its number and the order along each axis.
pub(super) fn ids(grid: &[usize], orders: &[Vec<usize>], mut number: usize) -> Vec<usize> {
    let mut ids = vec![0; grid.len()];
    for axis in (0..grid.len()).rev() {
        let extent = grid[axis].max(1);
        let at = number % extent;
        number /= extent;
        ids[axis] = orders[axis].get(at).copied().unwrap_or(at);
    }
    ids
}

/// For each axis the order in which it is gone along; empty where that is from the first to the last.
pub(super) fn orders(grid: &[usize], parallel: &[bool], with: u32) -> Result<Vec<Vec<usize>>, RunError> {
    let mut key = seed(i64::from(with), false);
    let mut orders = Vec::with_capacity(grid.len());
    for (&extent, &parallel) in grid.iter().zip(parallel) {
        orders.push(match parallel {
            true => {
                let [next, own] = two(key)?;
                key = next;
                permutation(own, extent)?
            }
            false => Vec::new(),
        });
    }
    Ok(orders)
}

/// `jax.random.permutation(key, n)`: sorted by random words as often as it takes to tell all apart.
fn permutation(mut key: Key, count: usize) -> Result<Vec<usize>, RunError> {
    let mut order: Vec<usize> = (0..count).collect();
    let rounds = (3.0 * (count.max(1) as f64).ln() / f64::from(u32::MAX).ln()).ceil() as usize;
    for _ in 0..rounds {
        let [next, own] = two(key)?;
        key = next;
        let words = bits(own, 32, [count])?;
        let words = words.elements::<u32>().unwrap_or_default();
        let mut pairs: Vec<(u32, usize)> = words.iter().copied().zip(order).collect();
        pairs.sort_by_key(|pair| pair.0);
        order = pairs.into_iter().map(|pair| pair.1).collect();
    }
    Ok(order)
}

fn two(key: Key) -> Result<[Key; 2], RunError> {
    let keys = split(key, [2])?;
    match keys.elements::<Key>() {
        Some([first, second]) => Ok([*first, *second]),
        _ => Err(RunError::malformed("a key was split into fewer than two")),
    }
}

#[cfg(test)]
mod tests {
    use super::{ids, orders, programs};

    #[test]
    fn the_order_along_parallel_axes_is_that_of_jax() {
        // jax.random.permutation(jax.random.split(jax.random.key(12345))[1], 4)
        let orders = orders(&[4, 4], &[true, false], 12345).expect("an order");
        assert_eq!(orders, [vec![2, 3, 0, 1], vec![]]);
        assert_eq!(ids(&[4, 4], &orders, 5), [3, 1]);
    }

    #[test]
    fn programs_are_dealt_to_cores_by_points_along_parallel_axes() {
        let counts = |cores| programs(&[4, 4], &[true, false], None, cores).iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(counts(1), [16]);
        assert_eq!(counts(3), [8, 8, 0]);
        assert_eq!(counts(6), [4, 4, 4, 4, 0, 0]);
        assert_eq!(programs(&[2, 3], &[false; 2], Some(1), 3), [vec![0, 3], vec![1, 4], vec![2, 5]]);
    }
}
