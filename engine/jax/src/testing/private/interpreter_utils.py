"""Ranges of subscripts against shapes."""


def is_range_out_of_bounds_for_shape(rnge, shape):
    for part, extent in zip(rnge, shape):
        if isinstance(part, int):
            if part < 0 or part >= extent:
                return True
        else:
            start = 0 if part.start is None else part.start
            stop = extent if part.stop is None else part.stop
            step = 1 if part.step is None else part.step
            count = max(0, -(-(stop - start) // step))
            if count and (start < 0 or start + (count - 1) * step >= extent):
                return True
    return False
