// SPDX-License-Identifier: Apache-2.0
//
// How the regression function at one row goes with the function at another.

#pragma once

#include <credens/matrix.hpp>

#include <vector>

#include "model/member_source.hpp"

namespace credens::model {

/// Per output k the matrix sum_l w_l [(m_li - m_i)(m_lj - m_j) + phi_li^T Sigma_lk phi_lj] over rows i and j, [N x N],
/// in data units.
std::vector<Matrix> joint_covariance(const EnsembleState& state, const MemberSource& rows);

}  // namespace credens::model
