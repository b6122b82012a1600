//! Refs to memory in another shape, as another dtype or with dimensions permuted (`ref.reshape`, `ref.bitcast`,
//! `ref.transpose`), and to elements that integer arrays select (`ref.at[array]`): an access goes to a copy that is laid out
//! as asked, and what it writes is laid out back.

use crate::error::RunError;
use crate::memory::{Memory, Shown, Through, View, read, write};
use pallas_ir::RefType;
use pallas_tensor::ops;
use pallas_tensor::{Array, DType, Shape};
use std::sync::Arc;

impl View {
    /// All of a Ref, seen as another type.
    pub(crate) fn reinterpreted(self, ty: &RefType, permutation: Option<&Arc<[usize]>>) -> View {
        let mut view = View::whole(self.buffer, &ty.shape);
        let shown = match permutation {
            Some(permutation) => Shown::Permuted(permutation.clone()),
            None => Shown::As(ty.clone()),
        };
        view.through = Some(Arc::new(Through { base: self, shown }));
        view
    }
}

impl Memory {
    /// The dtype that a Ref shows.
    pub(crate) fn dtype(&self, view: &View) -> Result<DType, RunError> {
        match &view.through {
            Some(through) => match &through.shown {
                Shown::As(ty) => Ok(ty.dtype),
                Shown::Permuted(_) | Shown::Gathered(..) | Shown::Beyond(_) => self.dtype(&through.base),
            },
            None => Ok(self.peek(view)?.dtype()),
        }
    }

    /// A view of a buffer that shows what the Ref shows; [`Memory::close`] takes the buffer away.
    pub(crate) fn open(&mut self, view: &View) -> Result<View, RunError> {
        let Some(through) = &view.through else { return Ok(view.clone()) };
        let array = match &through.shown {
            Shown::As(ty) => bitcast(&self.show(&through.base)?, ty.dtype, &ty.shape)?,
            Shown::Permuted(permutation) => ops::transpose(&self.show(&through.base)?, permutation)?,
            Shown::Gathered(access, indices) => {
                let base = self.open(&through.base)?;
                let gathered = access.load(self, &base, indices)?;
                self.close(&through.base, &base, false)?;
                gathered
            }
            Shown::Beyond(beyond) => beyond.read(self, &through.base)?,
        };
        let buffer = self.add(array);
        Ok(View { buffer, dims: view.dims.clone(), through: None })
    }

    /// Ends what [`Memory::open`] began.
    pub(crate) fn close(&mut self, view: &View, opened: &View, writes: bool) -> Result<(), RunError> {
        let Some(through) = &view.through else { return Ok(()) };
        let Some(buffer) = self.buffers.pop().filter(|_| opened.buffer == self.buffers.len()) else {
            return Err(RunError::malformed("a reinterpreted Ref lost its buffer"));
        };
        if !writes {
            return Ok(());
        }
        match &through.shown {
            Shown::As(_) => {
                let dtype = self.dtype(&through.base)?;
                let back = bitcast(&buffer.array, dtype, &through.base.shape())?;
                self.replace(&through.base, back)
            }
            Shown::Permuted(permutation) => {
                let back = ops::transpose(&buffer.array, &inverse(permutation))?;
                self.replace(&through.base, back)
            }
            Shown::Gathered(access, indices) => {
                let base = self.open(&through.base)?;
                access.store(self, &base, indices, buffer.array)?;
                self.close(&through.base, &base, true)
            }
            Shown::Beyond(beyond) => beyond.write(self, &through.base, &buffer.array, "write"),
        }
    }

    /// What a Ref shows, reinterpreted or not, in its own shape.
    pub(crate) fn show(&mut self, view: &View) -> Result<Array, RunError> {
        self.settle(view.buffer)?;
        let opened = self.open(view)?;
        let shown = read(self.array(&opened)?, &opened)?;
        self.close(view, &opened, false)?;
        Ok(ops::reshape(&shown, view.shape())?)
    }

    /// Replaces what a Ref shows, reinterpreted or not.
    pub(crate) fn replace(&mut self, view: &View, value: Array) -> Result<(), RunError> {
        if let Some(through) = &view.through
            && let Shown::Beyond(beyond) = &through.shown
            && view.is_whole(&beyond.shape())
        {
            // Nothing is read where it may not be read.
            return beyond.write(self, &through.base, &value, "write");
        }
        if view.through.is_none() {
            if let Some(journal) = self.buffers.get_mut(view.buffer).and_then(|buffer| buffer.journal.as_mut()) {
                return journal.write(view, value);
            }
            let shape = self.shape(view.buffer).filter(|shape| view.is_whole(shape)).cloned();
            if let Some(shape) = shape
                && value.dtype() == self.peek(view)?.dtype()
            {
                // Nothing stays of what was there.
                self.put(view.buffer, ops::reshape(&value, shape)?);
                return Ok(());
            }
        }
        self.settle(view.buffer)?;
        let opened = self.open(view)?;
        self.array(&opened)?;
        write(self, &opened, value)?;
        self.close(view, &opened, true)
    }
}

/// The permutation that undoes one.
fn inverse(permutation: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; permutation.len()];
    for (position, &axis) in permutation.iter().enumerate() {
        inverse[axis] = position;
    }
    inverse
}

/// The same bits as another dtype, in a shape of as many bits. Between widths the rows of the second-minor dimension lie
/// interleaved, as `pltpu.bitcast` has them.
fn bitcast(array: &Array, dtype: DType, shape: &Shape) -> Result<Array, RunError> {
    let (from, to) = (array.dtype().bits() as usize, dtype.bits() as usize);
    if array.dtype() == dtype {
        return Ok(ops::reshape(array, shape.clone())?);
    }
    if from == to {
        return Ok(ops::reshape(&ops::bitcast_convert(array, dtype)?, shape.clone())?);
    }
    let rank = array.rank();
    if rank < 2 {
        return Err(RunError::malformed("a Ref of one dimension is bitcast to another width"));
    }
    let swap: Vec<usize> = (0..rank - 1).chain([rank, rank - 1]).collect();
    if from < to {
        let ratio = to / from;
        let mut apart = array.shape().to_vec();
        apart[rank - 2] /= ratio;
        apart.insert(rank - 1, ratio);
        let apart = ops::transpose(&ops::reshape(array, apart)?, &swap)?;
        return Ok(ops::reshape(&ops::bitcast_convert(&apart, dtype)?, shape.clone())?);
    }
    let apart = ops::bitcast_convert(array, dtype)?;
    Ok(ops::reshape(&ops::transpose(&apart, &swap)?, shape.clone())?)
}
