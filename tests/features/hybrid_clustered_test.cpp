// SPDX-License-Identifier: Apache-2.0
// hybrid_clustered: known estimates from explicit directions, no error at the centres, what fit finds, what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "bochner/compose.h"
#include "bochner/kernel_matrix.h"
#include "bochner/registry.h"
#include "bochner/threads.h"
#include "features/estimates.h"
#include "support/given_part.h"
#include "support/golden.h"
#include "support/normal_rows.h"
#include "support/refusal.h"
#include "theory/complex_exponential.h"

namespace bochner {
namespace {

using test::estimates;
using test::normal_rows;
using test::refusal;
using testing::GoldenCase;

Matrix<double> matrix(const nlohmann::json& rows) {
  Matrix<double> A(rows.size(), rows.at(0).size());
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (std::size_t j = 0; j < A.cols(); ++j) A(i, j) = rows[i][j].get<double>();
  return A;
}

/// 1 for the rows of X (queries) and Y (keys) that a case assigns to a pair of clusters.
class Membership final : public Features {
 public:
  Membership(const GoldenCase& known, std::size_t i, std::size_t j)
      : X_(matrix(known.args.at("X"))), Y_(matrix(known.args.at("Y"))), known_(known), i_(i), j_(j) {
    spec_.d = X_.cols();
  }
  void transform(MatrixView<const float>, MatrixView<float>, Side) const override {}
  void transform(MatrixView<const double> X, MatrixView<double> Z, Side side) const override {
    const bool query = side == Side::query;
    const Matrix<double>& rows = query ? X_ : Y_;
    const nlohmann::json& cluster = known_.args.at(query ? "cx" : "cy");
    for (std::size_t n = 0; n < X.rows(); ++n)
      for (std::size_t r = 0; r < rows.rows(); ++r)
        if (std::ranges::equal(X.row(n), rows.view().row(r)))
          Z(n, 0) = cluster[r].get<std::size_t>() == (query ? i_ : j_) ? 1 : 0;
  }
  Matrix<double> directions() const override { return {}; }
  std::size_t outputs() const override { return 1; }
  bool symmetric() const override { return false; }
  const Spec& spec() const override { return spec_; }

