// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cfloat>
#include <cstdint>

#if defined(__FAST_MATH__)
#error "-ffast-math would change the bits of every draw"
#endif

namespace bochner {

/// Mathematics of the random streams: only + - * / sqrt and bit operations, in a fixed order, so that IEEE 754 alone
/// decides every bit. libm is not used: glibc picks its variants by CPU, and they differ in the last bit.
static_assert(FLT_EVAL_METHOD == 0, "draws need plain double arithmetic");

/// ((word >> 12) + 1/2) 2^-52: in (0, 1), symmetric about 1/2. Exact: 1 + k 2^-52 is assembled from its bits, and the
/// difference is (2k + 1) 2^-53.
inline double unit_interval(std::uint64_t word) {
  return std::bit_cast<double>((word >> 12) | 0x3ff0000000000000u) - (1.0 - 0x1p-53);
}

/// Natural logarithm of a positive normal number (not zero, subnormal, infinite or NaN); error < 1 ulp.
/// x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), s = f / (2 + f), and
///   log(1 + f) = 2 atanh(s) = f - f^2/2 + s (f^2/2 + R),   R = sum_{i >= 1} 2 s^2i / (2i + 1),
/// where f is exact and the rest is small against it. s^2 < 0.02945, so the terms left out are below 2^-60 f.
/// It has no branches and no conversions that SSE2 lacks, so the compiler vectorises a loop over it.
inline double exact_log(double x) {
  constexpr double kLn2High = 0x1.62e42feep-1;  // 32 bits: k * kLn2High is exact
  constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  constexpr std::uint64_t kSqrtHalf = 0x3fe6a09e667f3bcdu;
  constexpr std::uint64_t kOne = 0x3ff0000000000000u;

  const std::uint64_t shifted = std::bit_cast<std::uint64_t>(x) + (kOne - kSqrtHalf);
  const double k = std::bit_cast<double>((shifted >> 52) | 0x4330000000000000u) - (0x1p52 + 1023.0);
  const double f = std::bit_cast<double>((shifted & 0x000fffffffffffffu) + kSqrtHalf) - 1.0;
  const double s = f / (2.0 + f);
  const double z = s * s;
  double r = 2.0 / 23.0;
  r = 2.0 / 21.0 + z * r;
  r = 2.0 / 19.0 + z * r;
  r = 2.0 / 17.0 + z * r;
  r = 2.0 / 15.0 + z * r;
  r = 2.0 / 13.0 + z * r;
  r = 2.0 / 11.0 + z * r;
  r = 2.0 / 9.0 + z * r;
  r = 2.0 / 7.0 + z * r;
  r = 2.0 / 5.0 + z * r;
  r = 2.0 / 3.0 + z * r;
  r = z * r;
  const double half_square = 0.5 * f * f;
  return k * kLn2High - ((half_square - (s * (half_square + r) + k * kLn2Low)) - f);
}

/// e^x for -708 <= x <= 709; relative error < 2e-16 (below 1 ulp).
/// x = k log 2 + r with |r| <= log(2)/2, and e^r = 1 + (r + r^2 P(r)), P the Taylor polynomial up to r^13 / 13!; the
/// terms left out are below 2^-57.
inline double exact_exp(double x) {
  constexpr double kLn2High = 0x1.62e42feep-1;
  constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  constexpr double kInverseLn2 = 0x1.71547652b82fep0;
  constexpr double kRound = 0x1.8p52;  // the low bits of k + kRound hold k + 2^51

  const double shifted = x * kInverseLn2 + kRound;
  const double k = shifted - kRound;
  const double r = (x - k * kLn2High) - k * kLn2Low;
  double p = 1.0 / 6227020800.0;
  p = 1.0 / 479001600.0 + r * p;
  p = 1.0 / 39916800.0 + r * p;
  p = 1.0 / 3628800.0 + r * p;
  p = 1.0 / 362880.0 + r * p;
  p = 1.0 / 40320.0 + r * p;
  p = 1.0 / 5040.0 + r * p;
  p = 1.0 / 720.0 + r * p;
  p = 1.0 / 120.0 + r * p;
  p = 1.0 / 24.0 + r * p;
  p = 1.0 / 6.0 + r * p;
  p = 0.5 + r * p;
  const double value = 1.0 + (r + r * r * p);
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) + (std::bit_cast<std::uint64_t>(shifted) << 52));
}

/// tan(pi r) for 0 <= r <= 1/4; relative error < 8e-16. The Taylor series of sine and cosine at y = pi r <= 0.7854, up
/// to y^17 and y^18: the terms left out are below 2^-57 of the sums.
inline double exact_tan_pi(double r) {
  constexpr double kPi = 0x1.921fb54442d18p1;
  const double y = kPi * r;
  const double z = y * y;
  double sine = 1.0 / 355687428096000.0;
  sine = -1.0 / 1307674368000.0 + z * sine;
  sine = 1.0 / 6227020800.0 + z * sine;
  sine = -1.0 / 39916800.0 + z * sine;
  sine = 1.0 / 362880.0 + z * sine;
  sine = -1.0 / 5040.0 + z * sine;
  sine = 1.0 / 120.0 + z * sine;
  sine = -1.0 / 6.0 + z * sine;
  double cosine = -1.0 / 6402373705728000.0;
  cosine = 1.0 / 20922789888000.0 + z * cosine;
  cosine = -1.0 / 87178291200.0 + z * cosine;
  cosine = 1.0 / 479001600.0 + z * cosine;
  cosine = -1.0 / 3628800.0 + z * cosine;
  cosine = 1.0 / 40320.0 + z * cosine;
  cosine = -1.0 / 720.0 + z * cosine;
  cosine = 1.0 / 24.0 + z * cosine;
  cosine = -0.5 + z * cosine;
  return (y + y * (z * sine)) / (1.0 + z * cosine);
}

}  // namespace bochner
