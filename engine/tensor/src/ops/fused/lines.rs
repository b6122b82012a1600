//! Where the operands of an operation lie while a chunk goes through it, and the loops over them: rows of neighbouring
//! elements, some distance apart, or one element that meets all of a row.

#![allow(clippy::needless_range_loop, reason = "several slices are walked through together")]

use crate::ops::elementwise::Operand;

/// The rows of an operand. Handed on by reference: copied right after it was made it would be read in larger pieces than it was
/// written in, and wait for all that was written before.
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
    pub(super) fn each_of(&mut self, x: &Lines<'_, T>, mut change: impl FnMut(usize, &mut [T])) {
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

// Functions of elements are passed by value: the standard library's function that calls one behind a reference would be compiled
// for no instruction set in particular, and not be part of the loop.

/// Elements that loops go through together at the end of a row.
pub(super) const LANES: usize = 16;

/// How many elements of a row loops go through from the front (as slices of their own, or every element would be checked); the rest is gone through with some of those before it once
/// more, as results never lie where operands do. A few elements by themselves would take as long as a hundred together.
#[inline(always)]
fn bulk(length: usize) -> usize {
    if length < LANES { length } else { length & !(LANES - 1) }
}

/// `out = f(x)` for every element. (Loops count, as what iterators call is not always compiled for the instruction set.)
#[inline(always)]
pub(super) fn map<T: Copy + Default, R: Copy + Default>(
    out: &mut Out<'_, R>,
    x: &Lines<'_, T>,
    f: impl Fn(T) -> R + Copy,
) {
    for row in 0..out.rows {
        let out = out.row(row);
        match x.row(row, out.len()) {
            Operand::Each(x) => each_one(out, x, f),
            Operand::All(x) => out.fill(f(x)),
        }
    }
}

/// `out = f(x, y)` for every element; one element for a row goes through `one` first.
#[inline(always)]
pub(super) fn zip<T: Copy + Default, R: Copy + Default>(
    out: &mut Out<'_, R>,
    x: &Lines<'_, T>,
    y: &Lines<'_, T>,
    one: impl Fn(T) -> T,
    f: impl Fn(T, T) -> R + Copy,
) {
    for row in 0..out.rows {
        let out = out.row(row);
        let length = out.len();
        match (x.row(row, length), y.row(row, length)) {
            (Operand::Each(x), Operand::Each(y)) => each_two(out, x, y, f),
            (Operand::Each(x), Operand::All(y)) => {
                let y = one(y);
                each_one(out, x, move |x| f(x, y));
            }
            (Operand::All(x), Operand::Each(y)) => {
                let x = one(x);
                each_one(out, y, move |y| f(x, y));
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
    f: impl Fn(f32, f32, f32) -> f32 + Copy,
) {
    let (x, y) = match (x, y) {
        (Operand::Each(x), y) => (x, y),
        (x, Operand::Each(y)) => (y, x),
        (Operand::All(x), Operand::All(y)) => {
            return match z {
                Operand::Each(z) => each_one(out, z, move |z| f(x, y, z)),
                Operand::All(z) => out.fill(f(x, y, z)),
            };
        }
    };
    match (y, z) {
        (Operand::Each(y), Operand::Each(z)) => each_three(out, x, y, z, f),
        (Operand::Each(y), Operand::All(z)) => each_two(out, x, y, move |x, y| f(x, y, z)),
        (Operand::All(y), Operand::Each(z)) => each_two(out, x, z, move |x, z| f(x, y, z)),
        (Operand::All(y), Operand::All(z)) => each_one(out, x, move |x| f(x, y, z)),
    }
}

#[inline(always)]
fn each_one<T: Copy, R: Copy + Default>(out: &mut [R], x: &[T], f: impl Fn(T) -> R) {
    let length = out.len();
    let (x, bulk) = (&x[..length], bulk(length));
    {
        let (out, x) = (&mut out[..bulk], &x[..bulk]);
        for i in 0..bulk {
            out[i] = f(x[i]);
        }
    }
    if bulk < length
        && let (Some(out), Some(x)) = (out.last_chunk_mut::<LANES>(), x.last_chunk::<LANES>())
    {
        let mut results = [R::default(); LANES];
        for i in 0..LANES {
            results[i] = f(x[i]);
        }
        *out = results;
    }
}

#[inline(always)]
fn each_two<T: Copy, R: Copy + Default>(out: &mut [R], x: &[T], y: &[T], f: impl Fn(T, T) -> R) {
    let length = out.len();
    let (x, y, bulk) = (&x[..length], &y[..length], bulk(length));
    {
        let (out, x, y) = (&mut out[..bulk], &x[..bulk], &y[..bulk]);
        for i in 0..bulk {
            out[i] = f(x[i], y[i]);
        }
    }
    if bulk < length
        && let (Some(out), Some(x), Some(y)) =
            (out.last_chunk_mut::<LANES>(), x.last_chunk::<LANES>(), y.last_chunk::<LANES>())
    {
        let mut results = [R::default(); LANES];
        for i in 0..LANES {
            results[i] = f(x[i], y[i]);
        }
        *out = results;
    }
}

#[inline(always)]
fn each_three(out: &mut [f32], x: &[f32], y: &[f32], z: &[f32], f: impl Fn(f32, f32, f32) -> f32) {
    let length = out.len();
    let (x, y, z, bulk) = (&x[..length], &y[..length], &z[..length], bulk(length));
    {
        let (out, x, y, z) = (&mut out[..bulk], &x[..bulk], &y[..bulk], &z[..bulk]);
        for i in 0..bulk {
            out[i] = f(x[i], y[i], z[i]);
        }
    }
    if bulk < length
        && let (Some(out), Some(x)) = (out.last_chunk_mut::<LANES>(), x.last_chunk::<LANES>())
        && let (Some(y), Some(z)) = (y.last_chunk::<LANES>(), z.last_chunk::<LANES>())
    {
        let mut results = [0.0; LANES];
        for i in 0..LANES {
            results[i] = f(x[i], y[i], z[i]);
        }
        *out = results;
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

/// `out` is the second case where `holds`, else the first.
#[inline(always)]
pub(super) fn choose_where<T: Copy + Default>(
    out: &mut Out<'_, f32>,
    [x, y]: [&Lines<'_, T>; 2],
    [no, yes]: [&Lines<'_, f32>; 2],
    holds: impl Fn(T, T) -> bool + Copy,
) {
    for row in 0..out.rows {
        let out = out.row(row);
        let length = out.len();
        let (x, y) = (x.row(row, length), y.row(row, length));
        let (no, yes) = (no.row(row, length), yes.row(row, length));
        let (groups, rest) = out.as_chunks_mut::<LANES>();
        let bulk = groups.len() * LANES;
        for (number, out) in groups.iter_mut().enumerate() {
            let at = number * LANES;
            let (x, y, no, yes) = (sixteen(x, at), sixteen(y, at), sixteen(no, at), sixteen(yes, at));
            let mut results = [0.0; LANES];
            for lane in 0..LANES {
                results[lane] = either(holds(x[lane], y[lane]), yes[lane], no[lane]);
            }
            *out = results;
        }
        for lane in 0..rest.len() {
            let at = bulk + lane;
            rest[lane] = if holds(one(x, at), one(y, at)) { one(yes, at) } else { one(no, at) };
        }
    }
}

/// One of two numbers, by their bits: a choice would become one of addresses, which are gathered one by one, where one of the
/// operands may be a single element.
#[inline(always)]
fn either(which: bool, yes: f32, no: f32) -> f32 {
    let mask = u32::from(which).wrapping_neg();
    f32::from_bits((yes.to_bits() & mask) | (no.to_bits() & !mask))
}

/// Elements from one on, as an array: a loop over arrays becomes vector instructions whatever the operands are.
#[inline(always)]
fn sixteen<T: Copy>(x: Operand<'_, T>, at: usize) -> [T; LANES] {
    match x {
        Operand::All(x) => [x; LANES],
        Operand::Each(x) => {
            let mut elements = [x[at]; LANES];
            elements.copy_from_slice(&x[at..at + LANES]);
            elements
        }
    }
}

/// An element.
#[inline(always)]
fn one<T: Copy>(x: Operand<'_, T>, at: usize) -> T {
    match x {
        Operand::All(x) => x,
        Operand::Each(x) => x[at],
    }
}
