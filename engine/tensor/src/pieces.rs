//! A box of a row-major array, or of marks for its blocks, as the stretches of memory that it consists of: what lets threads fill
//! boxes beside each other, and not only below each other. What a stretch is a stretch of, nobody here knows.

use crate::error::OpError;
use smallvec::{SmallVec, smallvec};

/// What can be cut in two.
pub trait Stretch: Sized {
    /// How many there are of whatever it is.
    fn length(&self) -> usize;
    /// The first of them, and the rest.
    fn cut(self, count: usize) -> (Self, Self);
}

impl Stretch for &mut [bool] {
    fn length(&self) -> usize {
        self.len()
    }

    fn cut(self, count: usize) -> (Self, Self) {
        self.split_at_mut(count)
    }
}

/// The stretches of a box, in row-major order and as long as each other: one for every place along the first `leading` dimensions.
#[derive(Debug)]
pub struct Pieces<S> {
    stretches: SmallVec<[S; 1]>,
    leading: usize,
}

impl<S: Stretch> Pieces<S> {
    /// A box in one piece.
    pub fn whole(stretch: S) -> Pieces<S> {
        Pieces { stretches: smallvec![stretch], leading: 0 }
    }

    /// Whether there is nothing in any of them.
    pub fn is_empty(&self) -> bool {
        self.stretches.iter().all(|stretch| stretch.length() == 0)
    }

    /// The dimensions along which pieces follow each other; 0 where there is one piece.
    pub(crate) fn leading(&self) -> usize {
        self.leading
    }

    /// The only piece.
    pub(crate) fn only(&mut self) -> Option<&mut S> {
        match &mut self.stretches[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// The pieces, one for every place along the leading dimensions.
    pub(crate) fn all(&self) -> &[S] {
        &self.stretches
    }

    /// The pieces, to be written.
    pub(crate) fn all_mut(&mut self) -> &mut [S] {
        &mut self.stretches
    }

    /// In which piece an element of the box is, and where in it.
    pub fn place(&self, number: usize) -> Option<(&S, usize)> {
        let length = self.stretches.first()?.length();
        Some((self.stretches.get(number.checked_div(length)?)?, number % length))
    }

    /// [`Pieces::place`], to be written.
    pub fn place_mut(&mut self, number: usize) -> Option<(&mut S, usize)> {
        let length = self.stretches.first()?.length();
        Some((self.stretches.get_mut(number.checked_div(length)?)?, number % length))
    }

    /// The first `rows` along `axis` of a box of these extents, and the rest.
    ///
    /// # Errors
    /// If there are not as many, if the extents are others, or if the box was cut along a later dimension before.
    pub fn split(self, extents: &[usize], axis: usize, rows: usize) -> Result<(Pieces<S>, Pieces<S>), OpError> {
        let Pieces { stretches, leading } = self;
        let each: usize = extents.get(leading..).unwrap_or_default().iter().product();
        let fits = leading <= axis
            && extents.get(axis).is_some_and(|&extent| rows <= extent)
            && stretches.iter().all(|stretch| stretch.length() == each);
        if !fits {
            return Err(OpError::argument("split", format!("{rows} rows along axis {axis} of shape {extents:?}")));
        }
        let times: usize = extents[leading..axis].iter().product();
        let length: usize = extents[axis..].iter().product();
        let first: usize = rows * extents[axis + 1..].iter().product::<usize>();
        let (mut firsts, mut rests) = (SmallVec::new(), SmallVec::new());
        for mut stretch in stretches {
            for _ in 0..times {
                let (piece, behind) = stretch.cut(length);
                let (some, others) = piece.cut(first);
                firsts.push(some);
                rests.push(others);
                stretch = behind;
            }
        }
        // (Where all dimensions before are of size 1, there is one piece still.)
        let leading = if firsts.len() == 1 { 0 } else { axis };
        Ok((Pieces { stretches: firsts, leading }, Pieces { stretches: rests, leading }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_beside_and_below_each_other_have_the_elements_of_their_rows() {
        let extents = [3, 4, 2];
        let mut marks = [false; 24];
        let whole = Pieces::whole(&mut marks[..]);
        let (mut top, bottom) = whole.split(&extents, 0, 1).expect("rows");
        assert_eq!((top.all().len(), bottom.all().len(), bottom.leading()), (1, 1, 0));
        let (_, mut right) = bottom.split(&[2, 4, 2], 1, 3).expect("columns");
        assert_eq!((right.all().len(), right.leading()), (2, 1));
        assert!(right.only().is_none());
        for number in 0..4 {
            let (piece, place) = right.place_mut(number).expect("there");
            piece[place] = true;
        }
        assert!(right.place(4).is_none());
        top.only().expect("one piece")[7] = true;
        drop((top, right));
        let expected = |row: usize, column: usize| if row == 0 { column == 7 } else { column >= 6 };
        let expected: Vec<bool> = (0..24).map(|number| expected(number / 8, number % 8)).collect();
        assert_eq!(marks[..], expected[..]);
    }

    #[test]
    fn boxes_are_cut_again_along_later_dimensions_only() {
        let mut marks = [false; 24];
        let (left, _) = Pieces::whole(&mut marks[..]).split(&[3, 4, 2], 1, 2).expect("columns");
        let (left, _) = left.split(&[3, 2, 2], 2, 1).expect("columns");
        assert_eq!((left.all().len(), left.leading()), (6, 2));
        assert!(left.split(&[3, 2, 1], 0, 1).is_err());
        assert!(Pieces::whole(&mut marks[..]).split(&[3, 4, 2], 1, 5).is_err());
        assert!(Pieces::whole(&mut marks[..]).split(&[3, 4, 3], 1, 1).is_err());
        // Nothing at all is cut, too.
        let (first, rest) = Pieces::whole(&mut marks[..0]).split(&[3, 0, 2], 1, 0).expect("nothing");
        assert_eq!((first.all().len(), rest.all().len()), (3, 3));
        assert!(rest.place(0).is_none());
    }
}
