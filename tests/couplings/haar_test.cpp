// SPDX-License-Identifier: Apache-2.0
// Haar blocks: orthonormal, invariant, the same bits on every machine and thread count.
#include "couplings/haar.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "bochner/matrix.h"
#include "bochner/threads.h"
#include "core/stream.h"

namespace bochner {
namespace {

Matrix<double> haar(std::uint64_t seed, std::size_t r, std::size_t d, std::uint64_t block = 0) {
  Matrix<double> Q(r, d);
  draw_haar(seed, block, Q.view());
  return Q;
}

/// Q of the Gaussian matrix whose column j is built from the same draws, by plain reflections one at a time, in long
/// double: q_j = sign_j H_1 ... H_j e_j.
std::vector<std::vector<long double>> plain_haar(std::uint64_t seed, std::size_t r, std::size_t d) {
  const Stream stream(seed, Purpose::haar_reflectors);
  std::vector<std::vector<long double>> v(r), q(r);
  std::vector<long double> sign(r);
  for (std::size_t j = 0; j < r; ++j) {
    long double norm2 = 0;
    for (std::size_t k = 0; k < d - j; ++k) {
      v[j].push_back(stream.normal(j, k));
      norm2 += v[j][k] * v[j][k];
    }
    sign[j] = v[j][0] < 0 ? 1 : -1;
    v[j][0] -= sign[j] * std::sqrt(norm2);
  }
  for (std::size_t j = 0; j < r; ++j) {
    q[j].assign(d, 0);
    q[j][j] = sign[j];
    for (std::size_t h = j + 1; h-- > 0;) {
      long double dot = 0, norm2 = 0;
      for (std::size_t k = 0; k < d - h; ++k) dot += v[h][k] * q[j][h + k], norm2 += v[h][k] * v[h][k];
      for (std::size_t k = 0; k < d - h; ++k) q[j][h + k] -= 2 * dot / norm2 * v[h][k];
    }
  }
  return q;
}

TEST(Haar, RowsAreOrthonormal) {
  for (const auto& [r, d] : std::vector<std::pair<std::size_t, std::size_t>>{
           {1, 1}, {1, 5}, {2, 2}, {5, 5}, {33, 33}, {47, 100}, {48, 64}, {49, 49}, {100, 100}, {150, 200}}) {
    const Matrix<double> Q = haar(7, r, d);
    for (std::size_t i = 0; i < r; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double dot = 0;
        for (std::size_t k = 0; k < d; ++k) dot += Q(i, k) * Q(j, k);
        ASSERT_NEAR(dot, i == j ? 1 : 0, 1e-13) << r << " x " << d << " rows " << i << ", " << j;
      }
    }
  }
}

TEST(Haar, PanelsEqualReflectionsOneByOne) {
  for (const auto& [r, d] : std::vector<std::pair<std::size_t, std::size_t>>{{3, 3}, {50, 50}, {60, 110}}) {
    const Matrix<double> Q = haar(3, r, d);
    const auto plain = plain_haar(3, r, d);
    for (std::size_t i = 0; i < r; ++i)
      for (std::size_t k = 0; k < d; ++k) ASSERT_NEAR(Q(i, k), plain[i][k], 1e-13) << r << " " << d;
  }
}

TEST(Haar, FewerRowsAreTheFirstRows) {
  const Matrix<double> all = haar(5, 90, 90);
  for (const std::size_t r : {1, 2, 40, 48, 49, 89}) {
    const Matrix<double> few = haar(5, r, 90);
    for (std::size_t i = 0; i < r; ++i)
      for (std::size_t k = 0; k < 90; ++k) ASSERT_NEAR(few(i, k), all(i, k), 1e-13);
  }
}

/// FNV-1a over the bits: the same number on every CPU, compiler and lane width for one stream_version.
std::uint64_t checksum(const Matrix<double>& Q) {
  std::uint64_t hash = 1469598103934665603u;
  for (std::size_t i = 0; i < Q.rows() * Q.cols(); ++i) {
    std::uint64_t bits = std::bit_cast<std::uint64_t>(Q.data()[i]);
    for (int byte = 0; byte < 8; ++byte, bits >>= 8) hash = (hash ^ (bits & 255)) * 1099511628211u;
  }
  return hash;
}

TEST(Haar, BitsAreGolden) {
  EXPECT_EQ(checksum(haar(1, 8, 8)), 13088922891646354475u);
  EXPECT_EQ(checksum(haar(2, 100, 100)), 15905108017878520361u);
  EXPECT_EQ(checksum(haar(3, 70, 131, 2)), 12228275137919524048u);
}

TEST(Haar, BitsDoNotDependOnThreads) {
  const int before = num_threads();
  set_num_threads(1);
  const std::uint64_t expected = checksum(haar(9, 200, 200));
  for (const int threads : {2, 3, 8}) {
    set_num_threads(threads);
    EXPECT_EQ(checksum(haar(9, 200, 200)), expected) << threads;
  }
  set_num_threads(before);
}

TEST(Haar, BlocksAndSeedsDiffer) {
  const std::uint64_t first = checksum(haar(1, 6, 6, 0));
  EXPECT_NE(first, checksum(haar(1, 6, 6, 1)));
  EXPECT_NE(first, checksum(haar(2, 6, 6, 0)));
}

}  // namespace
}  // namespace bochner
