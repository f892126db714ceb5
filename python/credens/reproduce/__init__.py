# SPDX-License-Identifier: Apache-2.0
"""The paper's figures and tables and the UCI benchmark: python -m credens.reproduce figure1|figure2|table2|uci|all.

Runs can be stopped and go on; results are files, and everything stands on one page. One module per experiment
(`simulated`, `table2`, `uci`) says what is trained and measured.
"""
