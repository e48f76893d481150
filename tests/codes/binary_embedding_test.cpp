// SPDX-License-Identifier: Apache-2.0
#include "bochner/binary_embedding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "bochner/threads.h"
#include "support/normal_rows.h"
#include "support/refusal.h"

namespace bochner {
namespace {

using test::normal_rows;
using test::refusal;

Matrix<std::uint64_t> codes_of(const BinaryEmbedding& embedding, const Matrix<double>& X) {
  Matrix<std::uint64_t> codes(X.rows(), embedding.words());
  embedding.encode(X.view(), codes.view());
  return codes;
}

double angle_between(std::span<const double> x, std::span<const double> y) {
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t l = 0; l < x.size(); ++l) xx += x[l] * x[l], yy += y[l] * y[l], xy += x[l] * y[l];
  return std::acos(xy / std::sqrt(xx * yy));
}

TEST(BinaryEmbedding, BitsAreSignsOfProjections) {
  const Matrix<double> X = normal_rows(40, 5, 1.0, 3);
  for (const char* coupling : {"iid", "orthogonal", "hadamard"}) {
    const BinaryEmbedding embedding({.d = 5, .coupling = coupling, .m = 70, .seed = 9});
    const auto features = make_features(embedding.spec());
    Matrix<double> signs(40, 70);
    features->transform(X.view(), signs.view());
    const auto codes = codes_of(embedding, X);
    for (std::size_t i = 0; i < 40; ++i)
      for (std::size_t j = 0; j < 70; ++j)
        EXPECT_EQ((codes(i, j / 64) >> (j % 64)) & 1, signs(i, j) > 0 ? 1 : 0) << coupling;
  }
}

TEST(BinaryEmbedding, AngleAndErrorOfCounts) {
  EXPECT_DOUBLE_EQ(angle_of(16, 64).angle, std::numbers::pi / 4);
  EXPECT_DOUBLE_EQ(angle_of(16, 64).standard_error, std::numbers::pi * std::sqrt(16.5 * 48.5) / (65 * 8));
  EXPECT_EQ(angle_of(0, 64).angle, 0);
  EXPECT_GT(angle_of(0, 64).standard_error, 0);
  EXPECT_DOUBLE_EQ(angle_of(64, 64).angle, std::numbers::pi);
}

// Over pairs and seeds, (estimate - angle) / standard error has mean 0 and, for independent rows, deviation 1.
TEST(BinaryEmbedding, AnglesAreWithoutBiasAndTheirErrorIsKnown) {
  const Matrix<double> X = normal_rows(2, 16, 1.0, 4);
  const double truth = angle_between(X.view().row(0), X.view().row(1));
  constexpr int kSeeds = 2000;
  double sum = 0, square = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const BinaryEmbedding embedding({.d = 16, .coupling = "iid", .m = 256, .seed = static_cast<std::uint64_t>(seed)});
    const auto codes = codes_of(embedding, X);
    const auto [angle, error] = angle_of(hamming_distances(codes.view(), codes.view())(0, 1), 256);
    sum += (angle - truth) / error;
    square += (angle - truth) * (angle - truth) / (error * error);
  }
  EXPECT_LT(std::abs(sum / kSeeds), 4.9 / std::sqrt(kSeeds));               // two-sided 1e-6
  EXPECT_NEAR(square / kSeeds, 1.0, 4.9 * std::sqrt(2.0 / kSeeds) + 0.02);  // 0.02: p is estimated
}

TEST(BinaryEmbedding, StructuredRowsAreNoWorseThanIndependentOnes) {
  const Matrix<double> X = normal_rows(40, 64, 1.0, 5);
  const auto mean_square = [&](const char* coupling) {
    double total = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const BinaryEmbedding embedding({.d = 64, .coupling = coupling, .m = 64, .seed = seed});
      const auto codes = codes_of(embedding, X);
      const auto distances = hamming_distances(codes.view(), codes.view());
      for (std::size_t i = 0; i < 40; ++i)
        for (std::size_t j = 0; j < i; ++j) {
          const double off = angle_of(distances(i, j), 64).angle - angle_between(X.view().row(i), X.view().row(j));
          total += off * off;
        }
    }
    return total;
  };
  const double independent = mean_square("iid");
  EXPECT_LT(mean_square("orthogonal"), independent);
  EXPECT_LT(mean_square("hadamard"), independent);
}

