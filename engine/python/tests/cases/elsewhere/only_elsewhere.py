place = "on sys.path"
