"""The command line is not known in analysis: what must be given is unknown, the rest has its default."""

import argparse
p = argparse.ArgumentParser()
p.add_argument("path")
p.add_argument("--n", type=int, required=True)
p.add_argument("--m", type=int, default=3)
a = p.parse_args()
print(a.path is a.path, a.m)
