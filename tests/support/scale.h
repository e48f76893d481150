// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace bochner::test {

/// BOCHNER_TEST_SCALE: the share of seeds, samples and cases that a run takes; 1 unless set. Sanitizer presets set
/// 0.05.
inline double test_scale() {
  const char* text = std::getenv("BOCHNER_TEST_SCALE");
  if (text == nullptr || *text == '\0') return 1.0;
  char* end = nullptr;
  const double scale = std::strtod(text, &end);
  if (*end != '\0' || !std::isfinite(scale) || scale <= 0)
    throw std::invalid_argument("BOCHNER_TEST_SCALE is " + std::string(text) + "; expected a number > 0");
  return scale;
}

/// n times the scale, rounded up, and not below `at_least`. A test computes its threshold from the number it gets here.
inline std::size_t scaled(std::size_t n, std::size_t at_least = 1) {
  const auto share = static_cast<std::size_t>(std::ceil(static_cast<double>(n) * test_scale()));
  return std::max(share, at_least);
}

}  // namespace bochner::test
