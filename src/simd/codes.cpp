// SPDX-License-Identifier: Apache-2.0
#include "simd/codes.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "simd/lanes.h"
#include "simd/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/codes.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h comes before any other Highway header
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
HWY_INLINE void pack_any(const T* HWY_RESTRICT values, std::size_t n, std::uint64_t* HWY_RESTRICT words) {
  const hn::CappedTag<T, 64> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto zero = hn::Zero(d);
  std::fill(words, words + (n + 63) / 64, 0);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(d, hn::Ge(hn::LoadU(d, values + i), zero), bytes);
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < (lanes + 7) / 8; ++k) bits |= std::uint64_t{bytes[k]} << (8 * k);
    words[i / 64] |= bits << (i % 64);
  }
  for (; i < n; ++i) words[i / 64] |= std::uint64_t{values[i] >= 0} << (i % 64);
}

void pack_float(const float* values, std::size_t n, std::uint64_t* words) { pack_any(values, n, words); }
void pack_double(const double* values, std::size_t n, std::uint64_t* words) { pack_any(values, n, words); }

void hamming_rows(const std::uint64_t* HWY_RESTRICT code, std::size_t words, const std::uint64_t* HWY_RESTRICT codes,
                  std::size_t stride, std::size_t rows, std::uint32_t* HWY_RESTRICT distances) {
  const hn::ScalableTag<std::uint64_t> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint64_t* HWY_RESTRICT row = codes + i * stride;
    auto sum = hn::Zero(d);
    std::size_t j = 0;
    for (; j + lanes <= words; j += lanes)
      sum = hn::Add(sum, hn::PopulationCount(hn::Xor(hn::LoadU(d, code + j), hn::LoadU(d, row + j))));
    const hn::CappedTag<std::uint64_t, 1> one;
    std::uint64_t total = hn::GetLane(hn::SumOfLanes(d, sum));
    for (; j < words; ++j)
      total += hn::GetLane(hn::PopulationCount(hn::Xor(hn::LoadU(one, code + j), hn::LoadU(one, row + j))));
    distances[i] = static_cast<std::uint32_t>(total);
  }
}

}  // namespace bochner::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::simd {
namespace {

HWY_EXPORT(pack_float);
HWY_EXPORT(pack_double);
HWY_EXPORT(hamming_rows);

}  // namespace

template <>
void pack_signs(std::span<const float> values, std::span<std::uint64_t> words) {
  current_target();
  HWY_DYNAMIC_DISPATCH(pack_float)(values.data(), values.size(), words.data());
}
template <>
void pack_signs(std::span<const double> values, std::span<std::uint64_t> words) {
  current_target();
  HWY_DYNAMIC_DISPATCH(pack_double)(values.data(), values.size(), words.data());
}

void hamming(std::span<const std::uint64_t> code, MatrixView<const std::uint64_t> codes,
             std::span<std::uint32_t> distances) {
  current_target();
  HWY_DYNAMIC_DISPATCH(hamming_rows)
  (code.data(), code.size(), codes.data(), codes.stride(), codes.rows(), distances.data());
}

}  // namespace bochner::simd
#endif  // HWY_ONCE
