// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bochner/softmax_sampler.h"
#include "sampling/proposals.h"
#include "support/normal_rows.h"

namespace bochner {
namespace {

using test::estimates;
using test::normal_rows;
using test::probabilities;

TEST(SoftmaxSampler, AnUpdateIsARebuild) {
  Matrix<double> classes = normal_rows(30, 3, 0.5, 2);
  const Matrix<double> h = normal_rows(1, 3, 0.5, 1);
  const Spec spec{.d = 3, .map = "positive", .m = 16};
  SoftmaxSampler sampler(spec, classes.view());
  for (const double size : {0.3, 40.0, 0.1}) {  // 40: beyond the range in which features keep their scale
    for (double& entry : classes.view().row(13)) entry = size;
    sampler.update(13, classes.view().row(13));
    const auto found = probabilities(sampler, h), expected = probabilities(SoftmaxSampler(spec, classes.view()), h);
    for (std::size_t i = 0; i < 30; ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << size;
  }
}

TEST(SoftmaxSampler, BiasesMultiplyAndNothingElse) {
  const Matrix<double> h = normal_rows(1, 4, 0.6, 1), classes = normal_rows(50, 4, 0.6, 2);
  std::vector<double> biases(50);
  for (std::size_t i = 0; i < 50; ++i)
    biases[i] = 0.1 * static_cast<double>(i % 7) - 600;  // of which only differences count
  for (const double floor : {0.0, std::exp(-602.0)}) {
    const Spec spec{.d = 4, .map = floor > 0 ? "trigonometric" : "optimal_positive", .m = 400};
    SoftmaxSampler sampler(spec, classes.view(), floor, biases);
    std::vector<double> expected = estimates(sampler, h, classes);
    const auto check = [&] {
      double total = 0;
      for (std::size_t i = 0; i < 50; ++i) total += expected[i] * std::exp(biases[i] + 600);
      const auto found = probabilities(sampler, h);
      for (std::size_t i = 0; i < 50; ++i)
        EXPECT_NEAR(found[i], expected[i] * std::exp(biases[i] + 600) / total, 1e-12) << spec.map << " " << i;
    };
    check();
    sampler.update(3, classes.view().row(3));  // the bias stays
    check();
    biases[5] = -597;
    sampler.update(5, classes.view().row(5), biases[5]);
    check();
    biases[5] = 0.1 * 5 - 600;
  }
}

// Features of classes with |c| = 60 are e^-1800 of those of classes near 0: the scale of all must follow the largest.
TEST(SoftmaxSampler, UpdatesMayMoveTheScaleOfAllClasses) {
  Matrix<double> classes(20, 3, 0.0);
  for (std::size_t i = 0; i < 20; ++i) classes(i, i % 3) = 60 + 0.01 * static_cast<double>(i), classes(i, 0) += 1;
  const Matrix<double> h = normal_rows(1, 3, 0.5, 1);
  const Spec spec{.d = 3, .map = "positive", .m = 16};
  SoftmaxSampler sampler(spec, classes.view());
  for (const double size : {0.1, 34.6}) {  // all others vanish beside the first; then they do not
    for (double& entry : classes.view().row(13)) entry = size;
    sampler.update(13, classes.view().row(13));
    const auto found = probabilities(sampler, h), expected = probabilities(SoftmaxSampler(spec, classes.view()), h);
    for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(found[i], expected[i], 1e-9) << size << " " << i;
  }
}

}  // namespace
}  // namespace bochner
