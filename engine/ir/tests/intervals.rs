//! Interval hooks against brute force: every value that members of the operands give lies in the result, on its stride.

use pallas_ir::op::OpKind;
use pallas_ir::{Attributes, Interval, ops};

fn members(interval: Interval) -> Vec<i64> {
    match interval.stride {
        0 => vec![interval.lower],
        stride => (interval.lower..=interval.upper).step_by(stride as usize).collect(),
    }
}

fn contains(interval: Interval, value: i64) -> bool {
    if value < interval.lower || value > interval.upper {
        return false;
    }
    interval.is_any()
        || match interval.stride {
            0 => value == interval.lower,
            1 => true,
            stride => (value - interval.lower) % stride == 0,
        }
}

fn samples() -> Vec<Interval> {
    let mut samples = Vec::new();
    for lower in [-9, -4, -1, 0, 1, 3, 8] {
        samples.push(Interval::exactly(lower));
        for (count, stride) in [(1, 1), (3, 1), (2, 2), (3, 4), (2, 7)] {
            samples.push(Interval { lower, upper: lower + count * stride, stride });
        }
    }
    samples
}

/// The op's value as XLA computes it, where that is defined.
fn value(name: &str, x: i64, y: i64) -> Option<i64> {
    Some(match name {
        "add" => x + y,
        "sub" => x - y,
        "mul" => x * y,
        "div" => x.checked_div(y)?,
        "rem" => x.checked_rem(y)?,
        "max" => x.max(y),
        "min" => x.min(y),
        "and" => x & y,
        "shift_left" if (0..32).contains(&y) => x << y,
        "shift_right_arithmetic" if (0..32).contains(&y) => x >> y,
        "shift_right_logical" if (0..32).contains(&y) && x >= 0 => x >> y,
        _ => return None,
    })
}

#[test]
fn binary_hooks_contain_every_value() {
    let names = [
        "add",
        "sub",
        "mul",
        "div",
        "rem",
        "max",
        "min",
        "and",
        "shift_left",
        "shift_right_arithmetic",
        "shift_right_logical",
    ];
    for name in names {
        let op = ops::find(name).expect("a known op");
        let OpKind::Pure { interval: Some(hook), .. } = &op.kind else {
            panic!("{name} has no hook");
        };
        let mut bounded = 0;
        for x in samples() {
            for y in samples() {
                let result = hook(&Attributes::none(), &[x, y]);
                bounded += usize::from(!result.is_any());
                for a in members(x) {
                    for b in members(y) {
                        if let Some(value) = value(name, a, b) {
                            assert!(
                                contains(result, value),
                                "{name} {x:?} {y:?}: {a}, {b} give {value}, not in {result:?}"
                            );
                        }
                    }
                }
            }
        }
        assert!(bounded > 50, "{name} knows next to nothing");
    }
}

#[test]
fn clamp_and_select_contain_every_value() {
    let hook = |name: &str| match &ops::find(name).expect("a known op").kind {
        OpKind::Pure { interval: Some(hook), .. } => *hook,
        _ => panic!("{name} has no hook"),
    };
    let (clamp, select, neg) = (hook("clamp"), hook("select_n"), hook("neg"));
    let few: Vec<Interval> = samples().into_iter().step_by(3).collect();
    for &x in &few {
        let negative = neg(&Attributes::none(), &[x]);
        assert!(members(x).iter().all(|&a| contains(negative, -a)));
        for &low in &few {
            for &high in &few {
                let clamped = clamp(&Attributes::none(), &[low, x, high]);
                let chosen = select(&Attributes::none(), &[x, low, high]);
                for a in members(x) {
                    let case = if a <= 0 { low } else { high };
                    assert!(members(case).iter().all(|&c| contains(chosen, c)));
                    for l in members(low) {
                        for h in members(high) {
                            assert!(contains(clamped, a.max(l).min(h)));
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn overflow_is_not_bounded() {
    let add = match &ops::ADD.kind {
        OpKind::Pure { interval: Some(hook), .. } => *hook,
        _ => panic!("add has a hook"),
    };
    let far = Interval::range(0, i64::MAX - 1);
    assert!(add(&Attributes::none(), &[far, far]).is_any());
    assert!(add(&Attributes::none(), &[Interval::ANY, far]).is_any());
}
