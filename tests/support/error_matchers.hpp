// SPDX-License-Identifier: Apache-2.0
//
// EXPECT_THAT([&] { call(); }, test::Fails(ErrorCode::data, "row 3")): throws credens::Error with that code and these
// words.

#pragma once

#include <credens/error.hpp>

#include <gmock/gmock.h>

namespace credens::test {

template <class... Words>
auto Fails(ErrorCode code, const Words&... words) {
  return testing::Throws<Error>(testing::AllOf(testing::Property("code", &Error::code, code),
                                               testing::Property("what", &Error::what, testing::HasSubstr(words))...));
}

}  // namespace credens::test
