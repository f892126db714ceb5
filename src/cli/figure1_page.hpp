// SPDX-License-Identifier: Apache-2.0
//
// The paper's Figure 1 in words, tables and charts.

#pragma once

#include <cstdint>

#include "report/page.hpp"
#include "study/figure1.hpp"

namespace credens::cli {

/// The classical ensemble beside the extended one; also for the terminal.
report::Table figure1_scores(const study::Figure1& figure);

/// The six panels under a title.
report::Section figure1_panels(const study::Figure1& figure);

/// `seed` is what the figure was made from.
report::Page figure1_page(const study::Figure1& figure, std::uint64_t seed);

}  // namespace credens::cli