/// The mean of ((angle - truth) / standard error)^2 over all pairs of rows.
double mean_square(const BinaryEmbedding& embedding, const Matrix<double>& X) {
  const auto codes = codes_of(embedding, X);
  const auto distances = hamming_distances(codes.view(), codes.view());
  double total = 0, pairs = 0;
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (std::size_t j = 0; j < i; ++j, ++pairs) {
      const auto [angle, error] = angle_of(distances(i, j), embedding.bits());
      total += std::pow((angle - angle_between(X.view().row(i), X.view().row(j))) / error, 2);
    }
  return total / pairs;
}

// 1 for independent rows, less for orthogonal ones; in blocks of 2, 4 and 8 it is 45000, 360 and 1.1. The bound has the
// failure probability 1e-6 for the mean of independent seeds; 0.02: p under the root is estimated.
TEST(BinaryEmbedding, FastRowsOfFewDimensionsHaveTheErrorThatIsTold) {
  constexpr int kSeeds = 40;
  for (const char* coupling : {"hadamard", "simplex_hadamard"})
    for (std::size_t d = 2; d <= 8; ++d) {
      double sum = 0, square = 0;
      for (int seed = 0; seed < kSeeds; ++seed) {
        const auto number = static_cast<std::uint64_t>(seed);
        const BinaryEmbedding embedding({.d = d, .coupling = coupling, .m = 1024, .seed = number});
        const double found = mean_square(embedding, normal_rows(30, d, 1.0, 100 + number));
        sum += found / kSeeds;
        square += found * found / kSeeds;
      }
      EXPECT_LT(sum, 1.02 + 4.9 * std::sqrt((square - sum * sum) / (kSeeds - 1))) << coupling << " " << d;
    }
}

// The sign of w . x for w = 0 is that of rounding errors. Projections within 1e-6 of 0 may differ: 2 of 2.5e6 bits.
TEST(BinaryEmbedding, NoRowIsZero) {
  for (std::size_t d = 1; d <= 8; ++d) {
    const Matrix<double> X = normal_rows(80, d, 1.0, 3);
    Matrix<float> narrow(80, d);
    for (std::size_t i = 0; i < 80; ++i) std::ranges::copy(X.view().row(i), narrow.view().row(i).begin());
    const BinaryEmbedding embedding({.d = d, .coupling = "sorf", .m = 4096, .seed = 1});
    const Matrix<double> W = make_features(embedding.spec())->directions();
    for (std::size_t i = 0; i < W.rows(); ++i)
      EXPECT_TRUE(std::ranges::any_of(W.view().row(i), [](double w) { return std::abs(w) > 1e-9; })) << d << " " << i;
    const auto codes = codes_of(embedding, X);
    Matrix<std::uint64_t> single(80, embedding.words());
    embedding.encode(narrow.view(), single.view());
    const auto distances = hamming_distances(codes.view(), single.view());
    std::uint32_t differing = 0;
    for (std::size_t i = 0; i < 80; ++i) differing += distances(i, i);
    EXPECT_LT(differing, 8u) << d;
  }
}

TEST(BinaryEmbedding, AGivenBlockStays) {
  const auto block = [](Spec spec) {
    return std::get<double>(BinaryEmbedding(std::move(spec)).spec().parameters.at("block"));
  };
  EXPECT_EQ(block({.d = 3, .coupling = "hadamard", .m = 64, .parameters = {{"block", 4.0}}}), 4);
  EXPECT_GE(block({.d = 3, .coupling = "hadamard", .m = 64}), 64);
  EXPECT_EQ(block({.d = 1, .coupling = "hadamard", .m = 64}), 1);
  EXPECT_EQ(block({.d = 100, .coupling = "hadamard", .m = 64}), 128);
  EXPECT_EQ(block({.d = 3, .coupling = "orthogonal", .m = 64}), 3);
}

