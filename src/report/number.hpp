// SPDX-License-Identifier: Apache-2.0
//
// Numbers as text for people. Values that are not finite become a dash.

#pragma once

#include <string>

namespace credens::report {

std::string percent(double fraction);                   ///< 0.9849 -> "98.5 %"
std::string fixed(double value, int decimals);          ///< 12.3456 -> "12.3" with 1; never "-0.0"
std::string significant(double value, int digits = 3);  ///< 12.3456 -> "12.3", 0.000123456 -> "0.000123"

}  // namespace credens::report
