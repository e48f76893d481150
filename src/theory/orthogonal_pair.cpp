// SPDX-License-Identifier: Apache-2.0
#include "theory/orthogonal_pair.h"

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <cmath>

#include "core/log_gamma.h"

namespace bochner::theory {
namespace {

/// E f_K for K ~ Poisson(mean): sum_k e^{-mean} mean^k / k! f_k. The f_k, |f_k| <= 2, come one after the other:
/// `Sequence` has value() = f_k, advance(k) from f_k to f_{k+1}, and finished(): every later |f| is below 1e-18.
/// Error: 1e-16 max(1, mean) times the sum of the absolute terms, so relative where the f_k have one sign. Weights are
/// rescaled on the way, so nothing over- or underflows. Cost: mean + 9 sqrt(mean) + 20 terms, or fewer when finished.
template <class Sequence>
double poisson_mean(double mean, Sequence f) {
  constexpr double kBig = 0x1p900;
  constexpr double kLogBig = 623.83246250395077;  // 900 log 2
  double weight = 1.0;
  double log_scale = 0.0;
  double sum = 0.0;
  double magnitude = 0.0;
  for (double k = 0.0;; k += 1.0) {
    const double term = weight * f.value();
    sum += term;
    magnitude += std::abs(term);
    // f_0 = f_1 = 0 is common, so small terms among the first three do not end the sum.
    if (f.finished() || (k > mean + 2.0 && std::abs(term) <= 1e-18 * magnitude)) break;
    f.advance(k);
    weight *= mean / (k + 1.0);
    if (weight > kBig) {
      weight /= kBig;
      sum /= kBig;
      magnitude /= kBig;
      log_scale += kLogBig;
    }
  }
  return sum * std::exp(log_scale - mean);
}

/// 1 - p_k with p_k = prod_{j<k} (d+j)/(d+2j), the coefficient of v2^k/k! in rho. Built from positive terms only.
class RhoGap {
 public:
  explicit RhoGap(double d) : d_(d) {}
  double value() const { return gap_; }
  bool finished() const { return false; }
  void advance(double k) {
    gap_ += p_ * k / (d_ + 2.0 * k);
    p_ *= (d_ + k) / (d_ + 2.0 * k);
  }

 private:
  double d_;
  double p_ = 1.0;
  double gap_ = 0.0;
};

/// (-1)^k r_k with r_k = prod_{j<k} (d-2j)/(d+2j): Kummer's 1F1(d; d/2; -y) = e^{-y} 1F1(-d/2; d/2; y) is
/// its Poisson(y) mean. |r_k| <= 1 never grows, so nothing cancels beyond 1e-16, unlike in the series in -y itself.
class ConfTerm {
 public:
  explicit ConfTerm(double d) : d_(d) {}
  double value() const { return term_; }
  bool finished() const { return std::abs(term_) < 1e-18; }
  void advance(double k) { term_ *= (2.0 * k - d_) / (d_ + 2.0 * k); }

 private:
  double d_;
  double term_ = 1.0;
};

/// (-1)^k (r_k - 1): ConfTerm minus the sequence (-1)^k, whose Poisson(y) mean is e^{-2y}.
class ConfDifferenceTerm {
 public:
  explicit ConfDifferenceTerm(double d) : d_(d) {}
  double value() const { return -sign_ * gap_; }
  bool finished() const { return false; }
  void advance(double k) {
    gap_ += r_ * 4.0 * k / (d_ + 2.0 * k);
    r_ *= (d_ - 2.0 * k) / (d_ + 2.0 * k);
    sign_ = -sign_;
  }

