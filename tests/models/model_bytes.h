// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace bochner::test {

/// A model file of this header and these numbers.
inline std::string with_length(const std::string& header, const std::string& payload) {
  std::string out;
  for (int k = 0; k < 8; ++k) out += static_cast<char>(header.size() >> (8 * k) & 0xff);
  return out + header + payload;
}

}  // namespace bochner::test
