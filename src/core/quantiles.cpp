// SPDX-License-Identifier: Apache-2.0
#include "core/quantiles.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>

#include "core/exact_math.h"

namespace bochner {

namespace {

using Coefficients = std::array<double, 8>;

// AS 241, routine PPND16: numerators a, c, e and denominators b, d, f; lowest power first.
constexpr Coefficients kA = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                             1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                             3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr Coefficients kB = {1.0,
                             4.2313330701600911252e1,
                             6.8718700749205790830e2,
                             5.3941960214247511077e3,
                             2.1213794301586595867e4,
                             3.9307895800092710610e4,
                             2.8729085735721942674e4,
                             5.2264952788528545610e3};
constexpr Coefficients kC = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                             3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                             2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr Coefficients kD = {1.0,
                             2.05319162663775882187e0,
                             1.67638483018380384940e0,
                             6.89767334985100004550e-1,
                             1.48103976427480074590e-1,
                             1.51986665636164571966e-2,
                             5.47593808499534494600e-4,
                             1.05075007164441684324e-9};
constexpr Coefficients kE = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                             2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                             2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr Coefficients kF = {1.0,
                             5.99832206555887937690e-1,
                             1.36929880922735805310e-1,
                             1.48753612908506148525e-2,
                             7.86869131145613259100e-4,
                             1.84631831751005468180e-5,
                             1.42151175831644588870e-7,
                             2.04426310338993978564e-15};

constexpr double kCentralHalfWidth = 0.425;  // the central formula covers |u - 1/2| <= 0.425: 85 % of all draws
constexpr double kFarTail = 5.0;             // sqrt(-log p) above which the third formula is used: 2.8e-11 of all draws
constexpr std::size_t kChunk = 256;

inline double horner(const Coefficients& c, double r) {
  return ((((((c[7] * r + c[6]) * r + c[5]) * r + c[4]) * r + c[3]) * r + c[2]) * r + c[1]) * r + c[0];
}

/// Argument: q = u - 1/2.
inline double central(double q) {
  const double r = 0.180625 - q * q;
  return q * horner(kA, r) / horner(kB, r);
}

/// Argument: r = sqrt(-log(min(u, 1 - u))). Value: the quantile in the upper tail.
inline double tail(double r) { return horner(kC, r - 1.6) / horner(kD, r - 1.6); }
inline double far_tail(double r) { return horner(kE, r - 5.0) / horner(kF, r - 5.0); }

inline bool is_central(double q) { return std::fabs(q) <= kCentralHalfWidth; }
inline double smaller_side(double u) { return std::min(u, 1.0 - u); }

/// At most kChunk values. Each loop does one kind of work, so that the compiler vectorises it; lanes round like
/// scalars.
void quantiles_of_chunk(const std::uint64_t* words, double* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) values[i] = central(unit_interval(words[i]) - 0.5);

  std::array<std::uint32_t, kChunk> where;
  std::size_t tails = 0;
  for (std::size_t i = 0; i < count; ++i) {
    where[tails] = static_cast<std::uint32_t>(i);
    tails += is_central(unit_interval(words[i]) - 0.5) ? 0 : 1;
  }
  std::array<double, kChunk> r, upper;
  for (std::size_t t = 0; t < tails; ++t) r[t] = smaller_side(unit_interval(words[where[t]]));
  for (std::size_t t = 0; t < tails; ++t) r[t] = -exact_log(r[t]);
  for (std::size_t t = 0; t < tails; ++t) r[t] = std::sqrt(r[t]);
  for (std::size_t t = 0; t < tails; ++t) upper[t] = tail(r[t]);
  for (std::size_t t = 0; t < tails; ++t) {
    if (r[t] > kFarTail) upper[t] = far_tail(r[t]);
    const std::uint64_t below_half = ~words[where[t]] & (std::uint64_t{1} << 63);
    values[where[t]] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(upper[t]) | below_half);
  }
}

}  // namespace

double normal_quantile(double u) {
  const double q = u - 0.5;
  if (is_central(q)) return central(q);
  const double r = std::sqrt(-exact_log(smaller_side(u)));
  const double upper = r <= kFarTail ? tail(r) : far_tail(r);
  return q < 0.0 ? -upper : upper;
}

void normal_quantiles(std::span<const std::uint64_t> words, std::span<double> values) {
  for (std::size_t first = 0; first < words.size(); first += kChunk)
    quantiles_of_chunk(words.data() + first, values.data() + first, std::min(kChunk, words.size() - first));
}

PoissonQuantile::PoissonQuantile(double rate) {
  constexpr double kNegligible = 0x1p-80;
  const double mode = std::floor(rate);
  first_ = mode;
  for (double weight = 1.0; weight >= kNegligible && first_ >= 0.0; first_ -= 1.0) {
    cumulative_.push_back(weight);
    weight *= first_ / rate;
  }
  first_ += 1.0;
  std::reverse(cumulative_.begin(), cumulative_.end());
  double k = mode + 1.0;
  for (double weight = rate / k; weight >= kNegligible; weight *= rate / k) {
    cumulative_.push_back(weight);
    k += 1.0;
  }
  double total = 0.0;
  for (double& entry : cumulative_) entry = total += entry;
  for (double& entry : cumulative_) entry /= total;
}

double PoissonQuantile::operator()(double u) const {
  const auto found = std::lower_bound(cumulative_.begin(), cumulative_.end() - 1, u);
  return first_ + static_cast<double>(found - cumulative_.begin());
}

}  // namespace bochner
