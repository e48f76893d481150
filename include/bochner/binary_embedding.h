// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "bochner/export.h"
#include "bochner/features.h"
#include "bochner/matrix.h"
#include "bochner/matrix_view.h"

namespace bochner {

/// A row is a code: bit i % 64 of word i / 64 is 1 where w_i . x >= 0. Bits after the last one are 0.
using CodeView = MatrixView<const std::uint64_t>;

/// The angle between two inputs, estimated from the bits in which their codes differ.
struct AngleEstimate {
  double angle;           ///< pi differing / bits: unbiased for rows of W that are uniform on the sphere
  double standard_error;  ///< for independent rows; orthogonal rows have at most this error on average
};

/// The estimate from `differing` out of `bits`, 0 <= differing <= bits. The share p under the root is (differing + 1/2)
/// / (bits + 1), so that equal codes do not get a standard error of 0.
BOCHNER_EXPORT AngleEstimate angle_of(std::size_t differing, std::size_t bits);

/// Signs of projections as packed bits: inputs of d numbers become codes of `bits` bits whose Hamming distance gives
/// the angle (Charikar, 2002; with structured rows Yu et al., 2016, App. E). Immutable: any number of threads may use
/// one object.
class BOCHNER_EXPORT BinaryEmbedding {
 public:
  /// spec.m is the number of bits; map and kernel are `sign` and `angular` whatever the spec says. Takes any coupling
  /// whose rows are isotropic: "hadamard" encodes in O(bits log d), "orthogonal" has the smallest error. If `block` is
  /// not given, "hadamard" and "simplex_hadamard" use a block of at least 64 for d >= 2, and the smallest one in which
  /// no row of W is 0: smaller blocks offer too few different directions. spec() has the block that was chosen.
  /// Throws std::invalid_argument as make_features does.
  explicit BinaryEmbedding(Spec spec);

  std::size_t bits() const { return features_->m(); }
  std::size_t words() const { return (bits() + 63) / 64; }  ///< per code
  const Spec& spec() const { return features_->spec(); }

  /// Codes of the rows of X, n x words(). The norms of the rows do not matter; a row of zeros has all bits set.
  void encode(MatrixView<const float> X, MatrixView<std::uint64_t> codes) const;
  void encode(MatrixView<const double> X, MatrixView<std::uint64_t> codes) const;

 private:
  std::shared_ptr<const Features> features_;
};

/// The number of bits in which rows of A and rows of B differ, |A| x |B|; both have the same number of words.
BOCHNER_EXPORT Matrix<std::uint32_t> hamming_distances(CodeView A, CodeView B);

/// The k rows of `codes` nearest to each query, nearest first, ties in the order of rows: ids and differing bits.
struct NearestCodes {
  Matrix<std::uint64_t> ids;
  Matrix<std::uint32_t> distances;
};
/// 1 <= k <= codes.rows(). O(codes) per query, by counting: no sort.
BOCHNER_EXPORT NearestCodes nearest_codes(CodeView queries, CodeView codes, std::size_t k);

}  // namespace bochner
