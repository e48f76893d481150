// SPDX-License-Identifier: Apache-2.0
// Known results of attention from an explicit W.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <string_view>

#include "features/composed.h"
#include "features/lookup.h"
#include "support/given_projection.h"
#include "support/golden.h"
#include "tasks/attention_cases.h"
#include "tasks/attention_problem.h"
#include "tasks/causal_attention.h"
#include "theory/generalised_exponential.h"

namespace bochner {
namespace {

using test::Heads;
using testing::GoldenCase;

Heads<double> heads(const nlohmann::json& rows) {
  Heads<double> made(1, 1, rows.size(), rows.at(0).size());
  for (std::size_t i = 0; i < made.length; ++i)
    for (std::size_t c = 0; c < made.dim; ++c) made.at(0, 0, i, c) = rows[i][c].get<double>();
  return made;
}

std::unique_ptr<Features> features_of(const GoldenCase& known, std::string_view name, Parameters parameters) {
  const Heads<double> rows = heads(known.args.at("W"));
  Matrix<double> W(rows.length, rows.dim);
  std::copy_n(rows.numbers.data(), rows.numbers.size(), W.data());
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

void expect_known(const GoldenCase& known, std::string_view name, const Parameters& parameters) {
  const AttentionFeatures features(features_of(known, name, parameters));
  const Heads<double> q = heads(known.args.at("Q")), k = heads(known.args.at("K")), v = heads(known.args.at("V"));
  const Heads<double> expected = heads(known.value);
  Heads<double> out(1, 1, q.length, v.dim);
  const AttentionProblem<double> problem(q.view(), k.view(), v.view(), out.view(), {}, features.features());
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
  BOCHNER_NEED_GOLDEN();
  for (const GoldenCase& known : testing::golden_cases("attention", "favor_plus"))
    expect_known(known, known.args.at("pairs") ? "positive_paired" : "positive", {});
}

TEST(GoldenAttention, FavorPlusPlus) {
  BOCHNER_NEED_GOLDEN();
  for (const GoldenCase& known : testing::golden_cases("attention", "favor_pp")) {
    const Heads<double> q = heads(known.args.at("Q")), k = heads(known.args.at("K"));
    double sum = 0;
    for (std::size_t i = 0; i < q.length; ++i)
      for (std::size_t j = 0; j < k.length; ++j)
        for (std::size_t c = 0; c < q.dim; ++c) sum += std::pow(q.at(0, 0, i, c) + k.at(0, 0, j, c), 2);
    const double v2 = sum / static_cast<double>(q.length * k.length) / std::sqrt(static_cast<double>(q.dim));
    expect_known(known, "optimal_positive", {{"A", theory::optimal_A(v2, q.dim)}});
  }
}

}  // namespace
}  // namespace bochner
