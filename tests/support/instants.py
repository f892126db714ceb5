# SPDX-License-Identifier: Apache-2.0
"""Which of many cases and instants a run tries: a sample, another one in each run, or all of them with CREDENS_TORTURE=1."""

import os
import random

TORTURE = os.environ.get("CREDENS_TORTURE") == "1"


def random_source():
    """Another one in each run; the printed number makes a run come again, as far as its instants are concerned."""
    seed = int(os.environ.get("CREDENS_TEST_SEED") or random.SystemRandom().randrange(2**32))
    print(f"CREDENS_TEST_SEED={seed}", flush=True)
    return random.Random(seed)


def sampled(count):
    """A decorator for a class of tests: a run tries `count` of its tests, and all of them where everything is wanted."""
    def keep_some(case):
        names = [name for name in dir(case) if name.startswith("test_")]
        left_out = [] if TORTURE else random_source().sample(names, max(0, len(names) - count))
        for name in left_out:
            setattr(case, name, None)
        if left_out:
            print(f"left out here, tried by ./dev torture: {', '.join(sorted(left_out))}", flush=True)
        return case
    return keep_some
