def divide(a, b):
    return a / b

def middle(values):
    total = 0
    for value in values:
        total += divide(10, value) + 1
    return total

print("before")
print(middle([1, 2,
              0]))
