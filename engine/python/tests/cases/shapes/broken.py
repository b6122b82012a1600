before = 1
raise ValueError("broken while importing")
