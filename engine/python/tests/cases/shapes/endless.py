early = 1
while True:
    pass
late = 2
