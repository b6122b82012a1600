import sys
print("leaving")
try:
    sys.exit("a message")
finally:
    print("finally")
