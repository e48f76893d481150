// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "accuracy/sketch.h"
#include "bochner/plan.h"
#include "core/data_statistics.h"
#include "features/resolve.h"

namespace bochner {

/// Whether a resolved mechanism has a property from plan_constraints().
bool has_property(const Resolved& chosen, std::string_view property);

/// How an error without a closed form is measured: glance, with few draws and pairs; full, with more; adaptive, with
/// more only where a glance shows that the mechanism may be the best.
enum class Care { glance, full, adaptive };

/// Predicts the error of mechanisms on a sketch.
class Predictor {
 public:
  Predictor(const PlanRequest& request, const Sketch& sketch, std::size_t d);

  /// The mechanism with m directions and the parameters that are best for the sketch; empty where it cannot be made.
  /// `block` is a value of that parameter, or empty for the coupling's own block.
  std::optional<Resolved> best_of(const Map& map, const Coupling& coupling, std::size_t m,
                                  std::string_view block) const;

  /// The predicted error and all else that a plan says about a mechanism, with only a part of the reason; empty where
  /// neither a closed form nor a few draws give the error.
  std::optional<Candidate> candidate(const Resolved& chosen, Care care = Care::adaptive) const;

  /// Mean squared error in the measure of the request, by the closed form; it may be out of the range of double.
  std::optional<double> closed_form(const Resolved& chosen) const;

  /// The most directions in R^D for which W is drawn to measure an error; 0 where W is never drawn.
  static std::size_t most_measured(std::size_t D);

 private:
  /// Mean squared error over draws.
  struct Measured {
    double mean, standard_error;
  };
  std::optional<Measured> measured(const Resolved& chosen, Care care) const;
  Measured with_care(const Resolved& chosen, Care care) const;
  /// Measures a coupling that was asked for from its first `most` directions.
  Measured by_part(const Resolved& chosen, std::size_t most, Care care) const;
  Measured simulated(const Resolved& chosen, std::size_t draws, std::size_t pairs) const;
  /// Sets the parameters that come from data to their best values.
  void fit(Resolved& chosen) const;
  void tune(Resolved& chosen) const;

  const PlanRequest& request_;
  const Sketch& sketch_;
  std::size_t d_;
  DataStatistics queries_, keys_;
  bool constant_;  ///< k is the same number at all pairs: only then may an error be 0
  /// The parameters that fit found for a map in R^D; they do not depend on the coupling.
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::string_view, std::size_t>, Parameters> found_;
  /// The errors measured on a part of the directions of a map in R^D.
  mutable std::map<std::tuple<std::string_view, std::size_t, Care>, Measured> parts_;
};

}  // namespace bochner
