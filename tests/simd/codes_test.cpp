// SPDX-License-Identifier: Apache-2.0
#include "simd/codes.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "bochner/matrix.h"
#include "core/stream.h"

namespace bochner {
namespace {

template <class T>
void packs_like_the_definition() {
  const Stream stream(1, Purpose::iid_entries);
  for (std::size_t n = 0; n < 200; ++n) {
    std::vector<T> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(stream.normal(n, i));
    if (n > 2) values[n - 1] = T(0), values[n - 2] = -T(0), values[0] = -std::numeric_limits<T>::denorm_min();
    std::vector<std::uint64_t> words((n + 63) / 64, ~std::uint64_t{0});
    simd::pack_signs<T>(values, words);
    for (std::size_t i = 0; i < 64 * words.size(); ++i)
      EXPECT_EQ((words[i / 64] >> (i % 64)) & 1, i < n && values[i] >= 0 ? 1 : 0) << n << " " << i;
  }
}

TEST(Codes, PackSignsOfFloats) { packs_like_the_definition<float>(); }
TEST(Codes, PackSignsOfDoubles) { packs_like_the_definition<double>(); }

TEST(Codes, HammingCountsDifferingBits) {
  const Stream stream(2, Purpose::iid_entries);
  for (const std::size_t words : {1, 2, 3, 4, 5, 8, 17}) {
    Matrix<std::uint64_t> codes(9, words + 1);  // rows that lie apart
    std::vector<std::uint64_t> code(words);
    for (std::size_t j = 0; j < words; ++j) code[j] = stream.bits(100, j);
    for (std::size_t i = 0; i < 9; ++i)
      for (std::size_t j = 0; j <= words; ++j) codes(i, j) = stream.bits(i, j);
    std::vector<std::uint32_t> found(9);
    simd::hamming(code, codes.view().col_range(0, words), found);
    for (std::size_t i = 0; i < 9; ++i) {
      int expected = 0;
      for (std::size_t j = 0; j < words; ++j) expected += std::popcount(code[j] ^ codes(i, j));
      EXPECT_EQ(found[i], static_cast<std::uint32_t>(expected)) << words << " " << i;
    }
  }
}

}  // namespace
}  // namespace bochner
