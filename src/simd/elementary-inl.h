// SPDX-License-Identifier: Apache-2.0
// Elementary functions on lanes. Coefficients are minimax (Remez, 50 digits) on the stated interval.

#if defined(BOCHNER_SIMD_ELEMENTARY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BOCHNER_SIMD_ELEMENTARY_INL_H_
#undef BOCHNER_SIMD_ELEMENTARY_INL_H_
#else
#define BOCHNER_SIMD_ELEMENTARY_INL_H_
#endif

#include <cstdint>
#include <limits>
#include <numbers>
#include <type_traits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Coefficients by type: sin(pi r) / r and cos(pi r) in r^2, |r| <= 1/2; 2^r in r, |r| <= 1/2.
template <class T>
struct Coefficients;

template <>
struct Coefficients<float> {  // errors 5.3e-9 (relative), 2.4e-10 (absolute), 1.9e-9 (relative)
  static constexpr float sin_pi[] = {3.141592637f, -5.167709685f, 2.550069726f, -0.5982421263f, 0.07756038679f};
  static constexpr float cos_pi[] = {1.0f, -4.934802156f, 4.0587096f, -1.335216105f, 0.2349539256f, -0.02442069991f};
  static constexpr float exp2[] = {
      1.0f, 0.6931472057f, 0.2402264689f, 0.05550328777f, 0.009618488956f, 0.001339993118f, 0.0001534581216f};
};

template <>
struct Coefficients<double> {  // errors 2.6e-19, 6.8e-21, 3.1e-18
  static constexpr double sin_pi[] = {3.1415926535897932377,     -5.1677127800499695287,      2.5501640398772939404,
                                      -0.59926452931873826139,   0.082145886569893038774,     -0.007370430478764629614,
                                      0.00046629968877916672934, -0.000021903185429548639509, 7.6947273844559141955e-7};
  static constexpr double cos_pi[] = {1.0,
                                      -4.934802200544679306,
                                      4.0587121264167676652,
                                      -1.3352627688545589261,
                                      0.23533063035806462233,
                                      -0.025806891377308536165,
                                      0.0019295741917171997582,
                                      -0.00010463743313466570706,
                                      4.3007569607720568945e-6,
                                      -1.3437984846907179322e-7};
  static constexpr double exp2[] = {1.0,
                                    0.69314718055994533046,
                                    0.24022650695910156204,
                                    0.055504108664819921605,
                                    0.0096181291075883352443,
                                    0.0013333558146789921722,
                                    0.00015403530462514432062,
                                    0.000015252733489988525649,
                                    1.321543308967639918e-6,
                                    1.0178198021671930844e-7,
                                    7.0741056135081427963e-9,
                                    4.4352827069572771511e-10};
};

/// Horner's rule, from the highest coefficient down: c[0] + x (c[1] + x (...)).
template <std::size_t N, class D, class V = hn::VFromD<D>>
HWY_INLINE V polynomial(D d, V x, const hn::TFromD<D> (&c)[N]) {
  V sum = hn::Set(d, c[N - 1]);
  for (std::size_t i = N - 1; i-- > 0;) sum = hn::MulAdd(sum, x, hn::Set(d, c[i]));
  return sum;
}

/// sine = s sin(2 pi turns), cosine = s cos(2 pi turns).
/// r = turns - round(turns) is exact and |r| <= 1/2 for every finite argument, so the result is bounded by s (1 + 12 u)
/// even where no digit is right (|turns| > 2^22 in float). Half angles avoid quadrant logic: with sn = sin(pi r), cs =
/// cos(pi r):  sin(2 pi r) = 2 sn cs,  cos(2 pi r) = 1 - 2 sn^2. 17 operations for two results.
template <class D, class V = hn::VFromD<D>>
HWY_INLINE void sincos_turns(D d, V turns, V s, V& sine, V& cosine) {
  using C = Coefficients<hn::TFromD<D>>;
  const V r = hn::Sub(turns, hn::Round(turns));
  const V r2 = hn::Mul(r, r);
  const V sn = hn::Mul(r, polynomial(d, r2, C::sin_pi));
  const V cs = polynomial(d, r2, C::cos_pi);
  const V twice = hn::Mul(sn, hn::Add(s, s));
  sine = hn::Mul(twice, cs);
  cosine = hn::NegMulAdd(twice, sn, s);
}

/// s cos(2 pi turns) = s sin(pi (1/2 - 2 |r|)), r as above: one polynomial with a relative error, so that no phase is
/// worse than another.
template <class D, class V = hn::VFromD<D>>
HWY_INLINE V cos_turns(D d, V turns, V s) {
  using T = hn::TFromD<D>;
  const V r = hn::Sub(turns, hn::Round(turns));
  const V a = hn::NegMulAdd(hn::Set(d, T(2)), hn::Abs(r), hn::Set(d, T(0.5)));
  return hn::Mul(hn::Mul(s, a), polynomial(d, hn::Mul(a, a), Coefficients<T>::sin_pi));
}

