//! Labels of the elements of a tile: 0 for elements that are fine, else the number of the garbage that they depend on.

use pallas_tensor::ops::{self, BinaryOp};
use pallas_tensor::{Array, DType, Scalar, Shape};

/// Labels of a tile; `None` where all elements are fine.
pub(super) type Labels = Option<Array>;

/// Labels that are the same everywhere.
pub(super) fn uniform(shape: &Shape, label: i32) -> Labels {
    match label {
        0 => None,
        _ => Array::full(DType::I32, shape.clone(), Scalar::Int(label.into())).ok(),
    }
}

/// `labels` as an array, zeros included.
pub(super) fn array(labels: &Labels, shape: &Shape) -> Option<Array> {
    match labels {
        Some(labels) => Some(labels.clone()),
        None => Array::zeros(DType::I32, shape.clone()).ok(),
    }
}

/// Nothing where all are fine: so most tiles cost nothing.
pub(super) fn tidy(labels: Array) -> Labels {
    labels.elements::<i32>().is_some_and(|labels| labels.iter().any(|&label| label != 0)).then_some(labels)
}

/// What depends on both.
pub(super) fn either(left: Labels, right: Labels) -> Labels {
    match (left, right) {
        (None, labels) | (labels, None) => labels,
        (Some(left), Some(right)) => ops::binary(BinaryOp::Max, left, right).ok().and_then(tidy),
    }
}

/// How many elements [`both`] looks at: none where neither way wrote anything.
pub(super) fn compared(left: &Labels, right: &Labels) -> usize {
    match (left.as_ref().and_then(Array::elements::<i32>), right.as_ref().and_then(Array::elements::<i32>)) {
        (Some(left), Some(right)) if !std::ptr::eq(left, right) => left.len(),
        _ => 0,
    }
}

/// Whether the same elements have the same labels.
pub(super) fn same(left: &Labels, right: &Labels) -> bool {
    match (left, right) {
        (None, None) => true,
        (Some(left), Some(right)) => left.elements::<i32>() == right.elements::<i32>(),
        _ => false,
    }
}

/// What is garbage whichever of the two it is.
pub(super) fn both(left: Labels, right: Labels) -> Labels {
    let (left, right) = (left?, right?);
    let (left_labels, right_labels) = (left.elements::<i32>()?, right.elements::<i32>()?);
    if std::ptr::eq(left_labels, right_labels) {
        return Some(left);
    }
    let mut joined: Vec<i32> = Vec::with_capacity(left.size());
    joined.extend(left_labels.iter().zip(right_labels).map(|(&a, &b)| if a == 0 || b == 0 { 0 } else { a.max(b) }));
    tidy(Array::from_i32s(left.shape().clone(), &joined).ok()?)
}

/// The one label of all elements, if they have the same. Without a way out of the loop: many elements at once.
pub(super) fn only(labels: &[i32]) -> Option<i32> {
    let first = *labels.first()?;
    (labels.iter().fold(0, |differ, label| differ | (label ^ first)) == 0).then_some(first)
}

/// Each label replaced.
pub(super) fn map(labels: Labels, mut replace: impl FnMut(i32) -> i32) -> Labels {
    let labels = labels?;
    let elements = labels.elements::<i32>()?;
    if let Some(label) = only(elements) {
        return uniform(labels.shape(), if label == 0 { 0 } else { replace(label) });
    }
    let mapped: Vec<i32> = elements.iter().map(|&label| if label == 0 { 0 } else { replace(label) }).collect();
    tidy(Array::from_i32s(labels.shape().clone(), &mapped).ok()?)
}

/// The labels without those that are to go. Most tiles have one label only, or none that goes: they are not made anew.
pub(super) fn without(labels: Labels, is_gone: impl Fn(i32) -> bool) -> Labels {
    let labels = labels?;
    let elements = labels.elements::<i32>()?;
    if let Some(label) = only(elements) {
        return (label != 0 && !is_gone(label)).then_some(labels);
    }
    if !elements.iter().any(|&label| label != 0 && is_gone(label)) {
        return Some(labels);
    }
    let kept: Vec<i32> = elements.iter().map(|&label| if label != 0 && is_gone(label) { 0 } else { label }).collect();
    tidy(Array::from_i32s(labels.shape().clone(), &kept).ok()?)
}

/// Labels kept where `keep` is true, gone elsewhere.
pub(super) fn keep_where(labels: Labels, keep: &Array, wanted: bool) -> Labels {
    let labels = labels?;
    let kept: Vec<i32> = labels
        .elements::<i32>()?
        .iter()
        .zip(keep.iter_scalars())
        .map(|(&label, keep)| if keep.as_bool() == Some(wanted) { label } else { 0 })
        .collect();
    tidy(Array::from_i32s(labels.shape().clone(), &kept).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(values: &[i32]) -> Labels {
        tidy(Array::from_i32s(Shape::from(&[values.len()][..]), values).expect("fits"))
    }

    #[test]
    fn labels_join() {
        assert_eq!(either(labels(&[0, 1, 2, 0]), labels(&[0, 3, 0, 4])), labels(&[0, 3, 2, 4]));
        assert_eq!(both(labels(&[0, 1, 2, 0]), labels(&[0, 3, 0, 4])), labels(&[0, 3, 0, 0]));
        assert_eq!(both(labels(&[1]), None), None);
    }

    #[test]
    fn labels_go() {
        let is_gone = |label: i32| label > 1;
        assert_eq!(without(labels(&[2, 2, 2]), is_gone), None);
        assert_eq!(without(labels(&[1, 1]), is_gone), labels(&[1, 1]));
        assert_eq!(without(labels(&[0, 1, 0]), is_gone), labels(&[0, 1, 0]));
        assert_eq!(without(labels(&[0, 1, 2]), is_gone), labels(&[0, 1, 0]));
        assert_eq!(without(labels(&[0, 2, 3]), is_gone), None);
    }

    #[test]
    fn masks_take_labels_away() {
        let mask = Array::from_scalars(DType::Bool, Shape::from(&[2][..]), &[Scalar::Bool(true), Scalar::Bool(false)]);
        assert_eq!(keep_where(labels(&[1, 1]), &mask.expect("fits"), true), labels(&[1, 0]));
    }
}
