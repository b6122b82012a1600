# A list of 10**12 numbers.
# jax: MemoryError
table = [0] * 10**12
#       ^ PL004 warning "memory"
