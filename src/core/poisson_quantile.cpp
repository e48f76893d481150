// SPDX-License-Identifier: Apache-2.0
#include "core/poisson_quantile.h"

#include <algorithm>
#include <cmath>

namespace bochner {

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
