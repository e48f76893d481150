// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "bochner/parameters.h"
#include "bochner/registry.h"
#include "core/law.h"
#include "simd/projection.h"

namespace bochner {

/// What a coupling requires of the law of a row.
enum class LawNeed {
  any,
  isotropic,  ///< it draws directions and radii separately
  product,    ///< it draws points of the unit cube
  symmetric,  ///< product, and it changes signs
};

/// The angles between rows of one block of W, which the closed form of the error needs.
enum class Angles { unknown, independent, orthogonal, simplex };

/// What is to be drawn.
struct DrawRequest {
  const Law& law;
  std::size_t d;
  std::size_t m;
  std::uint64_t seed;
  const Parameters& parameters;  ///< every parameter that the registry entry declares
};

/// The most bytes that a draw takes. Stored W: as drawn and packed in float, and d columns of a padded Haar matrix.
double dense_bytes(std::size_t d, std::size_t m, std::size_t D);
/// For a W that is never stored: signs, norms and factors of each row, and 12 bytes per layer of rotations.
double structured_bytes(std::size_t d, std::size_t m, std::size_t D);

/// A way to draw the m rows of W: each row has the given law, and the coupling decides how they depend on each other.
/// A coupling is one function in a table. To add one, write a file with such a constant and a line in couplings.def.
struct Coupling {
  Entry entry;
  LawNeed needs = LawNeed::any;
  /// Rows have the norm sqrt(D) instead of a random one; only for the normal law, and not for exponential maps.
  bool fixed_norms = false;
  /// W is never stored: O(m log d) memory instead of O(m d).
  bool structured = false;
  double (*bytes)(std::size_t d, std::size_t m, std::size_t D) = dense_bytes;  ///< D: the block, or d
  Angles angles = Angles::unknown;
  /// The closed form of the error is that of an exact counterpart: a fast product replaces a Haar matrix, for example.
  bool approximate = false;
  /// Directions lie on a lattice, which is coarse in small blocks: a block of 2 has only four directions.
  bool lattice = false;
  /// Directions come in blocks of D rows that are drawn independently; false where all rows are one set of points.
  bool independent_blocks = true;
  std::size_t smallest_d = 1;
  std::size_t largest_d = std::numeric_limits<std::size_t>::max();
  std::unique_ptr<Projection> (*draw)(const DrawRequest& request);
};

/// All couplings, in the order of couplings.def.
std::span<const Coupling* const> all_couplings();

}  // namespace bochner
