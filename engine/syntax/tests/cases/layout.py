#!/usr/bin/env python
# -*- coding: utf-8 -*-
"""Module docstring."""

if x:
  two
else:
        eight
if x:
	tab
	if y:
		tabs
def f(
  a,
b):
      return [
  1,
2,
      ]
x = (1 +
# comment inside
2)
if x: # comment
    # comment

    y # comment

  # odd comment
    z
class A:

    def f(self):

        return 1

    # comment between

    def g(self):
        return 2
# after
x = """
  text
    if y:
""" + 'z'
def g():
    """Doc.

  less indented
    """
    return 1
x = 1; y = 2;
if a and \
   b:
    c
x = {
    'a': 1,  # one
    # two
    'b': [
        2,
    ],
}
foo(a)(
    b
)
f(
    a=1,
    **k
)
é = 1
naïve = é + 'ü'
x = y if z \
    else w
