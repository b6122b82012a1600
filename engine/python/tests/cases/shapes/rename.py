def rename():
    return "the function, not the module"
