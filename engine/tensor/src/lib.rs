//! Dtypes, shapes, arrays, numerics, numpy printing and random bits.