 private:
  Matrix<double> X_, Y_;
  const GoldenCase& known_;
  std::size_t i_, j_;
  Spec spec_;
};

TEST(GoldenHybrid, Clustered) {
  for (const GoldenCase& known : testing::golden_cases("features", "cluster_estimator_01")) {
    const Matrix<double> W = matrix(known.args.at("W")), C = matrix(known.args.at("centers_x")),
                         E = matrix(known.args.at("centers_y"));
    std::vector<HybridTerm> terms;
    for (std::size_t i = 0; i < C.rows(); ++i)
      for (std::size_t j = 0; j < E.rows(); ++j) {
        const auto x = C.view().row(i), y = E.view().row(j);
        const Value A = known.args.at("real").get<bool>() ? Value(theory::vanishing_real_diagonal(x, y))
                                                          : Value(theory::vanishing_diagonal(x, y));
        terms.push_back({0, std::make_shared<Membership>(known, i, j),
                         testing::given_part("softmax", "complex_exponential", W, {{"A", A}})});
      }
    const FeaturesPart features = hybrid(terms, nullptr);
    const Matrix<double> expected = matrix(known.value);
    const Matrix<double> K = estimates(*features, matrix(known.args.at("X")), matrix(known.args.at("Y")));
    for (std::size_t i = 0; i < K.rows(); ++i)
      for (std::size_t j = 0; j < K.cols(); ++j)
        EXPECT_NEAR(K(i, j), expected(i, j), known.rtol * (1 + std::abs(expected(i, j)))) << i << ' ' << j;
  }
}

std::vector<double> entries(const Matrix<double>& A) { return {A.data(), A.data() + A.rows() * A.cols()}; }

/// Centres of 3 clusters of queries and 2 of keys in R^4, entries between 0.2 and 1 in size.
Matrix<double> centres(std::size_t rows, std::uint64_t seed) {
  Matrix<double> C = normal_rows(rows, 4, 1.0, seed);
  for (std::size_t k = 0; k < rows * 4; ++k)
    C.data()[k] = std::copysign(0.2 + 0.8 * std::abs(std::sin(3 * C.data()[k])), C.data()[k]);
  return C;
}

Spec clustered(const char* coefficients, const char* diagonal) {
  Spec spec{.d = 4, .kernel = "softmax", .map = "hybrid_clustered", .coupling = "orthogonal", .m = 6, .seed = 3};
  spec.parameters.insert({{"clusters", std::vector<double>{3, 2}}, {"coefficients", coefficients}});
  spec.parameters.insert({{"query_centres", entries(centres(3, 1))}, {"key_centres", entries(centres(2, 2))}});
  spec.parameters.insert({{"diagonal", diagonal}});
  return spec;
}

/// Complex diagonals make no error at the centres; real ones do where signs agree.
TEST(HybridClustered, MakesNoErrorAtTheCentres) {
  const Matrix<double> C = centres(3, 1), E = centres(2, 2);
  for (const char* kernel : {"softmax", "gaussian"})
    for (const bool shared : {false, true})
      for (const char* diagonal : {"complex", "real"}) {
        Spec spec = clustered("zero_one", diagonal);
        spec.kernel = kernel;
        spec.parameters.insert({{"shared", shared}});
        const Matrix<double> K = kernel_matrix<double>(C, E, kernel, spec.lengthscale);
        const Matrix<double> found = estimates(*make_features(spec), C, E);
        double worst = 0;
        for (std::size_t k = 0; k < 6; ++k) worst = std::max(worst, std::abs(found.data()[k] / K.data()[k] - 1));
        if (std::string(diagonal) == "complex") {
          EXPECT_LT(worst, 1e-10);
        } else {
          EXPECT_GT(worst, 1e-3);
        }
      }
}

/// Only the sections of the row's own cluster differ from 0, and the width is what the registry says.
TEST(HybridClustered, SectionsOfOtherClustersAreZero) {
  const Spec spec = clustered("zero_one", "complex");
  const auto features = make_features(spec);
  EXPECT_EQ(features->outputs(), width("hybrid_clustered", spec.parameters) * 6);
  const Matrix<double> C = centres(3, 1);
  Matrix<double> Z(3, features->outputs());
  features->transform(C.view(), Z.view());
  for (std::size_t column = 0; column < Z.cols(); ++column) {
    int nonzero = 0;
    for (std::size_t i = 0; i < 3; ++i) nonzero += Z(i, column) != 0;
    EXPECT_LE(nonzero, 1) << column;
  }
  const Spec mixture = clustered("gaussian", "real");
  EXPECT_EQ(make_features(mixture)->outputs(), 6 * (16 * 6 + 2 + 16 * 2 * 6));
  EXPECT_EQ(width("hybrid_clustered"), 0u);
}

/// The first column of a cluster's rows is near 3 i.
Matrix<double> blobs(std::size_t n, std::size_t clusters, std::uint64_t seed) {
  Matrix<double> X = normal_rows(n, 4, 0.1, seed);
  for (std::size_t i = 0; i < n; ++i) X(i, 0) += 1 + 3 * static_cast<double>(i % clusters);
  return X;
}

TEST(HybridClustered, FindsItsCentres) {
  const Matrix<double> X = blobs(90, 3, 1), Y = blobs(40, 2, 2);
  Spec spec{.d = 4, .map = "hybrid_clustered", .m = 5, .lengthscale = {2.0}};
  spec.parameters.insert({{"clusters", std::vector<double>{3, 2}}});
  const auto features = make_features(spec);
  EXPECT_FALSE(features->fitted());
  features->fit(X.view(), Y.view());
  const auto& found = std::get<std::vector<double>>(features->spec().parameters.at("query_centres"));
  ASSERT_EQ(found.size(), 12u);
  std::vector<double> first = {found[0], found[4], found[8]};
  std::ranges::sort(first);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(first[i], (1 + 3 * static_cast<double>(i)) / 2, 0.1);
  EXPECT_GT(std::get<double>(features->spec().parameters.at("tau")), 0);
  EXPECT_EQ(make_features(spec_from_json(to_json(features->spec())))->spec(), features->spec());
}

TEST(HybridClustered, RefusesWhatItCannotUse) {
  const auto says = [](const std::function<void()>& call, const char* wanted) {
    const std::string sentence = refusal(call);
    EXPECT_NE(sentence.find(wanted), std::string::npos) << sentence;
  };
  const Matrix<double> X = blobs(3, 3, 1), none(0, 4), same(20, 4, 0.5);
  Spec spec{.d = 4, .map = "hybrid_clustered", .m = 5};
  spec.parameters.insert({{"clusters", std::vector<double>{4, 2}}});
  const auto features = make_features(spec);
  says([&] { features->fit(X.view()); }, "X has 3 rows; expected at least 4, one for each cluster");
  says([&] { features->fit(blobs(9, 5, 1).view(), same.view()); },
       "Y has 1 different row; expected at least 2, one for each cluster ('clusters' says how many)");
  says([&] { features->fit(none.view()); }, "X is empty");
  says([&] { features->outputs(); }, "lacks parameter 'query_centres'");
  spec.parameters["clusters"] = std::vector<double>{2, 0};
  says([&] { make_features(spec); }, "expected two whole numbers >= 1");
  Spec wrong = clustered("zero_one", "complex");
  wrong.parameters["clusters"] = std::vector<double>{2, 2};
  says([&] { make_features(wrong); }, "query_centres is 12 numbers; expected 2 x 4 (clusters x d)");
  wrong.parameters["query_centres"] = std::vector<double>(7, 0.5);
  says([&] { make_features(wrong); }, "query_centres");
}

}  // namespace
}  // namespace bochner
