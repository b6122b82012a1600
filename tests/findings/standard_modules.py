# Modules of Python that the workbench has not: they are not said to be missing, and what they have is unknown where it is used.
# jax: not run
import csv
import os
import xml.etree.ElementTree as ET
from gzip import open as opened
#^ PL005 warning "`gzip.open` is not provided"
import unused.of.nobody
#^ PL002 warning "No module named 'unused'"

rows = csv.reader([])
#      ^ PL005 warning "`csv.reader` is not provided"
tree = ET.parse("a.xml")
#      ^ PL005 warning "`xml.etree.ElementTree.parse` is not provided"
start = os.posix_spawn
#       ^ PL005 warning "`os.posix_spawn` is not provided"
nothing = os.no_such_name
#         ^ PL312 error "has no attribute 'no_such_name'"
if nothing: import torch
#           ^ PL002 warning "`torch` is not evaluated"
import setuptools
#^ PL002 warning "`setuptools` is not evaluated"
from IPython import get_ipython

setuptools.setup(name="kernels", packages=setuptools.find_packages())
shell = get_ipython()
if shell is not None: shell.set_custom_exc((Exception,), print)
