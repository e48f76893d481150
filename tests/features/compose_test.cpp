// SPDX-License-Identifier: Apache-2.0
// The algebra of features: estimates of a composition are the sums and products of the estimates of its parts.
#include "bochner/compose.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "bochner/threads.h"
#include "features/estimates.h"
#include "support/normal_rows.h"
#include "support/refusal.h"

namespace bochner {
namespace {

using test::estimates;
using test::normal_rows;
using test::refusal;

constexpr std::size_t kD = 3;

FeaturesPart part(const char* map, std::size_t m, std::uint64_t seed, const char* kernel = "softmax") {
  return make_features({.d = kD, .kernel = kernel, .map = map, .m = m, .seed = seed});
}

struct Data {
  Matrix<double> X = normal_rows(7, kD, 0.5, 1), Y = normal_rows(5, kD, 0.5, 2);
};

/// Each entry of the estimates by `expected(i, j)`.
template <class Expected>
void expect_estimates(const Features& features, const Data& data, const Expected& expected) {
  const Matrix<double> K = estimates(features, data.X, data.Y);
  for (std::size_t i = 0; i < K.rows(); ++i)
    for (std::size_t j = 0; j < K.cols(); ++j)
      ASSERT_NEAR(K(i, j), expected(i, j), 1e-13 * (1 + std::abs(expected(i, j)))) << i << ' ' << j;
}

TEST(Compose, ScaledIsAMultiple) {
  const Data data;
  const FeaturesPart f = part("positive", 9, 1);
  const Matrix<double> K = estimates(*f, data.X, data.Y);
  for (const double c : {2.5, -0.75, 1.0, -1.0}) {
    const FeaturesPart g = scaled(c, f);
    EXPECT_EQ(g->outputs(), f->outputs());
    EXPECT_EQ(g->symmetric(), c > 0);
    expect_estimates(*g, data, [&](std::size_t i, std::size_t j) { return c * K(i, j); });
  }
  EXPECT_TRUE(scaled(-2, scaled(-3, f))->symmetric());
}

TEST(Compose, ConcatenationIsASum) {
  const Data data;
  const FeaturesPart f = part("positive", 9, 1), g = part("trigonometric", 4, 2), h = part("sign", 5, 3, "angular");
  const Matrix<double> A = estimates(*f, data.X, data.Y), B = estimates(*g, data.X, data.Y),
                       C = estimates(*h, data.X, data.Y);
  const FeaturesPart sum = concatenation({f, scaled(-0.5, g), h, f});
  EXPECT_EQ(sum->outputs(), 9u + 8 + 5 + 9);
  EXPECT_EQ(sum->m(), 9u);
  EXPECT_FALSE(sum->symmetric());
  expect_estimates(*sum, data, [&](std::size_t i, std::size_t j) { return 2 * A(i, j) - B(i, j) / 2 + C(i, j); });
  EXPECT_TRUE(concatenation({f, g})->symmetric());
}

TEST(Compose, TensorProductIsAProduct) {
  const Data data;
  const FeaturesPart f = part("positive", 9, 1), g = part("trigonometric", 4, 2);
  const Matrix<double> A = estimates(*f, data.X, data.Y), B = estimates(*g, data.X, data.Y);
  const FeaturesPart product = tensor_product(f, g);
  EXPECT_EQ(product->outputs(), 72u);
  expect_estimates(*product, data, [&](std::size_t i, std::size_t j) { return A(i, j) * B(i, j); });
  expect_estimates(*tensor_product(f, f), data, [&](std::size_t i, std::size_t j) { return A(i, j) * A(i, j); });
  Matrix<double> Zf(7, 9), Zg(7, 8), Z(7, 72);
  f->transform(data.X.view(), Zf.view());
  g->transform(data.X.view(), Zg.view());
  product->transform(data.X.view(), Z.view());
  for (std::size_t k = 0; k < 72; ++k) EXPECT_EQ(Z(3, k), Zf(3, k / 8) * Zg(3, k % 8));
}

TEST(Compose, HybridIsItsFormula) {
  const Data data;
  const FeaturesPart p = part("positive_paired", 6, 1), q = part("positive", 5, 2), t = part("trigonometric", 4, 3);
  const FeaturesPart l = scaled(-0.5, part("sign", 7, 4, "angular")), k = part("trigonometric", 3, 5, "gaussian");
  const Matrix<double> P = estimates(*p, data.X, data.Y), Q = estimates(*q, data.X, data.Y),
                       T = estimates(*t, data.X, data.Y), L = estimates(*l, data.X, data.Y),
                       G = estimates(*k, data.X, data.Y);
  for (const double a : {0.5, 0.0, 1.75, -0.25}) {
    const FeaturesPart h = hybrid({{a, l, p}, {0.25, k, q}}, t);
    expect_estimates(*h, data, [&](std::size_t i, std::size_t j) {
      const double first = a + L(i, j), second = 0.25 + G(i, j);
      return first * P(i, j) + second * Q(i, j) + (1 - first - second) * T(i, j);
    });
    EXPECT_EQ(h->outputs(), (a == 0 ? 0u : 12u) + 5 + 7 * 12 + 6 * 5 + 8 + 7 * 8 + 6 * 8);
  }
  const FeaturesPart without = hybrid({{0.5, l, p}, {0.5, nullptr, q}}, t);
  EXPECT_EQ(without->outputs(), 12u + 5 + 7 * 12 + 7 * 8);  // nothing is left for the constant of the rest
  expect_estimates(*hybrid({{0.5, l, p}}, nullptr), data,
                   [&](std::size_t i, std::size_t j) { return (0.5 + L(i, j)) * P(i, j); });
}

/// lambda of a hybrid is a hybrid of two angular estimates.
TEST(Compose, CoefficientsCanBeHybrids) {
  const Data data;
  const FeaturesPart p = part("positive_paired", 6, 1), t = part("trigonometric", 4, 3);
  const FeaturesPart s = part("sign", 7, 4, "angular"), r = part("sign", 3, 5, "angular");
  const FeaturesPart g = part("positive", 2, 6, "gaussian");
  const FeaturesPart lambda = hybrid({{0, g, s}}, r);
  const Matrix<double> P = estimates(*p, data.X, data.Y), T = estimates(*t, data.X, data.Y),
                       S = estimates(*s, data.X, data.Y), R = estimates(*r, data.X, data.Y),
                       G = estimates(*g, data.X, data.Y);
  expect_estimates(*hybrid({{0.5, scaled(-0.5, lambda), p}}, t), data, [&](std::size_t i, std::size_t j) {
    const double l = 0.5 - (G(i, j) * S(i, j) + (1 - G(i, j)) * R(i, j)) / 2;
    return l * P(i, j) + (1 - l) * T(i, j);
  });
}

/// lambda_k = exp(-|x + M y|^2 / (2 c^2)): the Gaussian kernel of x and -M y.
TEST(Compose, OnInputsMapsBothSides) {
  const Data data;
  const Matrix<double> M = normal_rows(kD, kD, 1.0, 8);
  Matrix<double> I(kD, kD, 0.0), minus(kD, kD), MY(data.Y.rows(), kD, 0.0);
  for (std::size_t i = 0; i < kD; ++i) {
    I(i, i) = 1;
    for (std::size_t l = 0; l < kD; ++l) minus(i, l) = -M(i, l);
  }
  for (std::size_t j = 0; j < data.Y.rows(); ++j)
    for (std::size_t i = 0; i < kD; ++i)
      for (std::size_t l = 0; l < kD; ++l) MY(j, i) -= M(i, l) * data.Y(j, l);
  const FeaturesPart f = make_features({.d = kD, .m = 40, .lengthscale = {1.5}});
  const FeaturesPart g = on_inputs(f, I, minus);
  EXPECT_FALSE(g->symmetric());
  EXPECT_TRUE(on_inputs(f, minus, minus)->symmetric());
  const Matrix<double> expected = estimates(*f, data.X, MY);
  expect_estimates(*g, data, [&](std::size_t i, std::size_t j) { return expected(i, j); });
  const Matrix<double> W = g->directions(), V = f->directions();
  EXPECT_EQ(W.cols(), kD);
  EXPECT_DOUBLE_EQ(W(2, 1), V(2, 1) / 1.5);
  const Matrix<double> tall = normal_rows(5, kD, 0.3, 9);  // R^3 to R^5
  EXPECT_EQ(on_inputs(make_features({.d = 5, .m = 4}), tall, tall)->d(), kD);
}

template <class T>
void expect_same_bits(const Features& features, std::size_t n) {
  Matrix<T> X(n, kD), Z(n, features.outputs()), other(n, features.outputs());
  for (std::size_t i = 0; i < n * kD; ++i) X.data()[i] = static_cast<T>(std::sin(static_cast<double>(i)) / 2);
  for (const Side side : {Side::query, Side::key}) {
    set_num_threads(1);
    features.transform(X.view(), Z.view(), side);
    for (const int threads : {2, 5}) {
      set_num_threads(threads);
      features.transform(X.view(), other.view(), side);
      ASSERT_EQ(std::memcmp(Z.data(), other.data(), n * Z.cols() * sizeof(T)), 0) << threads;
    }
    for (std::size_t first = 0; first < n; first += 7) {
      const std::size_t last = std::min(first + 7, n);
      features.transform(X.view().row_range(first, last), other.view().row_range(first, last), side);
    }
    ASSERT_EQ(std::memcmp(Z.data(), other.data(), n * Z.cols() * sizeof(T)), 0);
  }
}

/// Also where the output is written past the caches (more than 8 MiB), and for a hybrid inside a hybrid.
TEST(Compose, BitsOfARowDependOnThatRowAlone) {
  const int before = num_threads();
  const FeaturesPart p = part("positive_paired", 16, 1), t = part("trigonometric", 16, 3);
  const FeaturesPart s = scaled(-0.5, part("sign", 5, 4, "angular"));
  const FeaturesPart inner = hybrid({{0.5, s, p}}, t);
  const Matrix<double> M = normal_rows(kD, kD, 0.5, 8);
  const FeaturesPart nested = hybrid({{0.1, on_inputs(s, M, M), inner}}, scaled(2, p));
  for (const FeaturesPart& features : {inner, nested, concatenation({p, nested}), on_inputs(nested, M, M)}) {
    expect_same_bits<float>(*features, 333);
    expect_same_bits<double>(*features, 333);
  }
  expect_same_bits<float>(*inner, 8000);
  expect_same_bits<double>(*nested, 900);
  set_num_threads(before);
}

TEST(Compose, SpecDescribes) {
  const FeaturesPart f = part("positive", 9, 11);
  const FeaturesPart product = tensor_product(part("sign", 4, 2, "angular"), f);
  const Spec& spec = product->spec();
  EXPECT_EQ(spec.map, "tensor_product");
  EXPECT_EQ(spec.kernel, "composed");
  EXPECT_EQ(spec.m, 9u);
  EXPECT_EQ(spec.seed, 11u);
  EXPECT_NE(refusal([&] { make_features(spec); }).find("unknown kernel 'composed'"), std::string::npos);
}

TEST(Compose, RefusesWhatDoesNotFit) {
  const FeaturesPart f = part("positive", 4, 1), other = make_features({.d = 4, .m = 4});
  const FeaturesPart unfitted = make_features({.d = kD, .map = "optimal_positive", .m = 4});
  Matrix<double> M(kD, kD, 1.0), wide(kD, 2, 1.0), broken(kD, kD, 1.0);
  broken(1, 2) = std::numeric_limits<double>::infinity();
  const auto says = [&](const std::function<void()>& call, const char* wanted) {
    const std::string sentence = refusal(call);
    EXPECT_NE(sentence.find(wanted), std::string::npos) << sentence;
  };
  says([&] { concatenation({f, other}); }, "parts take inputs of d = 3 and d = 4; expected one d for all");
  says([&] { tensor_product(f, other); }, "expected one d for all");
  says([&] { concatenation({}); }, "a concatenation of nothing");
  says([&] { concatenation({f, nullptr}); }, "a part is null");
  says([&] { tensor_product(nullptr, f); }, "a part is null");
  says([&] { tensor_product(unfitted, f); }, "a part of map 'optimal_positive' is not fitted");
  says([&] { scaled(0, f); }, "c is 0");
  says([&] { scaled(std::nan(""), f); }, "c is nan");
  says([&] { hybrid({}, f); }, "a hybrid of no term");
  says([&] { hybrid({{0, nullptr, f}}, f); }, "neither a constant nor a coefficient");
  says([&] { hybrid({{1, f, other}}, f); }, "expected one d for all");
  says([&] { on_inputs(f, wide, M); }, "Q is 3 x 3; expected 3 x d");
  says([&] { on_inputs(other, M, M); }, "P is 3 x 3; expected 4 x d");
  says([&] { on_inputs(f, M, broken); }, "Q[1, 2] is inf; expected a finite number");
}

/// Rows are counted as the caller counts them, whatever block they fell into.
TEST(Compose, NamesTheRowOfABadEntry) {
  Matrix<double> X(700, kD, 0.1), M(kD, kD, 0.5);
  X(601, 2) = std::nan("");
  const FeaturesPart f = part("positive", 4, 1), t = tensor_product(f, f);
  for (const FeaturesPart& features :
       {t, on_inputs(f, M, M), on_inputs(t, M, M), tensor_product(on_inputs(f, M, M), t)}) {
    Matrix<double> Z(700, features->outputs());
    const std::string sentence = refusal([&] { features->transform(X.view(), Z.view()); });
    EXPECT_NE(sentence.find("X has nan at row 601, column 2"), std::string::npos) << sentence;
  }
}

/// 1 for rows with x_0 > 0, else 0.
class Half final : public Features {
 public:
  void transform(MatrixView<const float> X, MatrixView<float> Z, Side) const override { fill(X, Z); }
  void transform(MatrixView<const double> X, MatrixView<double> Z, Side) const override { fill(X, Z); }
  Matrix<double> directions() const override { return {}; }
  std::size_t outputs() const override { return 1; }
  bool symmetric() const override { return true; }
  const Spec& spec() const override { return spec_; }

