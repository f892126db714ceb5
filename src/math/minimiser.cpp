// SPDX-License-Identifier: Apache-2.0

#include "math/minimiser.hpp"

#include <boost/math/tools/minima.hpp>

namespace credens::math {

double minimiser(const std::function<double(double)>& f, double low, double high) {
  constexpr int bits = 10;
  boost::uintmax_t evaluations = 40;
  return boost::math::tools::brent_find_minima(f, low, high, bits, evaluations).first;
}

}  // namespace credens::math
