// SPDX-License-Identifier: Apache-2.0
//
// Everything a user of the library needs.

#pragma once

#include <credens/budget.hpp>
#include <credens/class_predictive.hpp>
#include <credens/class_score.hpp>
#include <credens/conformity.hpp>
#include <credens/dataset.hpp>
#include <credens/ensemble.hpp>
#include <credens/error.hpp>
#include <credens/expectation.hpp>
#include <credens/explain.hpp>
#include <credens/fit.hpp>
#include <credens/guarantee.hpp>
#include <credens/matrix.hpp>
#include <credens/member_outputs.hpp>
#include <credens/network.hpp>
#include <credens/onnx.hpp>
#include <credens/output_rows.hpp>
#include <credens/outputs_folder.hpp>
#include <credens/outputs_widening.hpp>
#include <credens/predictive.hpp>
#include <credens/predictor.hpp>
#include <credens/problems.hpp>
#include <credens/promise.hpp>
#include <credens/score.hpp>
#include <credens/store.hpp>
#include <credens/suggest.hpp>
#include <credens/trust.hpp>
#include <credens/uncertain_inputs.hpp>
#include <credens/version.hpp>
#include <credens/widen.hpp>
