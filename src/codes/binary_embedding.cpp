// SPDX-License-Identifier: Apache-2.0
#include "bochner/binary_embedding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/errors.h"
#include "core/parallel.h"
#include "features/defaults.h"
#include "features/resolve.h"
#include "features/row_origin.h"
#include "simd/codes.h"

namespace bochner {
namespace {

constexpr std::size_t kBlock = 32;  // rows whose signs stay in cache until they are packed
constexpr std::size_t kLeastBlock = 64;
constexpr std::size_t kLargestBlock = std::size_t{1} << 20;  // for fast transforms
constexpr std::size_t kLargestZero = 16;  // d; zero rows get 5 times rarer with every dimension: here below 1e-13
constexpr double kZero = 1e-9;            // entries below count as 0; rows have norms near sqrt(d)

Spec sign_spec(Spec spec) {
  spec.kernel = defaults::kCodeKernel;
  spec.map = defaults::kCodeMap;
  return spec;
}

bool has_zero_row(const Matrix<double>& W) {
  for (std::size_t i = 0; i < W.rows(); ++i)
    if (std::ranges::all_of(W.view().row(i), [](double w) { return std::abs(w) < kZero; })) return true;
  return false;
}

/// Rows of products of signs and Walsh-Hadamard matrices lie on a lattice, which is coarse in a small block: a block of
/// 2 has only four directions; in a block of 64 one row in 300 begins with two zeros, and for d = 2 its bit says
/// nothing. So unless the block is given, these couplings use one of at least kLeastBlock in which no row is 0. In one
/// dimension there are two directions, and any block without zeros is exact.
std::unique_ptr<Features> sign_features(Spec spec) {
  spec = sign_spec(std::move(spec));
  if (!resolve(spec).coupling.lattice || spec.parameters.contains("block") || spec.d < 2 || spec.d >= kLeastBlock)
    return make_features(spec);
  for (std::size_t block = kLeastBlock;; block *= 2) {
    spec.parameters.insert_or_assign("block", static_cast<double>(block));
    auto features = make_features(spec);
    if (block == kLargestBlock || spec.d > kLargestZero || !has_zero_row(features->directions())) return features;
  }
}

template <class T>
void encode_rows(const Features& features, MatrixView<const T> X, MatrixView<std::uint64_t> codes, std::size_t words) {
  if (X.cols() != features.d())
    refuse("X", fmt::format("an array of {} columns", X.cols()), fmt::format("{}, as the embedding has", features.d()));
  if (codes.rows() != X.rows() || codes.cols() != words)
    refuse("codes", fmt::format("a matrix of {} x {} words", codes.rows(), codes.cols()),
           fmt::format("{} x {}", X.rows(), words));
  parallel_for(X.rows(), kBlock, [&](std::size_t first, std::size_t last) {
    Matrix<T> signs(last - first, features.outputs());
    const RowOrigin origin(first);
    features.transform(X.row_range(first, last), signs.view());
    for (std::size_t i = first; i < last; ++i) simd::pack_signs<T>(signs.view().row(i - first), codes.row(i));
  });
}

void check_widths(CodeView A, CodeView B) {
  if (A.cols() != B.cols())
    refuse("codes", fmt::format("of {} and {} words", A.cols(), B.cols()), "codes of one embedding");
}

/// Ids of the k smallest distances in order, ties in the order of rows, by counting how many lie at each distance.
void smallest(std::span<const std::uint32_t> distances, std::size_t bits, std::span<std::uint64_t> ids,
              std::span<std::uint32_t> found) {
  std::vector<std::size_t> places(bits + 2, 0);  // places[r]: how many are nearer than r, then where the next at r goes
  for (const std::uint32_t r : distances) ++places[r + 1];
  for (std::size_t r = 0; r <= bits; ++r) places[r + 1] += places[r];
  for (std::size_t i = 0; i < distances.size(); ++i) {
    const std::size_t place = places[distances[i]]++;
    if (place >= ids.size()) continue;
    ids[place] = i;
    found[place] = distances[i];
  }
}

}  // namespace

AngleEstimate angle_of(std::size_t differing, std::size_t bits) {
  if (differing > bits || bits == 0)
    refuse("differing", fmt::format("{} of {} bits", differing, bits), "at most as many as there are, of at least 1");
  const double count = static_cast<double>(bits), different = static_cast<double>(differing);
  const double p = (different + 0.5) / (count + 1);
  return {std::numbers::pi * different / count, std::numbers::pi * std::sqrt(p * (1 - p) / count)};
}

BinaryEmbedding::BinaryEmbedding(Spec spec) : features_(sign_features(std::move(spec))) {}

void BinaryEmbedding::encode(MatrixView<const float> X, MatrixView<std::uint64_t> codes) const {
  encode_rows(*features_, X, codes, words());
}
void BinaryEmbedding::encode(MatrixView<const double> X, MatrixView<std::uint64_t> codes) const {
  encode_rows(*features_, X, codes, words());
}

Matrix<std::uint32_t> hamming_distances(CodeView A, CodeView B) {
  check_widths(A, B);
  Matrix<std::uint32_t> distances(A.rows(), B.rows());
  parallel_for(A.rows(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) simd::hamming(A.row(i), B, distances.view().row(i));
  });
  return distances;
}

NearestCodes nearest_codes(CodeView queries, CodeView codes, std::size_t k) {
  check_widths(queries, codes);
  if (k < 1 || k > codes.rows())
    refuse("k", fmt::format("{}", k), fmt::format("1 to {}, the codes there are", codes.rows()));
  NearestCodes found{Matrix<std::uint64_t>(queries.rows(), k), Matrix<std::uint32_t>(queries.rows(), k)};
  parallel_for(queries.rows(), 1, [&](std::size_t first, std::size_t last) {
    std::vector<std::uint32_t> distances(codes.rows());
    for (std::size_t i = first; i < last; ++i) {
      simd::hamming(queries.row(i), codes, distances);
      smallest(distances, 64 * codes.cols(), found.ids.view().row(i), found.distances.view().row(i));
    }
  });
  return found;
}

}  // namespace bochner
