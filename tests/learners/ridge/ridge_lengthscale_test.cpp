// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bochner/kernel_ridge.h"
#include "bochner/lengthscale.h"
#include "support/normal_rows.h"
#include "support/refusal.h"

namespace bochner {
namespace {

using test::normal_rows;
using test::refusal;

struct Waves {
  Waves(std::size_t n, double speed) : X(normal_rows(n, 1, 1, 1)), Y(normal_rows(n, 1, 0.1, 2)) {
    for (std::size_t i = 0; i < n; ++i) Y(i, 0) += std::sin(speed * X(i, 0));
  }
  Matrix<double> X, Y;
  Spec spec{.d = 1, .map = "trigonometric", .coupling = "iid", .m = 40};
};

TEST(RidgeLengthscale, IsTheOneOfTheLeastErrorOfTheSelection) {
  const Waves data(150, 6);
  for (const KernelRidgeOptions& options :
       {KernelRidgeOptions{}, KernelRidgeOptions{.alpha = 0.1}, KernelRidgeOptions{.selection = Selection::folds}}) {
    const auto found = search_ridge_lengthscale(data.spec, data.X, data.Y, {}, options);
    const double median = lengthscale_from<double>(data.X, "median");
    ASSERT_EQ(found.tried.size(), 7U);
    for (std::size_t i = 0; i < 7; ++i) {
      EXPECT_DOUBLE_EQ(found.tried[i], median * std::exp2(3.0 - static_cast<double>(i)));
      Spec spec = data.spec;
      spec.lengthscale = {found.tried[i]};
      KernelRidgeOptions path = options;
      if (options.alpha) path = {.path = {*options.alpha}};
      const auto fit = fit_kernel_ridge(*make_features(spec), data.X, data.Y, {}, path);
      EXPECT_EQ(found.errors[i], *std::min_element(fit.errors.begin(), fit.errors.end()));
      EXPECT_GE(1.001 * found.errors[i],
                found.errors[static_cast<std::size_t>(
                    std::find(found.tried.begin(), found.tried.end(), found.lengthscale) - found.tried.begin())]);
    }
  }
}

/// Fast waves want a short lengthscale.
TEST(RidgeLengthscale, FollowsTheTargets) {
  const Waves slow(300, 1), fast(300, 12);
  EXPECT_LT(4 * search_ridge_lengthscale(fast.spec, fast.X, fast.Y).lengthscale,
            search_ridge_lengthscale(slow.spec, slow.X, slow.Y).lengthscale);
}

TEST(RidgeLengthscale, Refusals) {
  const Waves data(5, 1);
  EXPECT_EQ(refusal([&] { search_ridge_lengthscale(data.spec, data.X, data.Y, {}, {.alpha = 0}); }),
            "alpha is 0; expected a number > 0, or none, where the lengthscale is searched for");
  Spec two = data.spec;
  two.d = 2;
  EXPECT_EQ(refusal([&] { search_ridge_lengthscale(two, data.X, data.Y); }), "X is 5 x 1; expected n x 2 (d)");
  EXPECT_FALSE(refusal([&] {
                 search_ridge_lengthscale(data.spec, data.X.view().row_range(0, 1), data.Y.view().row_range(0, 1));
               }).empty());
}

}  // namespace
}  // namespace bochner
