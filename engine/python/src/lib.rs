//! Evaluates Python: values, scopes, classes, generators, builtins, standard modules; knows no JAX.
