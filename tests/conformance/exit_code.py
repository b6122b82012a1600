"""sys.exit with a number, after output and through finally."""
import sys

try:
  print("leaving")
  sys.exit(3)
finally:
  print("finally runs")
