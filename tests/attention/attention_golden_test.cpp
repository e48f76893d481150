// SPDX-License-Identifier: Apache-2.0
// Known results of attention from an explicit W, and those of exact attention.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attention/attention_cases.h"
#include "attention/attention_problem.h"
#include "attention/causal_attention.h"
#include "bochner/compose.h"
#include "bochner/kernel_matrix.h"
#include "bochner/theory.h"
#include "features/composed.h"
#include "features/hybrids/hybrid_parts.h"
#include "features/lookup.h"
#include "support/given_part.h"
#include "support/given_projection.h"
#include "support/golden.h"
#include "theory/generalised_exponential.h"

namespace bochner {
namespace {

using test::Heads;
using testing::given_part;
using testing::GoldenCase;

Heads<double> heads(const nlohmann::json& rows) {
  Heads<double> made(1, 1, rows.size(), rows.at(0).size());
  for (std::size_t i = 0; i < made.length; ++i)
    for (std::size_t c = 0; c < made.dim; ++c) made.at(0, 0, i, c) = rows[i][c].get<double>();
  return made;
}

Matrix<double> matrix(const nlohmann::json& numbers) {
  const Heads<double> rows = heads(numbers);
  Matrix<double> made(rows.length, rows.dim);
  std::copy_n(rows.numbers.data(), rows.numbers.size(), made.data());
  return made;
}

std::unique_ptr<Features> features_of(const GoldenCase& known, std::string_view name, Parameters parameters) {
  const Matrix<double> W = matrix(known.args.at("W"));
  const Map& map = find_map(name);
  auto projection = std::make_unique<testing::GivenProjection>(W);
  Spec spec{.d = W.cols(),
            .kernel = "softmax",
            .map = std::string(name),
            .coupling = "iid",
            .m = W.rows(),
            .lengthscale = {std::pow(static_cast<double>(W.cols()), 0.25)},
            .parameters = std::move(parameters)};
  auto made = map.make({0.5, spec.d, spec.m, 0, spec.parameters, *projection, spec.d, spec.lengthscale});
  return compose(spec, map, std::move(made), std::move(projection));
}

void expect_known(const GoldenCase& known, std::unique_ptr<Features> of) {
  const AttentionFeatures features(std::move(of));
  const Heads<double> q = heads(known.args.at("Q")), k = heads(known.args.at("K")), v = heads(known.args.at("V"));
  const Heads<double> expected = heads(known.value);
  Heads<double> out(1, 1, q.length, v.dim);
  const AttentionProblem<double> problem(q.view(), k.view(), v.view(), out.view(), {}, features.features(), 0);
  AttentionReport report;
  if (known.args.at("causal")) {
    auto states = causal_heads<double>(features, v.dim, 1);
    causal_attention<double>(problem, states, false, report);
  } else {
    report = bidirectional_attention(problem, features, false);
  }
  EXPECT_EQ(report.undefined_rows, 0u);
  for (std::size_t i = 0; i < out.numbers.size(); ++i)
    EXPECT_NEAR(out.numbers[i], expected.numbers[i], known.rtol * std::abs(expected.numbers[i]) + 1e-14);
}

TEST(GoldenAttention, FavorPlus) {
  for (const GoldenCase& known : testing::golden_cases("attention", "favor_plus"))
    expect_known(known, features_of(known, known.args.at("pairs") ? "positive_paired" : "positive", {}));
}

TEST(GoldenAttention, FavorPlusPlus) {
  for (const GoldenCase& known : testing::golden_cases("attention", "favor_pp")) {
    const Heads<double> q = heads(known.args.at("Q")), k = heads(known.args.at("K"));
    double sum = 0;
    for (std::size_t i = 0; i < q.length; ++i)
      for (std::size_t j = 0; j < k.length; ++j)
        for (std::size_t c = 0; c < q.dim; ++c) sum += std::pow(q.at(0, 0, i, c) + k.at(0, 0, j, c), 2);
    const double v2 = sum / static_cast<double>(q.length * k.length) / std::sqrt(static_cast<double>(q.dim));
    expect_known(known, features_of(known, "optimal_positive", {{"A", theory::optimal_A(v2, q.dim)}}));
  }
}

/// lambda SM++ + (1 - lambda) SMtrig with lambda = 1/2 - (1/2n) sum sgn sgn; no floor.
TEST(GoldenAttention, AngularHybrid) {
  std::size_t read = 0;
  for (const GoldenCase& known : testing::golden_cases("attention", "hrf_attention")) {
    const Matrix<double> Wp = matrix(known.args.at("Wp")), Wt = matrix(known.args.at("Wt"));
    const double lengthscale = std::pow(static_cast<double>(Wp.cols()), 0.25);
    const FeaturesPart P = given_part("softmax", "positive_paired", Wp, {}, lengthscale);
    const FeaturesPart T = given_part("softmax", "trigonometric", Wt, {}, lengthscale);
    const FeaturesPart S = given_part("angular", "sign", matrix(known.args.at("T")));
    Spec spec{.d = Wp.cols(), .kernel = "softmax", .map = "hybrid_angular", .coupling = "iid", .m = Wp.rows()};
    spec.lengthscale = {lengthscale};
    expect_known(known, registered(spec, hybrid({{0.5, scaled(-0.5, S), P}}, T)));
    ++read;
  }
  EXPECT_EQ(read, 10u);
}

/// out_t from the library's exact kernel, and what features estimate of it: at m = 2^18 the difference is within 4.9
/// standard errors (one in a million) of the closed form, whose second order in 1/m is far below.
TEST(GoldenAttention, ExactAttention) {
  std::size_t read = 0;
  for (const GoldenCase& known : testing::golden_cases("attention", "softmax_attention")) {
    const Matrix<double> q = matrix(known.args.at("Q")), k = matrix(known.args.at("K")), v = matrix(known.args.at("V"));
    const double lengthscale = std::pow(static_cast<double>(q.cols()), 0.25);
    const bool causal = known.args.at("causal");
    const AttentionOptions options{.map = "positive", .coupling = "iid", .m = 1u << 18, .causal = causal};
    const Spec spec{.d = q.cols(),
                    .kernel = "softmax",
                    .map = "positive",
                    .coupling = "iid",
                    .m = options.m,
                    .lengthscale = {lengthscale}};
    const Heads<double> out =
        test::attend(heads(known.args.at("Q")), heads(known.args.at("K")), heads(known.args.at("V")), options);
    const std::vector<double> lengthscales{lengthscale};
    const Matrix<double> weights = kernel_matrix<double>(q.view(), k.view(), "softmax", lengthscales);
    for (std::size_t t = 0; t < q.rows(); ++t) {
      const std::size_t seen = causal ? t + 1 : k.rows();
      const auto error = theory::attention_error(spec, q.view().row_range(t, t + 1), k.view().row_range(0, seen),
                                                 v.view().row_range(0, seen));
      const double most = 4.9 * std::sqrt(error[0].mse * static_cast<double>(v.cols())) + 1e-14;
      for (std::size_t c = 0; c < v.cols(); ++c) {
        const double expected = known.value[t][c];
        double sum = 0, total = 0;
        for (std::size_t i = 0; i < seen; ++i) total += weights(t, i), sum += weights(t, i) * v(i, c);
        EXPECT_NEAR(sum / total, expected, known.rtol * std::abs(expected) + 1e-14);
        EXPECT_NEAR(out.at(0, 0, t, c), expected, most);
      }
    }
    ++read;
  }
  EXPECT_EQ(read, 10u);
}

}  // namespace
}  // namespace bochner
