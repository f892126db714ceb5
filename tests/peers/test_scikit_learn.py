# SPDX-License-Identifier: Apache-2.0
"""The regressor that is constructed by default passes scikit-learn's check_estimator.

python/tests/test_sklearn.py checks smaller ones, one test per check; this one trains full ensembles for minutes.
"""

import warnings

import pytest

pytest.importorskip("sklearn", minversion="1.6", reason="scikit-learn 1.6 or newer is not installed")

from credens.sklearn import CredensRegressor
from sklearn.utils.estimator_checks import check_estimator

EXPECTED_TO_FAIL = {
    "check_sample_weight_equivalence_on_dense_data": "copies of a row fall into different minibatches, one row of weight k does not"
}


def test_the_default_passes_check_estimator():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(CredensRegressor(), expected_failed_checks=EXPECTED_TO_FAIL, on_fail=None)
    by_status = {status: [r for r in results if r["status"] == status] for status in ("passed", "failed", "xfail", "skipped")}
    print({status: len(found) for status, found in by_status.items()})
    assert {r["check_name"]: r["exception"] for r in by_status["failed"]} == {}
    assert {r["check_name"] for r in by_status["xfail"]} <= set(EXPECTED_TO_FAIL)
