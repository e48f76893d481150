// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bochner/export.h"
#include "bochner/parameters.h"

namespace bochner {

/// Which argument of k(x, y) a row is: some maps treat the two differently.
enum class Side { query, key };

/// Everything that defines a random feature map: two equal specs give the same features, bit by bit. `bochner list` and
/// registry.h have the names and aliases.
struct Spec {
  std::size_t d = 0;  ///< length of an input row, >= 1
  std::string kernel = "gaussian";
  std::string map = "auto";       ///< "auto": trigonometric, or the default map of the kernel
  std::string coupling = "auto";  ///< "auto": orthogonal if the law of the rows is isotropic, else iid
  std::size_t m = 256;            ///< number of random directions (rows of W), >= 1
  std::uint64_t seed = 0;         ///< every drawn number depends on it
  /// sigma of the kernel, > 0: one number, or one per coordinate (inputs are divided by it).
  std::vector<double> lengthscale = {1.0};
  /// What else the kernel, the map or the coupling takes: `rounds`, `norms`, `block`, `nu`, ... (registry.h).
  Parameters parameters = {};

  bool operator==(const Spec&) const = default;
};

/// The spec as one JSON object, the form in which it is shown and stored. It includes `stream_version`.
BOCHNER_EXPORT std::string to_json(const Spec& spec);
/// The inverse of to_json. Throws std::invalid_argument for anything that is not such an object.
BOCHNER_EXPORT Spec spec_from_json(std::string_view text);

}  // namespace bochner
