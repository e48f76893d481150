// SPDX-License-Identifier: Apache-2.0
#include "core/kmeans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "bochner/threads.h"
#include "core/stream.h"

namespace bochner {
namespace {

ClusterData data_of(const Matrix<double>& X) {
  return {X.rows(), X.cols(), [&X](std::size_t first, MatrixView<double> out) {
            for (std::size_t i = 0; i < out.rows(); ++i)
              std::copy_n(X.view().row(first + i).data(), X.cols(), out.row(i).data());
          }};
}

/// n rows around k points that are 10 apart, `spread` wide.
Matrix<double> blobs(std::size_t n, std::size_t d, std::size_t k, double spread) {
  Matrix<double> X(n, d);
  for (std::size_t i = 0; i < n; ++i) {
    Stream(1, Purpose::iid_entries).fill_normal(i, 0, X.view().row(i));
    for (double& entry : X.view().row(i)) entry *= spread;
    X(i, (i * 7) % k % d) += 10.0 * (1 + static_cast<double>((i * 7) % k / d));
  }
  return X;
}

double inertia(const Matrix<double>& X, const Matrix<double>& centres) {
  double sum = 0;
  for (std::size_t i = 0; i < X.rows(); ++i) {
    const auto centre = centres.view().row(nearest_centre(centres, X.view().row(i)));
    for (std::size_t l = 0; l < X.cols(); ++l) sum += std::pow(X(i, l) - centre[l], 2);
  }
  return sum / static_cast<double>(X.rows());
}

std::string refusal(const Matrix<double>& X, std::size_t k) {
  try {
    kmeans(data_of(X), k, 0, "X");
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

/// Separated clusters: each centre is the mean of its own rows, whatever the seed; also from a sample and a pass.
TEST(KMeans, FindsSeparatedClusters) {
  for (const std::size_t n : {600, 30000})
    for (const std::uint64_t seed : {0, 1, 2, 3, 4}) {
      const Matrix<double> X = blobs(n, 6, 6, 0.3);
      const Matrix<double> centres = kmeans(data_of(X), 6, seed, "X");
      EXPECT_NEAR(inertia(X, centres), 6 * 0.3 * 0.3, 0.03) << n << ' ' << seed;
    }
}

/// A Lloyd step from the result changes nothing: every centre is the mean of the rows nearest to it.
TEST(KMeans, EndsAtAFixedPoint) {
  const Matrix<double> X = blobs(2000, 3, 3, 4.0);
  const Matrix<double> centres = kmeans(data_of(X), 5, 1, "X");
  Matrix<double> means(5, 3, 0.0);
  std::vector<double> counts(5, 0);
  for (std::size_t i = 0; i < X.rows(); ++i) {
    const std::size_t c = nearest_centre(centres, X.view().row(i));
    ++counts[c];
    for (std::size_t l = 0; l < 3; ++l) means(c, l) += X(i, l);
  }
  for (std::size_t c = 0; c < 5; ++c)
    for (std::size_t l = 0; l < 3; ++l) EXPECT_NEAR(centres(c, l), means(c, l) / counts[c], 1e-9);
}

TEST(KMeans, DoesNotDependOnThreads) {
  const Matrix<double> X = blobs(20000, 5, 4, 2.0);
  const int before = num_threads();
  set_num_threads(1);
  const Matrix<double> one = kmeans(data_of(X), 7, 3, "X");
  for (const int threads : {2, 3, 8}) {
    set_num_threads(threads);
    const Matrix<double> many = kmeans(data_of(X), 7, 3, "X");
    EXPECT_EQ(std::memcmp(one.data(), many.data(), 35 * sizeof(double)), 0) << threads;
  }
  set_num_threads(before);
}

/// As many clusters as different rows: every row is a centre, and duplicates do not count.
TEST(KMeans, TakesEveryRowOfAFewDifferentOnes) {
  Matrix<double> X(40, 2);
  for (std::size_t i = 0; i < 40; ++i)
    X(i, 0) = static_cast<double>(i % 5), X(i, 1) = static_cast<double>(i % 5 * i % 5);
  std::set<std::pair<double, double>> rows;
  for (std::size_t i = 0; i < 40; ++i) rows.insert({X(i, 0), X(i, 1)});
  const Matrix<double> centres = kmeans(data_of(X), rows.size(), 0, "X");
  EXPECT_EQ(inertia(X, centres), 0.0);
  const std::string sentence = refusal(X, rows.size() + 1);
  EXPECT_EQ(sentence.find("X has " + std::to_string(rows.size()) + " different rows; expected at least"), 0u)
      << sentence;
}

TEST(KMeans, RefusesMoreClustersThanRows) {
  const Matrix<double> X = blobs(3, 2, 2, 1.0);
  EXPECT_EQ(refusal(X, 4), "X has 3 rows; expected at least 4, one for each cluster ('clusters' says how many)");
}

}  // namespace
}  // namespace bochner