/// 2^t, relative error <= 2 u for t in [-126, 128) ([-1022, 1024) in double), infinity above. Below, the error is less
/// than the smallest normal number and the result falls to 0 at t = -127 (-1023).
/// 2^t = 2^n 2^r, n = round(t). Adding 1.5 2^23 leaves n in the low bits of the sum; shifted and added to the exponent
/// of 2^r in [0.7, 1.42], they multiply it by 2^n: right up to n = 128, because then r < 0 and 2^r < 1; at both ends,
/// where r = 0, the bits are exactly those of infinity and of 0. No conversion to integers (slow in double before
/// AVX-512).
template <class D, class V = hn::VFromD<D>>
HWY_INLINE V exp2(D d, V t) {
  using T = hn::TFromD<D>;
  constexpr bool kFloat = std::is_same_v<T, float>;
  constexpr T kTop = kFloat ? T(128) : T(1024);
  constexpr int kMantissaBits = kFloat ? 23 : 52;
  const hn::RebindToUnsigned<D> bits;
  const V magic = hn::Set(d, kFloat ? T(0x1.8p23) : T(0x1.8p52));
  t = hn::Max(hn::Min(t, hn::Set(d, kTop)), hn::Set(d, 1 - kTop));
  const V shifted = hn::Add(t, magic);
  const V r = hn::Sub(t, hn::Sub(shifted, magic));
  const auto exponent = hn::ShiftLeft<kMantissaBits>(hn::BitCast(bits, shifted));
  return hn::BitCast(d, hn::Add(hn::BitCast(bits, polynomial(d, r, Coefficients<T>::exp2)), exponent));
}

/// re + i im = size exp(2 pi i turns). The size is multiplied last, so that a size near the end of the range of T loses
/// nothing.
template <class D, class V = hn::VFromD<D>>
HWY_INLINE void polar_turns(D d, V size, V turns, V& re, V& im) {
  V sine = hn::Zero(d), cosine = hn::Zero(d);
  sincos_turns(d, turns, hn::Set(d, hn::TFromD<D>(1)), sine, cosine);
  re = hn::Mul(size, cosine);
  im = hn::Mul(size, sine);
}

/// log2(x) for x >= 0 finite; relative error <= 4 u, -infinity at 0.
/// x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), s = f / (2 + f), log2(1 + f) = 2 log2(e) atanh(s), by its Taylor
/// series up to s^9 (float) or s^21 (double): the terms left out are below u / 20 of the sum. f is exact, and k is 0
/// where the logarithm is near 0, so nothing cancels. Subnormal numbers are multiplied by 2^64 first.
template <class D, class V = hn::VFromD<D>>
HWY_INLINE V log2(D d, V x) {
  using T = hn::TFromD<D>;
  constexpr bool kFloat = std::is_same_v<T, float>;
  constexpr int kMantissaBits = kFloat ? 23 : 52;
  constexpr T kSmallestNormal = kFloat ? T(0x1p-126) : T(0x1p-1022);
  const hn::RebindToSigned<D> bits;
  using I = hn::TFromD<decltype(bits)>;
  constexpr I kSqrtHalf = kFloat ? I(0x3f3504f3) : I(0x3fe6a09e667f3bcd);
  constexpr int kTerms = kFloat ? 5 : 11;
  const auto tiny = hn::Lt(x, hn::Set(d, kSmallestNormal));
  const V normal = hn::IfThenElse(tiny, hn::Mul(x, hn::Set(d, T(0x1p64))), x);
  const auto pattern = hn::Sub(hn::BitCast(bits, normal), hn::Set(bits, kSqrtHalf));
  const auto exponent = hn::ShiftRight<kMantissaBits>(pattern);
  const V one_plus_f = hn::BitCast(d, hn::Sub(hn::BitCast(bits, normal), hn::ShiftLeft<kMantissaBits>(exponent)));
  const V f = hn::Sub(one_plus_f, hn::Set(d, T(1)));
  const V s = hn::Div(f, hn::Add(f, hn::Set(d, T(2))));
  const V z = hn::Mul(s, s);
  V sum = hn::Set(d, T(1) / T(2 * kTerms - 1));
  for (int i = kTerms - 1; i-- > 0;) sum = hn::MulAdd(sum, z, hn::Set(d, T(1) / T(2 * i + 1)));
  const V fraction = hn::Mul(hn::Mul(s, hn::Set(d, T(2 * std::numbers::log2e))), sum);
  const V k = hn::Sub(hn::ConvertTo(d, exponent), hn::IfThenElseZero(tiny, hn::Set(d, T(64))));
  return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Set(d, -std::numeric_limits<T>::infinity()), hn::Add(k, fraction));
}

}  // namespace bochner::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // BOCHNER_SIMD_ELEMENTARY_INL_H_
