// SPDX-License-Identifier: Apache-2.0
// What is said of parameters that fit found and that do not serve the rows they were found from.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include "bochner/error_report.h"
#include "bochner/features.h"
#include "bochner/kernel_matrix.h"
#include "bochner/registry.h"
#include "bochner/theory.h"
#include "bochner/threads.h"
#include "features/lookup.h"
#include "support/normal_rows.h"

namespace bochner {
namespace {

using test::normal_rows;

Matrix<double> with_spread(std::size_t n, double size) { return normal_rows(n, 16, size, 1); }

std::string said_of(const Spec& spec, const Matrix<double>& X) {
  return checked_fit<double>(*make_features(spec), X.view());
}

/// sqrt(sum (phi.phi - k)^2 / sum k^2) over the Gram matrix of the rows.
double observed(const Features& features, const Matrix<double>& X) {
  Matrix<double> Z(X.rows(), features.outputs()), keys(X.rows(), features.outputs());
  features.transform(X.view(), Z.view(), Side::query);
  features.transform(X.view(), keys.view(), Side::key);
  const Matrix<double> K =
      kernel_matrix<double>(X.view(), X.view(), features.spec().kernel, features.spec().lengthscale);
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (std::size_t j = 0; j < X.rows(); ++j) {
      double estimate = 0;
      for (std::size_t k = 0; k < Z.cols(); ++k) estimate += Z(i, k) * keys(j, k);
      error += (estimate - K(i, j)) * (estimate - K(i, j));
      norm += K(i, j) * K(i, j);
    }
  return std::sqrt(error / norm);
}

/// The same as the closed form predicts it, by another way: pair by pair.
double predicted(const Spec& spec, const Matrix<double>& X) {
  const Matrix<double> K = kernel_matrix<double>(X.view(), X.view(), spec.kernel, spec.lengthscale);
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (std::size_t j = 0; j < X.rows(); ++j) {
      error += theory::mse(spec, X.view().row(i), X.view().row(j));
      norm += K(i, j) * K(i, j);
    }
  return std::sqrt(error / norm);
}

const Spec kClustered{.d = 16, .map = "hybrid_clustered", .m = 512};

TEST(FitAdvice, SaysWhatIsWorthlessAndWhatWouldDo) {
  const Matrix<double> X = with_spread(2000, 0.25), some = with_spread(100, 0.25);
  const auto features = make_features(kClustered);
  const std::string said = checked_fit<double>(*features, X.view());
  std::smatch found;
  ASSERT_TRUE(std::regex_search(said, found,
                                std::regex("^map is 'hybrid_clustered', .* predicted as ([^ ]+) on the rows .*; map "
                                           "'(.*)' with coupling '(.*)' and m = ([0-9]+) has ([^ ]+) with")))
      << said;
  EXPECT_GT(std::stod(found[1]), 1);
  EXPECT_GT(observed(*features, some), 1);
  const Spec other{.d = 16, .map = found[2], .coupling = found[3], .m = std::stoul(found[4])};
  const auto better = make_features(other);
  EXPECT_EQ(checked_fit<double>(*better, X.view()), "");
  EXPECT_LE(better->outputs(), features->outputs());
  // The root mean square of all draws, and one draw: twice is what a report leaves to luck, too.
  EXPECT_LT(std::stod(found[5]), 0.1);
  EXPECT_LT(observed(*better, some), 2 * std::stod(found[5]));
}

TEST(FitAdvice, IsSilentWhereNothingWasFoundOrAllIsWell) {
  const Matrix<double> X = with_spread(500, 0.25);
  const auto features = make_features(kClustered);
  EXPECT_FALSE(checked_fit<double>(*features, X.view()).empty());
  EXPECT_TRUE(features->fitted());
  EXPECT_EQ(checked_fit<double>(*features, X.view()), "");                                 // it finds nothing more
  EXPECT_EQ(said_of({.d = 16, .map = "positive", .m = 1, .lengthscale = {0.01}}, X), "");  // nothing comes from data
  EXPECT_EQ(said_of({.d = 16, .map = "optimal_positive", .m = 512}, X), "");
  EXPECT_EQ(said_of({.d = 16, .map = "hybrid_clustered", .m = 512, .lengthscale = {20.0}}, X), "");
}

/// On a Gram matrix of fewer entries than it looks at, the threshold is where the closed form of theory has it.
TEST(FitAdvice, SpeaksWhereTheErrorIsLargerThanTheKernel) {
  std::size_t worthless = 0, useful = 0;
  for (const Map* map : registered_maps()) {
    if (map->fit == nullptr) continue;
    for (const char* kernel : {"gaussian", "softmax"})
      for (const double lengthscale : {0.25, 0.5, 1.0, 2.0, 4.0, 8.0}) {
        const Spec spec{.d = 3,
                        .kernel = kernel,
                        .map = std::string(map->entry.name),
                        .coupling = "iid",
                        .m = 8,
                        .lengthscale = {lengthscale}};
        const Matrix<double> X = normal_rows(14, 3, 1.0, 3);
        const auto features = make_features(spec);
        const std::string said = checked_fit<double>(*features, X.view());
        const double error = predicted(features->spec(), X);
        if (std::abs(error - 1) < 1e-6 || !std::isfinite(error)) continue;
        EXPECT_EQ(!said.empty(), error > 1) << to_json(spec) << " " << error << " " << said;
        ++(error > 1 ? worthless : useful);
      }
  }
  EXPECT_GT(worthless, 20u);
  EXPECT_GT(useful, 20u);
}

TEST(FitAdvice, JudgesWhatHasNoClosedFormByWhatThereIs) {
  const Matrix<double> X = with_spread(500, 0.25);
  for (const Parameters& parameters : {Parameters{{"shared", true}, {"coefficients", "gaussian"}},
                                       Parameters{{"shared", true}}, Parameters{{"diagonal", "real"}}})
    for (const char* coupling : {"halton", "orthogonal", "iid"}) {
      Spec spec = kClustered;
      spec.coupling = coupling;
      spec.parameters = parameters;
      spec.m = 64;
      spec.lengthscale = {0.3};
      EXPECT_TRUE(said_of(spec, X).starts_with("map is 'hybrid_clustered'")) << to_json(spec);
      spec.lengthscale = {50};
      EXPECT_EQ(said_of(spec, X), "") << to_json(spec);
    }
}

/// Squares of k and of errors leave the range of double long before the judgement does.
TEST(FitAdvice, JudgesKernelsOfAnySize) {
  for (const double size : {1.0, 3.0, 10.0, 30.0}) {
    const std::string said =
        said_of({.d = 16, .kernel = "softmax", .map = "optimal_positive", .m = 64}, with_spread(300, size));
    EXPECT_TRUE(said.starts_with("map is 'optimal_positive'")) << size << ": " << said;
    EXPECT_EQ(said.find("nan"), std::string::npos) << said;
  }
}

TEST(FitAdvice, SaysTheSameForAnyThreadsAndBothTypes) {
  const Matrix<double> X = with_spread(2000, 0.25);
  Matrix<float> single(X.rows(), X.cols());
  Matrix<double> rounded(X.rows(), X.cols());
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (std::size_t l = 0; l < X.cols(); ++l) rounded(i, l) = single(i, l) = static_cast<float>(X(i, l));
  const int threads = num_threads();
  set_num_threads(1);
  const std::string alone = said_of(kClustered, rounded);
  set_num_threads(5);
  EXPECT_EQ(said_of(kClustered, rounded), alone);
  EXPECT_EQ(checked_fit<float>(*make_features(kClustered), single.view()), alone);
  set_num_threads(threads);
}

/// Rows and keys that are worthless together, where neither is with itself.
TEST(FitAdvice, LooksAtPairsOfQueriesAndKeys) {
  Matrix<double> queries = with_spread(200, 0.05), keys = with_spread(200, 0.05);
  for (std::size_t i = 0; i < keys.rows(); ++i) queries(i, 0) += 6, keys(i, 1) += 6;
  const Spec spec{.d = 16, .map = "optimal_positive", .m = 64};
  const auto features = make_features(spec);
  const std::string said = checked_fit<double>(*features, queries.view(), keys.view());
  EXPECT_TRUE(said.starts_with("map is 'optimal_positive'")) << said;
}

}  // namespace
}  // namespace bochner
