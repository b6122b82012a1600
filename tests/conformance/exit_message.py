"""sys.exit with a message: printed on stderr, exit code 1; SystemExit can be caught."""
import sys

try:
  sys.exit(9)
except SystemExit as stop:
  print("caught", stop.code)
try:
  exit()
except SystemExit as stop:
  print("caught", stop.code)
print("now for real")
sys.exit("stopped: nothing to do")
