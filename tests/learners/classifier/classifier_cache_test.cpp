// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "bochner/linear_classifier.h"
#include "learners/classifier/classifier_objective.h"
#include "support/normal_rows.h"

namespace bochner {
namespace {

template <class T>
class ClassifierCacheOf : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(ClassifierCacheOf, Precisions);

template <class T>
struct Rows {
  explicit Rows(std::int64_t classes) : X(kCount, 3), labels(kCount) {
    const Matrix<double> drawn = test::normal_rows(kCount, 3, 1, 1);
    for (std::size_t i = 0; i < 3 * kCount; ++i) X.data()[i] = static_cast<T>(drawn.data()[i]);
    for (std::size_t i = 0; i < kCount; ++i)
      labels[i] = ((drawn(i, 0) > 0) + 2 * (drawn(i, 1) > drawn(i, 2)) +
                   static_cast<std::int64_t>(4 * std::fabs(drawn(i, 1)))) %
                  classes;
  }
  static constexpr std::size_t kCount = 1000;
  Matrix<T> X;
  std::vector<std::int64_t> labels;
};

std::vector<double> bits_of(const LinearClassifierFit& fit) {
  const MatrixView<const double> weights = fit.model.weights;
  std::vector<double> bits(weights.data(), weights.data() + weights.rows() * weights.cols());
  bits.insert(bits.end(), fit.model.intercept.begin(), fit.model.intercept.end());
  return bits;
}

/// No row, whole blocks of 500 of 1000 rows, and all rows kept; rows of a file, 192 at a time. Few functions ask rows
/// one by one, many ask BLAS where most rows bend.
TYPED_TEST(ClassifierCacheOf, SameBitsForAnySizeAndInParts) {
  using T = TypeParam;
  const std::size_t outputs = 60;
  const auto phi =
      make_features({.d = 3, .map = "trigonometric", .coupling = "iid", .m = outputs / 2, .lengthscale = {1.5}});
  for (const std::size_t classes : {2, 3, 12})
    for (const ClassifierLoss loss :
         {ClassifierLoss::squared_hinge, ClassifierLoss::logistic, ClassifierLoss::multinomial}) {
      const Rows<T> rows(static_cast<std::int64_t>(classes));
      const RowPass pass = [&](const auto& use) {
        for (std::size_t first = 0; first < rows.kCount; first += 192)
          use(first, rows.X.view().row_range(first, std::min(first + 192, rows.kCount)));
      };
      const std::vector<double> expected =
          bits_of(fit_labelled_rows({*phi, pass, rows.labels, {}}, classes, {.loss = loss, .max_iterations = 8}));
      for (const std::size_t kept : {0, 500, 1000}) {
        const LinearClassifierOptions options{
            .loss = loss, .max_iterations = 8, .cache_bytes = kept * outputs * sizeof(T)};
        const auto fit = fit_linear_classifier(*phi, rows.X, rows.labels, classes, {}, options);
        EXPECT_EQ(bits_of(fit), expected)
            << classes << " classes, " << kept << " rows, loss " << static_cast<int>(loss);
      }
    }
}

}  // namespace
}  // namespace bochner