TEST(BinaryEmbedding, NearestAreThoseOfASort) {
  const BinaryEmbedding embedding({.d = 6, .m = 100, .seed = 1});
  const auto codes = codes_of(embedding, normal_rows(300, 6, 1.0, 6));
  const auto queries = codes_of(embedding, normal_rows(7, 6, 1.0, 7));
  const auto all = hamming_distances(queries.view(), codes.view());
  const NearestCodes found = nearest_codes(queries.view(), codes.view(), 25);
  for (std::size_t i = 0; i < 7; ++i) {
    std::vector<std::size_t> order(300);
    for (std::size_t j = 0; j < 300; ++j) order[j] = j;
    std::ranges::stable_sort(order, {}, [&](std::size_t j) { return all(i, j); });
    for (std::size_t k = 0; k < 25; ++k) {
      EXPECT_EQ(found.ids(i, k), order[k]);
      EXPECT_EQ(found.distances(i, k), all(i, order[k]));
    }
  }
}

TEST(BinaryEmbedding, SameBitsOnAnyThreadsAndForFloats) {
  const Matrix<double> X = normal_rows(200, 33, 1.0, 8);
  Matrix<float> narrow(200, 33);
  for (std::size_t i = 0; i < 200; ++i) std::ranges::copy(X.view().row(i), narrow.view().row(i).begin());
  const BinaryEmbedding embedding({.d = 33, .coupling = "orthogonal", .m = 130, .seed = 2});
  const auto codes = codes_of(embedding, X);
  const int before = num_threads();
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    const auto again = codes_of(embedding, X);
    EXPECT_TRUE(std::equal(codes.data(), codes.data() + 200 * 3, again.data())) << threads;
  }
  set_num_threads(before);
  Matrix<std::uint64_t> single(200, 3);
  embedding.encode(narrow.view(), single.view());
  std::uint32_t differing = 0;
  const auto distances = hamming_distances(codes.view(), single.view());
  for (std::size_t i = 0; i < 200; ++i) differing += distances(i, i);
  EXPECT_LT(differing, 5u);  // projections within 1e-6 of 0 among 26000
}

TEST(BinaryEmbedding, RefusesWhatMakesNoSense) {
  const BinaryEmbedding embedding({.d = 4, .m = 64});
  Matrix<std::uint64_t> codes(2, 1), wide(2, 2);
  const Matrix<double> X = normal_rows(2, 4, 1.0, 1);
  Matrix<double> broken = normal_rows(50, 4, 1.0, 1);
  broken(40, 2) = std::nan("");
  Matrix<std::uint64_t> fifty(50, 1);
  EXPECT_EQ(refusal([&] { embedding.encode(normal_rows(2, 3, 1.0, 1).view(), codes.view()); }),
            "X is an array of 3 columns; expected 4, as the embedding has");
  EXPECT_EQ(refusal([&] { embedding.encode(X.view(), wide.view()); }),
            "codes is a matrix of 2 x 2 words; expected 2 x 1");
  EXPECT_NE(refusal([&] { embedding.encode(broken.view(), fifty.view()); }).find("row 40, column 2"),
            std::string::npos);
  EXPECT_EQ(refusal([&] { hamming_distances(codes.view(), wide.view()); }),
            "codes is of 1 and 2 words; expected codes of one embedding");
  EXPECT_EQ(refusal([&] { nearest_codes(codes.view(), codes.view(), 3); }),
            "k is 3; expected 1 to 2, the codes there are");
  EXPECT_NE(refusal([&] { angle_of(5, 4); }).find("5 of 4 bits"), std::string::npos);
  EXPECT_NE(refusal([] { BinaryEmbedding({.d = 4, .coupling = "hadamrd", .m = 4}); }).find("hadamard"),
            std::string::npos);
}

}  // namespace
}  // namespace bochner
