# SPDX-License-Identifier: Apache-2.0
"""The module that carries messages, with ranks that hang in the middle: TEST.py PROGRAM DRIVER."""

import sys
import time
from pathlib import Path

from ranks import MODULE, Ranks, main

DRIVER = Path(sys.argv[2]).resolve()


class Wire(Ranks):
    def test_a_message_that_stays_half_way_holds_up_its_sender_alone(self):
        printed, _ = self.run_ranks(3, MODULE, "half", program=DRIVER)
        self.assertEqual(printed.splitlines(), ["5 bytes from rank 2", f"{64 << 20} bytes from rank 1", "6 bytes from rank 1"])

    def test_a_rank_that_never_closes_is_not_waited_for(self):
        start = time.monotonic()
        self.run_ranks(3, MODULE, "closing", program=DRIVER, status=7)
        self.assertLess(time.monotonic() - start, 30)


if __name__ == "__main__":
    main()
