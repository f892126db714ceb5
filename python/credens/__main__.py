# SPDX-License-Identifier: Apache-2.0
"""`python -m credens VERB ...` is `credens VERB ...`, also where the program is not on the PATH."""

from credens_program import main

if __name__ == "__main__":
    main()
