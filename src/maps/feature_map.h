// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bochner/matrix_view.h"
#include "bochner/parameters.h"
#include "bochner/registry.h"
#include "bochner/spec.h"
#include "core/data_statistics.h"
#include "core/law.h"
#include "simd/projection.h"
#include "theory/variance.h"

namespace bochner {

class Features;
struct Map;

/// A block of rows that fits in cache, in units of the lengthscale.
template <class T>
struct Rows {
  MatrixView<const T> X;
  std::span<const T> norms;  ///< |x|^2
  Side side;
  std::size_t first;  ///< number of the first row, for messages
  bool streaming;     ///< the output is much larger than the caches
};

/// The function f in phi(x) = f(W x).
class FeatureMap {
 public:
  virtual ~FeatureMap() = default;

  /// Z = phi(X). Called by many threads at once.
  virtual void transform(const Rows<float>& rows, const Projection& projection, MatrixView<float> Z) const = 0;
  virtual void transform(const Rows<double>& rows, const Projection& projection, MatrixView<double> Z) const = 0;

  /// phi(X) = Z exp(log_scale) with a maximum of 1 in each row of Z; for maps whose registry entry is `positive`.
  virtual void transform_scaled(const Rows<float>& rows, const Projection& projection, MatrixView<float> Z,
                                std::span<float> log_scale) const;
  virtual void transform_scaled(const Rows<double>& rows, const Projection& projection, MatrixView<double> Z,
                                std::span<double> log_scale) const;

