//! Two chains of which one reads what the other one computes, as one chain: what is in between is neither written nor read.
//! Whether that pays is the caller's business; here is only said where it cannot be done, or takes more operands than a processor
//! has ways to memory.

use super::chain::{Arg, Chain, ChainBuilder, Slot};

/// What a chain that was joined reads, at most: as many places of memory are read side by side, and a set of the innermost cache
/// holds hardly more.
const READS: usize = 10;
/// Its operations, at most.
const STEPS: usize = 64;

impl Chain {
    /// This chain, whose read of this number is what another chain computes. It reads what the other one reads, and then what this
    /// one reads beside it. None where the read is not all of the other's result as it is, or it would become too long.
    pub fn joined(&self, read: usize, before: &Chain) -> Option<Chain> {
        let between = self.reads.get(read)?;
        let is_all = between.is_same && between.shape == before.shape && between.shape == self.shape;
        let is_kept = between.dtype == before.result && between.lane == before.result;
        let fits = before.reads.len() + self.reads.len() - 1 <= READS && before.steps.len() + self.steps.len() <= STEPS;
        // The result of a chain without operations is what it reads last.
        let is_last = !self.is_empty() || self.reads.len() == 1;
        if !is_all || !is_kept || !is_last || !fits {
            return None;
        }
        let others = self.reads.iter().enumerate().filter(|(number, _)| *number != read).map(|(_, read)| read);
        let reads = before.reads.iter().chain(others);
        let own = |arg: Arg| match arg {
            Arg::Read(number) if number == read => match before.steps.len().checked_sub(1) {
                Some(last) => Arg::Result(last),
                None => Arg::Read(before.reads.len() - 1),
            },
            Arg::Read(number) => Arg::Read(before.reads.len() + number - usize::from(number > read)),
            Arg::Result(number) => Arg::Result(before.steps.len() + number),
        };
        let first = before.steps.iter().map(|step| (step, step.args.iter().map(Slot::arg).collect()));
        let second = self.steps.iter().map(|step| (step, step.args.iter().map(Slot::arg).map(own).collect()));
        let builder = ChainBuilder {
            shape: self.shape.clone(),
            reads: reads.map(|read| (read.dtype, read.shape.clone(), read.place.clone())).collect(),
            steps: first.chain(second).map(|(step, args)| (step.code, args, step.dtype, step.result)).collect(),
        };
        builder.finish().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Random, in_each_way, same, source, values};
    use super::super::{Code, Lanes, Place, Target};
    use super::*;
    use crate::ops::{BinaryOp, MultiplyAdd, UnaryOp};
    use crate::{Array, DType, Shape};

    /// A chain of some operations on arrays of a shape, the first of which is all that a read sees, and the arrays.
    fn some(shape: &Shape, random: &mut Random) -> (Chain, Vec<Array>) {
        let dtype = DType::F32;
        let mut builder = ChainBuilder::new(shape.clone());
        let first = values(dtype, shape, random);
        let mut args = vec![builder.read(dtype, shape.clone(), Place::same(shape.rank())).expect("all of it")];
        let mut arrays = vec![first];
        for _ in 0..random.below(3) {
            let (array, place, _) = source(dtype, shape, random);
            args.push(builder.read(dtype, array.shape().clone(), place).expect("inside"));
            arrays.push(array);
        }
        for _ in 0..random.below(4).max(arrays.len() - 1) {
            let mut arg = || args[random.below(args.len())];
            let [x, y, z] = [arg(), arg(), arg()];
            let result = match random.below(4) {
                0 => builder.step(Code::Binary(BinaryOp::Mul), &[x, y], dtype),
                1 => builder.step(Code::Unary(UnaryOp::Exp), &[x], dtype),
                2 => builder.step(Code::MultiplyAdd { form: MultiplyAdd::Add, divides: false }, &[x, y, z], dtype),
                _ => builder.step(Code::Binary(BinaryOp::Add), &[x, y], dtype),
            };
            args.push(result.expect("floats"));
        }
        (builder.finish().expect("short"), arrays)
    }

    fn computed(chain: &Chain, arrays: &[&Array], lanes: &mut Lanes) -> Array {
        let mut result = Array::zeros(chain.dtype(), chain.shape().clone()).expect("small");
        let views: Vec<_> =
            arrays.iter().enumerate().map(|(read, array)| chain.view_of(read, array.buffer())).collect();
        chain.run(&views, &mut Target::whole(&mut result), lanes);
        result
    }

    #[test]
    fn joined_chains_compute_what_they_compute_one_after_the_other() {
        in_each_way(|isa, compilation| {
            let mut random = Random(71);
            let mut lanes = Lanes::default();
            for round in 0..100 {
                let shape = Shape::from(random.pick(&[[1, 700], [40, 33], [3, 5], [9, 300], [70, 64]]));
                let (first, first_arrays) = some(&shape, &mut random);
                let (second, second_arrays) = some(&shape, &mut random);
                let first_arrays: Vec<&Array> = first_arrays.iter().collect();
                let between = computed(&first, &first_arrays, &mut lanes);
                let mut arrays: Vec<&Array> = second_arrays.iter().collect();
                arrays[0] = &between;
                let expected = computed(&second, &arrays, &mut lanes);
                let joined = second.joined(0, &first).expect("short");
                let all: Vec<&Array> = first_arrays.iter().chain(&arrays[1..]).copied().collect();
                assert!(
                    same(&computed(&joined, &all, &mut lanes), &expected),
                    "round {round}: {shape} with {isa:?}, {compilation:?}"
                );
            }
        });
    }

    #[test]
    fn what_is_not_all_of_a_result_or_too_long_stays_two_chains() {
        let shape = Shape::from([8, 40]);
        let sum = |reads: usize, shape: &Shape, place: &Place| {
            let mut builder = ChainBuilder::new(Shape::from([8, 40]));
            let mut sum = builder.read(DType::F32, shape.clone(), place.clone()).expect("inside");
            for _ in 1..reads {
                let next = builder.read(DType::F32, Shape::from([8, 40]), Place::same(2)).expect("all");
                sum = builder.step(Code::Binary(BinaryOp::Add), &[sum, next], DType::F32).expect("floats");
            }
            builder.finish().expect("short")
        };
        let all = Place::same(2);
        assert!(sum(6, &shape, &all).joined(0, &sum(5, &shape, &all)).is_some());
        assert!(sum(6, &shape, &all).joined(5, &sum(6, &shape, &all)).is_none(), "eleven reads");
        assert!(sum(2, &shape, &all).joined(2, &sum(2, &shape, &all)).is_none(), "no such read");
        // Another part of an array that has more, and one that is rounded in between.
        let later = Place { starts: [1, 0].into_iter().collect(), ..Place::same(2) };
        assert!(sum(2, &Shape::from([9, 40]), &later).joined(0, &sum(2, &shape, &all)).is_none());
        let halves = |dtype: DType| {
            let mut builder = ChainBuilder::new(Shape::from([8, 40]));
            let x = builder.read(dtype, Shape::from([8, 40]), Place::same(2)).expect("all");
            builder.step(Code::Unary(UnaryOp::Neg), &[x], dtype).expect("numbers");
            builder.finish().expect("short")
        };
        assert!(halves(DType::F32).joined(0, &halves(DType::F32)).is_some());
        assert!(halves(DType::BF16).joined(0, &halves(DType::BF16)).is_none());
    }
}