 private:
  template <class T>
  static void fill(MatrixView<const T> X, MatrixView<T> Z) {
    for (std::size_t i = 0; i < X.rows(); ++i) Z(i, 0) = X(i, 0) > 0 ? T(1) : T(0);
  }
  Spec spec_ = {.d = kD, .m = 1};
};

/// Rows in which a coefficient of one feature is 0 do not evaluate its base: no NaN from 0 times an overflow.
TEST(Compose, ZeroCoefficientsSilenceTheirBase) {
  const FeaturesPart base = part("positive", 8, 1), gated = tensor_product(std::make_shared<Half>(), base);
  Matrix<double> X(50, kD), Z(50, 8), plain(50, 8);
  for (std::size_t i = 0; i < 50; ++i)
    for (std::size_t l = 0; l < kD; ++l) X(i, l) = i % 3 == 0 ? 0.01 * static_cast<double>(i + l + 1) : -1e9;
  base->transform(X.view(), plain.view());
  gated->transform(X.view(), Z.view());
  for (std::size_t i = 0; i < 50; ++i)
    for (std::size_t k = 0; k < 8; ++k) ASSERT_EQ(Z(i, k), i % 3 == 0 ? plain(i, k) : 0.0) << i;
}

}  // namespace
}  // namespace bochner