  /// log phi(X) = Z + log_factor, where log_factor is the part that all features of a row share; for the same maps.
  virtual void transform_log(const Rows<float>& rows, const Projection& projection, MatrixView<float> Z,
                             std::span<double> log_factor) const;
  virtual void transform_log(const Rows<double>& rows, const Projection& projection, MatrixView<double> Z,
                             std::span<double> log_factor) const;
};

/// What the constructor of a map receives.
struct MapRequest {
  double norm_exponent;  ///< a of the kernel kappa(x - y) exp(a (|x|^2 + |y|^2))
  std::size_t D;         ///< dimension in which rows are drawn: d, or the dimension of padded inputs
  std::size_t m;
  std::uint64_t seed;
  const Parameters& parameters;  ///< every parameter that the entry declares
  const Projection& projection;  ///< W as it was drawn
  std::size_t d = D;             ///< columns of the inputs
  /// sigma, one number or one per coordinate, for parameters in units of the data; empty: 1.
  std::span<const double> lengthscale = {};
};

/// Rows of a data set in units of the lengthscale.
struct RowReader {
  std::size_t rows = 0;
  /// Rows [first, first + out.rows()). May be called by many threads at once.
  std::function<void(std::size_t first, MatrixView<double> out)> read;
};

/// What fit receives to choose parameters.
struct FitRequest {
  const Spec& spec;  ///< with the given parameters
  std::size_t D;
  const DataStatistics& queries;  ///< of rows in units of the lengthscale
  const DataStatistics& keys;
  const RowReader& query_rows;  ///< for maps that need more than statistics
  const RowReader& key_rows;
  std::string_view key_name = "X";  ///< the argument that the keys were passed as
};

/// A pair of inputs at which the error is wanted.
struct ErrorRequest {
  const Spec& spec;           ///< resolved, with every parameter
  std::span<const double> x;  ///< in units of the lengthscale
  std::span<const double> y;
  theory::PairGeometry pair;
  double log_factor;  ///< e^{log_factor} multiplies the error: 2 a (|x|^2 + |y|^2), a of the kernel, or another
  const theory::BlockStructure& blocks;
  bool independent;                                                    ///< whether rows are independent
  std::function<std::optional<theory::FourierTerms>()> fourier_terms;  ///< of the kernel at x - y
  /// Error of a part of ErrorFormula at a pair of this geometry, times e^{log_factor}.
  std::function<double(std::size_t part, const theory::PairGeometry& pair, double log_factor)> part;
};

/// The closed form of the error of one spec, prepared for many pairs.
struct ErrorFormula {
  std::function<std::optional<double>(const ErrorRequest& request)> mse;
  /// The plain maps that it is made of. Each depends on the sum or the difference alone (Argument), so that the errors
  /// of many pairs come from a table.
  std::vector<Spec> parts = {};
};

/// What the closed form of the error depends on, apart from known factors; a is the kernel's.
enum class Argument {
  pair,        ///< both inputs
  invariant,   ///< |x|, |y| and x.y
  sum,         ///< e^{4 x.y + 2 a (|x|^2 + |y|^2)} g(|x+y|^2)
  difference,  ///< e^{2 a (|x|^2 + |y|^2)} g(|x-y|^2), if the law of the rows is isotropic
};

/// What Map::fit finds. Throws std::invalid_argument if these rows would need a value that the map does not accept.
Parameters fitted_parameters(const Map& map, const FitRequest& request);

/// Map::argument of a map for which it does not depend on parameters.
template <Argument kArgument>
Argument fixed_argument(const Parameters&) {
  return kArgument;
}

/// A registry entry. A new map is a file with such a constant, and a line in maps.def.
struct Map {
  Entry entry;
  /// Outputs per random direction; 0 if that depends on a parameter that is not known yet.
  std::size_t (*width)(const Parameters& parameters);
  bool symmetric;         ///< both sides are mapped alike, whatever the parameters
  bool positive = false;  ///< no feature is negative, and there is a log scale
  bool paired = false;    ///< features of w and of -w
  /// phi(x) = c exp(A |w|^2 + B w.x + C |x|^2) with a parameter A, which weights directions by their length.
  bool weighted = false;
  /// Every output has its own real projection and takes three elementary functions: exponential, sine and cosine.
  bool projects_outputs = false;
  Family family;
  /// Whether both sides are mapped alike with these parameters, if it depends on them; false while they are unknown.
  bool (*symmetric_with)(const Parameters& parameters) = nullptr;
  /// Whether features with these parameters are the real and imaginary parts of complex ones; null: never.
  bool (*complex)(const Parameters& parameters) = nullptr;
  /// The law of the rows if the map determines it and the family does not; must return one even if parameters are
  /// missing.
  Law (*law)(const Parameters& parameters) = nullptr;
  /// The closed form of the error; null or an empty optional if none is known.
  std::optional<double> (*mse)(const ErrorRequest& request) = nullptr;
  /// The conformity of two rows of a block whose angle has this cosine, or of independent rows, at the squared norm
  /// that it depends on (theory/conformity.h); null if there is none.
  double (*conformity)(double v2, std::size_t d, std::optional<double> cosine) = nullptr;
  /// A bound of the relative error for |x| = |y| = r lengthscales, r >= 1, on independent rows; null: none is proven.
  double (*relative_error_bound)(double r, const Spec& spec) = nullptr;
  /// Used instead of `mse` if there is something to prepare.
  ErrorFormula (*formula)(const Spec& spec) = nullptr;
  Argument (*argument)(const Parameters& parameters) = nullptr;  ///< of the closed form; null: both inputs
  std::unique_ptr<FeatureMap> (*make)(const MapRequest& request) = nullptr;
  /// Used instead of `make`: features composed of other features (src/features/hybrids).
  std::unique_ptr<Features> (*compose)(const Spec& spec) = nullptr;
  /// The parameters that the entry declares without a fallback, found from data.
  Parameters (*fit)(const FitRequest& request) = nullptr;
};

/// Whether both sides are mapped alike with these parameters.
inline bool is_symmetric(const Map& map, const Parameters& parameters) {
  return map.symmetric_with != nullptr ? map.symmetric_with(parameters) : map.symmetric;
}

/// Map::width of a map for which it is one number.
template <std::size_t kWidth>
std::size_t fixed_width(const Parameters&) {
  return kWidth;
}

/// The maps of maps.def, in its order.
std::span<const Map* const> all_maps();

}  // namespace bochner
