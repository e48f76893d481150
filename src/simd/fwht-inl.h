// SPDX-License-Identifier: Apache-2.0
// Walsh-Hadamard stages in registers: across vectors (radix 2 to 16) and within a vector.

#if defined(BOCHNER_SIMD_FWHT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BOCHNER_SIMD_FWHT_INL_H_
#undef BOCHNER_SIMD_FWHT_INL_H_
#else
#define BOCHNER_SIMD_FWHT_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class V>
HWY_INLINE void radix2(V& a, V& b) {
  const V sum = hn::Add(a, b);
  b = hn::Sub(a, b);
  a = sum;
}

template <class V>
HWY_INLINE void radix4(V& a, V& b, V& c, V& e) {
  radix2(a, c), radix2(b, e);
  radix2(a, b), radix2(c, e);
}

template <class V>
HWY_INLINE void radix8(V& a0, V& a1, V& a2, V& a3, V& a4, V& a5, V& a6, V& a7) {
  radix2(a0, a4), radix2(a1, a5), radix2(a2, a6), radix2(a3, a7);
  radix4(a0, a1, a2, a3), radix4(a4, a5, a6, a7);
}

/// -1 in the lanes whose index has bit `distance`, 1 in the others.
template <class D>
HWY_INLINE hn::VFromD<D> alternating(D d, std::size_t distance) {
  using T = hn::TFromD<D>;
  const hn::RebindToSigned<D> di;
  const auto bit = hn::And(hn::Iota(di, 0), hn::Set(di, static_cast<hn::TFromD<decltype(di)>>(distance)));
  return hn::IfThenElse(hn::RebindMask(d, hn::Eq(bit, hn::Zero(di))), hn::Set(d, T(1)), hn::Set(d, T(-1)));
}

/// The stages of distance below one vector (of at most 64 bytes). Each is one shuffle and one multiply-add by +-1,
/// which is exact. s1 ... s8 = alternating(d, 1 ... 8).
#if HWY_TARGET == HWY_SCALAR
template <class D, class V = hn::VFromD<D>>
HWY_INLINE void in_vector(D, V&, V, V, V, V) {}
#else
template <class D, class V = hn::VFromD<D>>
HWY_INLINE void in_vector(D d, V& v, V s1, V s2, V s4, V s8) {
  const std::size_t lanes = hn::Lanes(d);
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    if (lanes >= 16) v = hn::MulAdd(v, s8, hn::ConcatLowerUpper(d, v, v));
    if (lanes >= 8) v = hn::MulAdd(v, s4, hn::SwapAdjacentBlocks(v));
    v = hn::MulAdd(v, s2, hn::Shuffle1032(v));
    v = hn::MulAdd(v, s1, hn::Shuffle2301(v));
  } else {
    if (lanes >= 8) v = hn::MulAdd(v, s4, hn::ConcatLowerUpper(d, v, v));
    if (lanes >= 4) v = hn::MulAdd(v, s2, hn::SwapAdjacentBlocks(v));
    v = hn::MulAdd(v, s1, hn::Shuffle01(v));
  }
}
#endif

/// x with its signs changed by those of Diagonals at `signs`.
template <class D, class V = hn::VFromD<D>>
HWY_INLINE V with_signs(D d, V x, const std::uint8_t* signs) {
  using T = hn::TFromD<D>;
  const hn::RebindToUnsigned<D> du;
  const auto bytes = hn::LoadU(hn::Rebind<std::uint8_t, D>(), signs);
  if constexpr (sizeof(T) == 4) {
    return hn::Xor(x, hn::BitCast(d, hn::ShiftLeft<24>(hn::PromoteTo(du, bytes))));
  } else {
    const auto words = hn::PromoteTo(hn::Rebind<std::uint32_t, D>(), bytes);
    return hn::Xor(x, hn::BitCast(d, hn::ShiftLeft<56>(hn::PromoteTo(du, words))));
  }
}