 private:
  double d_;
  double r_ = 1.0;
  double gap_ = 0.0;
  double sign_ = 1.0;
};

/// e^{-y} L_n^(n-1)(y) / L_n^(n-1)(0) for d = 2n by the recurrence in the degree, which keeps relative accuracy even
/// where the value is far below 1e-16.
double conf_laguerre(double y, std::size_t d) {
  const double alpha = static_cast<double>(d) / 2.0 - 1.0;
  double value = 1.0;
  double step = 0.0;
  for (std::size_t k = 0; k < d / 2; ++k) {
    step = (static_cast<double>(k) * step - y * value) / (static_cast<double>(k) + 1.0 + alpha);
    value += step;
  }
  return std::exp(-y) * value;
}

/// 1F1(d; n; -y), n = d/2, for y so large that the part of order e^{-y} is below 1e-18: zero for even d, otherwise
/// Gamma(n)/Gamma(-n) y^{-d} sum_s (d)_s (n+1)_s / s! y^{-s}, summed down to its smallest term.
double conf_far(double y, std::size_t d) {
  if (d % 2 == 0) return 0.0;
  const double a = static_cast<double>(d);
  const double n = a / 2.0;
  const double sign = d % 4 == 3 ? 1.0 : -1.0;  // of 1/Gamma(-n) = -Gamma(n+1) sin(pi n) / pi
  double term =
      sign * std::exp(log_gamma(n) + log_gamma(n + 1.0) - a * std::log(y)) / boost::math::constants::pi<double>();
  if (std::abs(term) < 1e-19) return 0.0;
  double sum = 0.0;
  for (double s = 0.0; s < 40.0; s += 1.0) {
    sum += term;
    const double ratio = (a + s) * (n + 1.0 + s) / ((s + 1.0) * y);
    if (ratio >= 1.0) break;
    term *= ratio;
  }
  return sum;
}

/// 1F1(d; d/2; -y); absolute error 1e-15.
double conf_orthogonal(double y, std::size_t d) {
  const double n = static_cast<double>(d) / 2.0;
  // For larger y, P(Poisson(y) <= n) < 1e-18.
  if (y > n + 9.0 * std::sqrt(2.0 * n) + 45.0) return conf_far(y, d);
  // Above 512 the Poisson mean needs fewer terms than the recurrence.
  if (d % 2 == 0 && d <= 512) return conf_laguerre(y, d);
  return poisson_mean(y, ConfTerm(static_cast<double>(d)));
}

/// log rho by its series of positive terms.
double log_rho_series(double v2, std::size_t d) {
  constexpr double kBig = 0x1p900;
  const double dim = static_cast<double>(d);
  double term = 1.0;
  double sum = 1.0;
  double scalings = 0.0;
  for (double k = 0.0;; k += 1.0) {
    const double ratio = (dim + k) / (dim + 2.0 * k) * v2 / (k + 1.0);
    term *= ratio;
    sum += term;
    if (ratio < 1.0 && term < 1e-18 * sum) break;
    if (term > kBig) {
      term /= kBig;
      sum /= kBig;
      scalings += 1.0;
    }
  }
  return scalings * std::log(kBig) + std::log(sum);
}

/// 1F1(d; n; x) e^{-x} = Gamma(n)/Gamma(d) x^n sum_s prod_{j<s} (n-j)(d-1-j) / ((j+1) x), n = d/2. The sum ends at s =
/// d-1 and leaves out a part of order e^{-x}. Its terms fall from the start where x > n d.
bool is_far(double x, std::size_t d) { return x > 50.0 && x > static_cast<double>(d) * static_cast<double>(d); }

double log_rho_rest_far(double x, std::size_t d) {
  const double dim = static_cast<double>(d), n = dim / 2.0;
  double term = 1.0, rest = 0.0;
  for (double s = 0.0; std::abs(term) > 1e-18; s += 1.0) {
    term *= (n - s) * (dim - 1.0 - s) / ((s + 1.0) * x);
    rest += term;
  }
  return log_gamma(n) - log_gamma(dim) + n * std::log(x) + std::log1p(rest);
}

}  // namespace

double log_rho_orthogonal(double v2, std::size_t d) {
  return is_far(v2 / 2.0, d) ? v2 / 2.0 + log_rho_rest_far(v2 / 2.0, d) : log_rho_series(v2, d);
}

double log_rho_rest_orthogonal(double v2, std::size_t d) {
  return is_far(v2 / 2.0, d) ? log_rho_rest_far(v2 / 2.0, d) : log_rho_series(v2, d) - v2 / 2.0;
}

double rho_gap_orthogonal(double v2, std::size_t d) {
  const double dim = static_cast<double>(d);
  // p_k <= exp(-k(k-1) / (2(d+2k))) and P(K < v2/2) <= e^{-0.153 v2}: e^{-v2} rho is below 1e-16 here.
  if (v2 > 260.0 && v2 > 320.0 * (dim / v2 + 1.0)) return 1.0;
  return std::min(1.0, poisson_mean(v2, RhoGap(dim)));
}

double conf_difference_orthogonal(double z2, std::size_t d) {
  const double y = z2 / 2.0;
  // Summed term by term, the error is 1e-16 times the mean of the gaps, about 2 y^2/d; otherwise it is 1e-16.
  if (y <= 1.0 || 2.0 * y * y <= static_cast<double>(d)) {
    return poisson_mean(y, ConfDifferenceTerm(static_cast<double>(d)));
  }
  return conf_orthogonal(y, d) - std::exp(-z2);
}

}  // namespace bochner::theory
