// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/math/distributions/normal.hpp>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bochner/features.h"
#include "bochner/registry.h"
#include "bochner/spec.h"
#include "conformance/parameters.h"
#include "support/scale.h"

namespace bochner::conformance {

/// What a law is applied to: the library, the plain reference, or the reference with a bug planted.
using Subject = std::function<std::unique_ptr<Features>(const Spec&)>;

/// Names that compose.
struct Combination {
  std::string kernel;
  std::string map;
  std::string coupling;

  Spec spec(std::size_t d, std::size_t m, std::uint64_t seed = 0) const {
    return {.d = d,
            .kernel = kernel,
            .map = map,
            .coupling = coupling,
            .m = m,
            .seed = seed,
            .parameters = parameters_from_data(map, d)};
  }
  bool fits(std::size_t d) const { return misfit(kernel, map, coupling, d).empty(); }
};

/// All of the registry that composes in 2 dimensions and more: a new line of a .def file is here by itself.
inline std::vector<Combination> combinations() {
  std::vector<Combination> all;
  for (const Entry& kernel : kernels())
    for (const Entry& map : maps())
      for (const Entry& coupling : couplings())
        if (misfit(kernel.name, map.name, coupling.name, 2).empty())
          all.push_back({std::string(kernel.name), std::string(map.name), std::string(coupling.name)});
  return all;
}

inline const Entry& entry_of(std::string_view coupling) {
  for (const Entry& entry : couplings())
    if (entry.name == coupling) return entry;
  throw std::invalid_argument("no coupling " + std::string(coupling));
}

inline bool takes(std::string_view coupling, std::string_view parameter) {
  for (const Parameter& declared : entry_of(coupling).parameters)
    if (declared.name == parameter) return true;
  return false;
}

/// Whether each row has exactly the law and every rotation of all rows is as likely: so for all couplings without bias
/// but those that take their rows from one net of points of the cube, or from shifts of one row.
inline bool rotation_invariant(const Combination& combination) {
  for (const char* bound : {"halton", "sobol", "circulant"})
    if (combination.coupling == bound) return false;
  return entry_of(combination.coupling).bias.empty();
}

/// Couplings whose W is a product of Walsh-Hadamard matrices with signs, so that its entries take few values.
inline bool made_of_signs(std::string_view coupling) {
  return coupling == "hadamard" || coupling == "simplex_hadamard";
}

/// Maps whose W are whole numbers.
inline bool made_of_monomials(std::string_view map) {
  return map.starts_with("poisson") || map.starts_with("geometric");
}

/// Couplings that apply W by Walsh-Hadamard transforms, without storing it.
inline bool made_of_transforms(std::string_view coupling) { return made_of_signs(coupling) || coupling == "fastfood"; }

/// Every kernel, map and coupling at least once, and every coupling with the map `positive` too, which needs random
/// norms: what a small run looks at.
inline bool covers(const Combination& combination) {
  static const std::vector<Combination> covering = [] {
    std::vector<Combination> chosen;
    for (const Combination& candidate : combinations()) {
      const auto met = [&](std::string Combination::*word) {
        for (const Combination& other : chosen)
          if (other.*word == candidate.*word) return true;
        return false;
      };
      const bool is_new = !met(&Combination::kernel) || !met(&Combination::map) || !met(&Combination::coupling);
      if (is_new || (candidate.kernel == "gaussian" && candidate.map == "positive")) chosen.push_back(candidate);
    }
    return chosen;
  }();
  for (const Combination& other : covering)
    if (other.kernel == combination.kernel && other.map == combination.map && other.coupling == combination.coupling)
      return true;
  return false;
}

/// Whether laws that need many draws are asked of a combination. `positive`, `trigonometric` and `sign` show what is
/// particular to a coupling, each for its family, and `cosine` and `positive_paired` for all outputs of a direction;
/// other maps are held to these laws on independent, orthogonal and simplex rows.
inline bool statistics_wanted(const Combination& combination) {
  for (const char* plain : {"trigonometric", "cosine", "positive", "positive_paired", "sign"})
    if (combination.map == plain) return true;
  for (const char* coupling : {"iid", "orthogonal", "simplex"})
    if (combination.coupling == coupling) return true;
  return false;
}

/// One combination for each coupling: enough for what concerns W alone.
inline std::vector<Combination> one_per_coupling() {
  std::vector<Combination> chosen;
  for (const Combination& candidate : combinations()) {
    bool met = false;
    for (const Combination& other : chosen) met = met || other.coupling == candidate.coupling;
    if (!met) chosen.push_back(candidate);
  }
  return chosen;
}

/// The outcome of a law on one combination.
struct Report {
  std::size_t checks = 0;
  std::vector<std::string> violations;

  /// Counts a comparison; `describe` is called only if it failed.
  template <class Describe>
  void expect(bool holds, Describe&& describe) {
    ++checks;
    if (!holds) violations.push_back(std::forward<Describe>(describe)());
  }
};

/// How much is drawn. The plain reference is slow, so it is held to the laws in low dimensions.
enum class Effort { library, reference };

struct Law {
  std::string name;
  bool of_coupling;  ///< concerns W alone
  bool statistical;  ///< needs many draws of W
  std::function<Report(const Subject&, const Combination&, Effort)> check;
};

/// Whether this run is for one instruction set of several (BOCHNER_FORCE_TARGET). W has the same bits on all of them
/// and `precision` holds outputs to W, so that statistical laws are for one of them.
inline bool target_is_forced() {
  const char* target = std::getenv("BOCHNER_FORCE_TARGET");
  return target != nullptr && *target != '\0';
}

/// Probability that right code fails a statistical law somewhere in all its comparisons; a comparison gets its share
/// (Bonferroni), whatever is compared: thresholds are the same for the library, the reference and planted bugs.
inline constexpr double kFamilyFailure = 1e-6;

/// z with P(|N(0, 1)| > z) = p.
inline double normal_threshold(double p) {
  return boost::math::quantile(boost::math::complement(boost::math::normal(), p / 2));
}

}  // namespace bochner::conformance
