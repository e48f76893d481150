// SPDX-License-Identifier: Apache-2.0
// A hybrid of one's own: which estimate of exp(x.y) counts is decided pair by pair, inside one feature vector.
#include <bochner/bochner.h>

#include <cmath>
#include <cstdio>
#include <memory>

using bochner::FeaturesPart;

namespace {

constexpr std::size_t kD = 4;

FeaturesPart part(const char* kernel, const char* map, std::size_t m, std::uint64_t seed) {
  return bochner::make_features({.d = kD, .kernel = kernel, .map = map, .m = m, .seed = seed});
}

/// phi(x).phi(y) / exp(x.y) - 1 at |x| = |y| = 1 and an angle.
double relative_error(const bochner::Features& features, double angle) {
  const double x[kD] = {1, 0, 0, 0}, y[kD] = {std::cos(angle), std::sin(angle), 0, 0};
  bochner::Matrix<double> query(1, features.outputs()), key(1, features.outputs());
  features.transform(bochner::MatrixView<const double>(x, 1, kD), query, bochner::Side::query);
  features.transform(bochner::MatrixView<const double>(y, 1, kD), key, bochner::Side::key);
  double estimate = 0;
  for (std::size_t j = 0; j < features.outputs(); ++j) estimate += query(0, j) * key(0, j);
  return estimate / std::exp(y[0]) - 1;
}

}  // namespace

int main() {
  // Two estimates of exp(x.y), good for opposite and for equal inputs, and theta/pi by signs, drawn apart.
  const FeaturesPart positive = part("softmax", "positive_paired", 32, 1);
  const FeaturesPart trigonometric = part("softmax", "trigonometric", 32, 2);
  const FeaturesPart signs = part("angular", "sign", 8, 3);
  const FeaturesPart angular = bochner::hybrid({{0.5, scaled(-0.5, signs), positive}}, trigonometric);

  // A coefficient that is itself a hybrid: for near inputs exp(-|x-y|^2/2) picks other signs than for far ones.
  const FeaturesPart near = part("gaussian", "trigonometric", 4, 4);
  const FeaturesPart mixed = bochner::hybrid({{0, near, part("angular", "sign", 16, 5)}}, signs);
  const FeaturesPart nested = bochner::hybrid({{0.5, scaled(-0.5, mixed), positive}}, trigonometric);

  double worst_end = 0;
  for (const double angle : {0.0, 0.5, 1.6, 2.6, std::acos(-1.0)}) {
    const double errors[] = {relative_error(*positive, angle), relative_error(*trigonometric, angle),
                             relative_error(*angular, angle), relative_error(*nested, angle)};
    std::printf("angle %.2f  positive %+.4f  trigonometric %+.4f  hybrid %+.4f  nested %+.4f\n", angle, errors[0],
                errors[1], errors[2], errors[3]);
    if (angle == 0 || angle > 3) worst_end = std::fmax(worst_end, std::fabs(errors[2]));
  }
  return worst_end < 1e-10 ? 0 : 1;
}
