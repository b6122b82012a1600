def test_the_nearest_fixture_may_ask_for_the_one_it_replaces(name, scale):
    assert name == "inner of outer" and scale == 3
