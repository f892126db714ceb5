# SPDX-License-Identifier: Apache-2.0
"""Random instants at which tests kill programs, and how many of them are wanted."""

import os
import random

TORTURE = os.environ.get("CREDENS_TORTURE") == "1"


def random_source():
    """Another one in each run; the printed number makes a run come again, as far as its instants are concerned."""
    seed = int(os.environ.get("CREDENS_TEST_SEED") or random.SystemRandom().randrange(2**32))
    print(f"CREDENS_TEST_SEED={seed}", flush=True)
    return random.Random(seed)