/// kRadix-point transforms across the kRadix parts of x[0 .. n), written to y; x and y may be the same.
template <std::size_t kRadix, bool kSigned, class T>
HWY_NOINLINE void across(const T* x, const std::uint8_t* signs, T* y, std::size_t n) {
  const hn::CappedTag<T, 64 / sizeof(T)> d;
  using V = hn::VFromD<decltype(d)>;
  const std::size_t h = n / kRadix;
  for (std::size_t c = 0; c < h; c += hn::Lanes(d)) {
    const auto get = [=](std::size_t k) HWY_ATTR {
      const V v = hn::LoadU(d, x + k * h + c);
      return kSigned ? with_signs(d, v, signs + k * h + c) : v;
    };
    const auto put = [=](V v, std::size_t k) HWY_ATTR { hn::StoreU(v, d, y + k * h + c); };
    if constexpr (kRadix == 2) {
      V a0 = get(0), a1 = get(1);
      radix2(a0, a1);
      put(a0, 0), put(a1, 1);
    } else if constexpr (kRadix == 4) {
      V a0 = get(0), a1 = get(1), a2 = get(2), a3 = get(3);
      radix4(a0, a1, a2, a3);
      put(a0, 0), put(a1, 1), put(a2, 2), put(a3, 3);
    } else if constexpr (kRadix == 8) {
      V a0 = get(0), a1 = get(1), a2 = get(2), a3 = get(3), a4 = get(4), a5 = get(5), a6 = get(6), a7 = get(7);
      radix8(a0, a1, a2, a3, a4, a5, a6, a7);
      put(a0, 0), put(a1, 1), put(a2, 2), put(a3, 3), put(a4, 4), put(a5, 5), put(a6, 6), put(a7, 7);
    } else {
      V a0 = get(0), a1 = get(1), a2 = get(2), a3 = get(3), a4 = get(4), a5 = get(5), a6 = get(6), a7 = get(7);
      V b0 = get(8), b1 = get(9), b2 = get(10), b3 = get(11), b4 = get(12), b5 = get(13), b6 = get(14), b7 = get(15);
      radix2(a0, b0), radix2(a1, b1), radix2(a2, b2), radix2(a3, b3);
      radix2(a4, b4), radix2(a5, b5), radix2(a6, b6), radix2(a7, b7);
      radix8(a0, a1, a2, a3, a4, a5, a6, a7);
      put(a0, 0), put(a1, 1), put(a2, 2), put(a3, 3), put(a4, 4), put(a5, 5), put(a6, 6), put(a7, 7);
      radix8(b0, b1, b2, b3, b4, b5, b6, b7);
      put(b0, 8), put(b1, 9), put(b2, 10), put(b3, 11), put(b4, 12), put(b5, 13), put(b6, 14), put(b7, 15);
    }
  }
}

/// `rows` rows of `count` chunks of a few vectors each: the last stages of any transform.
template <class T>
struct Chunks {
  std::size_t rows;
  std::size_t count;
  const T* x;
  std::size_t x_stride;
  const std::uint8_t* signs;  ///< of every row
  T* y;
  std::size_t y_stride;
  const T* factors;          ///< of every row
  std::size_t factors_step;  ///< per chunk
  std::size_t ahead;         ///< numbers this far beyond x are prefetched; 0: none
};

template <std::size_t kVectors, bool kSigned, bool kScaled, class D, class T = hn::TFromD<D>>
HWY_INLINE void within_chunk(D d, const T* x, const std::uint8_t* signs, T* y, const T* factors) {
  using V = hn::VFromD<D>;
  const std::size_t lanes = hn::Lanes(d);
  const V s1 = alternating(d, 1), s2 = alternating(d, 2), s4 = alternating(d, 4), s8 = alternating(d, 8);
  const auto get = [=](std::size_t k) HWY_ATTR {
    const V v = hn::LoadU(d, x + k * lanes);
    return kSigned ? with_signs(d, v, signs + k * lanes) : v;
  };
  const auto put = [=](V v, std::size_t k) HWY_ATTR {
    in_vector(d, v, s1, s2, s4, s8);
    if (kScaled) v = hn::Mul(v, hn::LoadU(d, factors + k * lanes));
    hn::StoreU(v, d, y + k * lanes);
  };
  if constexpr (kVectors == 1) {
    put(get(0), 0);
  } else if constexpr (kVectors == 2) {
    V a0 = get(0), a1 = get(1);
    radix2(a0, a1);
    put(a0, 0), put(a1, 1);
  } else if constexpr (kVectors == 4) {
    V a0 = get(0), a1 = get(1), a2 = get(2), a3 = get(3);
    radix4(a0, a1, a2, a3);
    put(a0, 0), put(a1, 1), put(a2, 2), put(a3, 3);
  } else {
    V a0 = get(0), a1 = get(1), a2 = get(2), a3 = get(3), a4 = get(4), a5 = get(5), a6 = get(6), a7 = get(7);
    radix8(a0, a1, a2, a3, a4, a5, a6, a7);
    put(a0, 0), put(a1, 1), put(a2, 2), put(a3, 3), put(a4, 4), put(a5, 5), put(a6, 6), put(a7, 7);
  }
}

template <std::size_t kVectors, bool kSigned, bool kScaled, class D, class T = hn::TFromD<D>>
HWY_NOINLINE void within(D d, const Chunks<T>& chunks) {
  const std::size_t chunk = kVectors * hn::Lanes(d);
  for (std::size_t i = 0; i < chunks.rows; ++i) {
    const T* x = chunks.x + i * chunks.x_stride;
    T* y = chunks.y + i * chunks.y_stride;
    const std::uint8_t* signs = chunks.signs;
    const T* factors = chunks.factors;
    for (std::size_t c = 0; c < chunks.count; ++c, x += chunk, y += chunk) {
      within_chunk<kVectors, kSigned, kScaled>(d, x, signs, y, factors);
      if (chunks.ahead > 0)
        for (std::size_t k = 0; k < chunk * sizeof(T); k += 64)
          hwy::Prefetch(reinterpret_cast<const char*>(x + chunks.ahead) + k);
      if (kSigned) signs += chunk;
      if (kScaled) factors += chunks.factors_step;
    }
  }
}

}  // namespace bochner::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // BOCHNER_SIMD_FWHT_INL_H_
