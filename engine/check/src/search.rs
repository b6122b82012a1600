//! Finds the first point of a box of integers that has a property, by halving boxes that may hold one. Grids of
//! millions of programs cost as much as small ones wherever bounds decide. Knows nothing of launches.

/// What is known of the points of a box. In order: the least of several is known of all of them together, the greatest of any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// None has the property.
    No,
    /// Some may.
    Maybe,
    /// All have it.
    Yes,
}

/// An inclusive range per variable.
pub(crate) type Bounds = Vec<(i64, i64)>;

/// How a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// No point is known to have the property.
    Nothing,
    /// The first point in row-major order that is known to have it, and whether every point of the box has.
    Found {
        /// One value per variable.
        point: Vec<i64>,
        /// Whether it is known of all.
        everywhere: bool,
    },
    /// Too many boxes were looked at.
    Exhausted,
}

/// Looks for the first point with the property; `probe` judges boxes, at most `budget` of them.
pub(crate) fn search(bounds: Bounds, budget: usize, mut probe: impl FnMut(&[(i64, i64)]) -> Verdict) -> Outcome {
    if bounds.iter().any(|(low, high)| low > high) {
        return Outcome::Nothing;
    }
    let mut left = budget;
    let mut whole = true;
    // The lower half of a split lies on top, so boxes come in row-major order.
    let mut stack = vec![bounds];
    while let Some(bounds) = stack.pop() {
        if left == 0 {
            return Outcome::Exhausted;
        }
        left -= 1;
        let everywhere = std::mem::take(&mut whole);
        match probe(&bounds) {
            Verdict::No => {}
            Verdict::Yes => {
                let point = bounds.iter().map(|&(low, _)| low).collect();
                return Outcome::Found { point, everywhere };
            }
            Verdict::Maybe => {
                let Some(axis) = bounds.iter().position(|(low, high)| low < high) else {
                    continue;
                };
                let (low, high) = bounds[axis];
                // Rounds towards minus infinity, so that both halves are smaller than the whole.
                let middle = ((i128::from(low) + i128::from(high)) >> 1) as i64;
                let mut upper = bounds.clone();
                upper[axis] = (middle + 1, high);
                let mut lower = bounds;
                lower[axis] = (low, middle);
                stack.push(upper);
                stack.push(lower);
            }
        }
    }
    Outcome::Nothing
}

/// Corners of a box, in row-major order; the first 64.
pub(crate) fn corners(bounds: &[(i64, i64)]) -> Vec<Vec<i64>> {
    let mut corners: Vec<Vec<i64>> = vec![Vec::new()];
    for &(low, high) in bounds {
        corners = corners
            .into_iter()
            .flat_map(|corner| {
                let ends = if low == high { vec![low] } else { vec![low, high] };
                ends.into_iter().map(move |end| {
                    let mut corner = corner.clone();
                    corner.push(end);
                    corner
                })
            })
            .collect();
        if corners.len() > 64 {
            // Keep both ends: the last corner is the likeliest to be outside.
            let last = corners.len() - 1;
            corners.swap(63, last);
            corners.truncate(64);
        }
    }
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum_at_least(threshold: i64) -> impl FnMut(&[(i64, i64)]) -> Verdict {
        move |bounds| {
            let low: i64 = bounds.iter().map(|b| b.0).sum();
            let high: i64 = bounds.iter().map(|b| b.1).sum();
            match (low >= threshold, high >= threshold) {
                (true, _) => Verdict::Yes,
                (_, false) => Verdict::No,
                _ => Verdict::Maybe,
            }
        }
    }

    #[test]
    fn the_first_point_in_row_major_order() {
        let bounds = vec![(0, 999_999), (0, 999_999)];
        let found = search(bounds.clone(), 1000, sum_at_least(1_500_000));
        assert_eq!(found, Outcome::Found { point: vec![500_001, 999_999], everywhere: false });
        assert_eq!(search(bounds.clone(), 1000, sum_at_least(2_000_000)), Outcome::Nothing);
        assert_eq!(search(bounds, 1000, sum_at_least(0)), Outcome::Found { point: vec![0, 0], everywhere: true });
    }

    #[test]
    fn empty_boxes_points_and_budgets() {
        assert_eq!(search(vec![(0, -1)], 10, |_| Verdict::Yes), Outcome::Nothing);
        assert_eq!(search(vec![], 10, |_| Verdict::Yes), Outcome::Found { point: vec![], everywhere: true });
        assert_eq!(search(vec![(0, 1 << 40)], 10, |_| Verdict::Maybe), Outcome::Exhausted);
        assert_eq!(search(vec![(-3, -2)], 10, |_| Verdict::Maybe), Outcome::Nothing);
    }

    #[test]
    fn corners_in_order() {
        assert_eq!(
            corners(&[(0, 1), (5, 5), (2, 4)]),
            vec![vec![0, 5, 2], vec![0, 5, 4], vec![1, 5, 2], vec![1, 5, 4]]
        );
        assert_eq!(corners(&[]), vec![Vec::<i64>::new()]);
        assert_eq!(corners(&[(0, 1); 12]).len(), 64);
    }
}
