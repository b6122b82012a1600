//! Where the operands of an operation lie while a chunk goes through it, and the loops over them: rows of neighbouring
//! elements, some distance apart, or one element that meets all of a row.

#![allow(clippy::needless_range_loop, reason = "several slices are walked through together")]

use crate::ops::elementwise::Operand;

/// The rows of an operand.
#[derive(Clone, Copy)]
pub(super) struct Lines<'a, T> {
    elements: &'a [T],
    start: usize,
    /// From one row to the next.
    pitch: isize,
    /// Whether there is one element for each element, else one for each row.
    each: bool,
}

impl<'a, T: Copy + Default> Lines<'a, T> {
    /// Rows whose elements lie one behind the other.
    pub(super) fn each(elements: &'a [T], start: usize, pitch: isize) -> Lines<'a, T> {
        Lines { elements, start, pitch, each: true }
    }

    /// One element for each row.
    pub(super) fn one(elements: &'a [T], start: usize, pitch: isize) -> Lines<'a, T> {
        Lines { elements, start, pitch, each: false }
    }

    /// A row of so many columns.
    #[inline(always)]
    pub(super) fn row(&self, row: usize, columns: usize) -> Operand<'a, T> {
        let start = self.start.wrapping_add_signed(row as isize * self.pitch);
        match self.each {
            true => Operand::Each(&self.elements[start..start + columns]),
            false => Operand::All(self.elements.get(start).copied().unwrap_or_default()),
        }
    }
}

/// Rows to be written.
pub(super) struct Out<'a, T> {
    pub(super) elements: &'a mut [T],
    pub(super) start: usize,
    /// From one row to the next.
    pub(super) pitch: isize,
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl<T: Copy + Default> Out<'_, T> {
    #[inline(always)]
    pub(super) fn row(&mut self, row: usize) -> &mut [T] {
        let start = self.start.wrapping_add_signed(row as isize * self.pitch);
        &mut self.elements[start..start + self.columns]
    }

    /// Has each row written.
    #[inline(always)]
    pub(super) fn each(&mut self, mut write: impl FnMut(usize, &mut [T])) {
        for row in 0..self.rows {
            write(row, self.row(row));
        }
    }

    /// Brings an operand to where it is changed in place, row by row.
    #[inline(always)]
    pub(super) fn each_of(&mut self, x: Lines<'_, T>, mut change: impl FnMut(usize, &mut [T])) {
        self.each(|row, out| {
            copy(out, x.row(row, out.len()));
            change(row, out);
        });
    }
}

/// Brings an operand to where it is changed in place.
#[inline(always)]
pub(super) fn copy<T: Copy>(out: &mut [T], x: Operand<'_, T>) {
    match x {
        Operand::Each(x) => out.copy_from_slice(x),
        Operand::All(x) => out.fill(x),
    }
}

/// `out = f(x)` for every element. (Loops count, as what iterators call is not always compiled for the instruction set.)
#[inline(always)]
pub(super) fn map<T: Copy + Default, R: Copy + Default>(out: &mut Out<'_, R>, x: Lines<'_, T>, f: impl Fn(T) -> R) {
    for row in 0..out.rows {
        let out = out.row(row);
        let length = out.len();
        match x.row(row, length) {
            Operand::Each(x) => {
                let x = &x[..length];
                for i in 0..length {
                    out[i] = f(x[i]);
                }
            }
            Operand::All(x) => out.fill(f(x)),
        }
    }
}

/// `out = f(x, y)` for every element; one element for a row goes through `one` first.
#[inline(always)]
pub(super) fn zip<T: Copy + Default, R: Copy + Default>(
    out: &mut Out<'_, R>,
    x: Lines<'_, T>,
    y: Lines<'_, T>,
    one: impl Fn(T) -> T,
    f: impl Fn(T, T) -> R,
) {
    for row in 0..out.rows {
        let out = out.row(row);
        let length = out.len();
        match (x.row(row, length), y.row(row, length)) {
            (Operand::Each(x), Operand::Each(y)) => {
                let (x, y) = (&x[..length], &y[..length]);
                for i in 0..length {
                    out[i] = f(x[i], y[i]);
                }
            }
            (Operand::Each(x), Operand::All(y)) => {
                let (x, y) = (&x[..length], one(y));
                for i in 0..length {
                    out[i] = f(x[i], y);
                }
            }
            (Operand::All(x), Operand::Each(y)) => {
                let (x, y) = (one(x), &y[..length]);
                for i in 0..length {
                    out[i] = f(x, y[i]);
                }
            }
            (Operand::All(x), Operand::All(y)) => out.fill(f(one(x), one(y))),
        }
    }
}

/// `out = f(x, y, z)` for every element of a row, where `x` and `y` may change places.
#[inline(always)]
pub(super) fn zip_three(
    out: &mut [f32],
    x: Operand<'_, f32>,
    y: Operand<'_, f32>,
    z: Operand<'_, f32>,
    f: impl Fn(f32, f32, f32) -> f32,
) {
    let length = out.len();
    let (x, y) = match (x, y) {
        (Operand::Each(x), y) => (&x[..length], y),
        (x, Operand::Each(y)) => (&y[..length], x),
        (Operand::All(x), Operand::All(y)) => {
            match z {
                Operand::Each(z) => {
                    let z = &z[..length];
                    for i in 0..length {
                        out[i] = f(x, y, z[i]);
                    }
                }
                Operand::All(z) => out.fill(f(x, y, z)),
            }
            return;
        }
    };
    match (y, z) {
        (Operand::Each(y), Operand::Each(z)) => {
            let (y, z) = (&y[..length], &z[..length]);
            for i in 0..length {
                out[i] = f(x[i], y[i], z[i]);
            }
        }
        (Operand::Each(y), Operand::All(z)) => {
            let y = &y[..length];
            for i in 0..length {
                out[i] = f(x[i], y[i], z);
            }
        }
        (Operand::All(y), Operand::Each(z)) => {
            let z = &z[..length];
            for i in 0..length {
                out[i] = f(x[i], y, z[i]);
            }
        }
        (Operand::All(y), Operand::All(z)) => {
            for i in 0..length {
                out[i] = f(x[i], y, z);
            }
        }
    }
}

/// `out = yes` where the condition holds, else `no`, for every element of a row.
#[inline(always)]
pub(super) fn choose<T: Copy>(out: &mut [T], which: &[bool], no: Operand<'_, T>, yes: Operand<'_, T>) {
    let length = out.len();
    let which = &which[..length];
    match (no, yes) {
        (Operand::Each(no), Operand::Each(yes)) => {
            let (no, yes) = (&no[..length], &yes[..length]);
            for i in 0..length {
                out[i] = if which[i] { yes[i] } else { no[i] };
            }
        }
        (Operand::All(no), Operand::Each(yes)) => {
            let yes = &yes[..length];
            for i in 0..length {
                out[i] = if which[i] { yes[i] } else { no };
            }
        }
        (Operand::Each(no), Operand::All(yes)) => {
            let no = &no[..length];
            for i in 0..length {
                out[i] = if which[i] { yes } else { no[i] };
            }
        }
        (Operand::All(no), Operand::All(yes)) => {
            for i in 0..length {
                out[i] = if which[i] { yes } else { no };
            }
        }
    }
}
