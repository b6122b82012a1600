"""A name that does not exist, with the suggestion Python makes."""
value = 3
print(value)
print(valeu)
