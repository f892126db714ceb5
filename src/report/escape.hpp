// SPDX-License-Identifier: Apache-2.0
//
// Escapes untrusted text for a page: column names and titles may hold anything.

#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace credens::report {

/// Text for an element or a quoted attribute. Bytes that are not UTF-8 become the replacement character.
std::string html_text(std::string_view text);

/// JSON that cannot end the script element it stands in: no `<` is left in it. What is not finite is null.
std::string script_json(const nlohmann::json& value);

}  // namespace credens::report
