// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "bochner/plan.h"
#include "core/parallel.h"
#include "plan/candidates.h"

namespace bochner {

/// A mechanism to look at: a map on a coupling, with the coupling's own block or the one that the closed form finds
/// best.
struct Mechanism {
  const Map* map;
  const Coupling* coupling;
  const char* block;
};

struct Looked {
  Mechanism mechanism;
  Candidate candidate;
};

/// The closed form of the error, or the upper end of two standard errors of a measured error: a lucky draw is no plan.
double rank_of(const Candidate& candidate);

/// The most directions m >= start that fit, to half a percent. If m directions fit, fewer must fit too; `start` must
/// fit.
std::size_t most_directions(std::size_t start, const std::function<bool(std::size_t m)>& fits);

/// How many parameters of the map come from data.
std::size_t fitted_parameters(const Candidate& candidate);

/// Calls `look` for all mechanisms on all threads and leaves out those for which it returns nothing.
template <class Look>
std::vector<Looked> looked_at(const std::vector<Mechanism>& mechanisms, const Look& look) {
  std::vector<std::optional<Candidate>> made(mechanisms.size());
  parallel_for(mechanisms.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) made[i] = look(mechanisms[i]);
  });
  std::vector<Looked> table;
  for (std::size_t i = 0; i < made.size(); ++i)
    if (made[i]) table.push_back({mechanisms[i], std::move(*made[i])});
  return table;
}

/// All mechanisms that compose for the request. Throws std::invalid_argument if a map or coupling that it names does
/// not.
std::vector<Mechanism> mechanisms_of(const PlanRequest& request, std::size_t d);

/// Looks at mechanisms for a request.
class Planner {
 public:
  Planner(const PlanRequest& request, const Sketch& sketch, std::size_t d);

  /// The candidates, the best first; empty where none is left.
  std::vector<Looked> ranked(const std::vector<Mechanism>& mechanisms) const;

  const PlanRequest& request() const { return request_; }
  const Predictor& predictor() const { return predictor_; }
  std::size_t d() const { return d_; }
  double memory() const { return memory_; }  ///< most bytes for W

  /// Real features of each candidate, or of the first look where a target decides.
  std::size_t outputs() const;
  /// The mechanism with m directions; empty where it cannot be made.
  std::optional<Resolved> made(const Mechanism& mechanism, std::size_t m) const;
  bool within_memory(const Resolved& chosen) const;
  bool allowed(const Resolved& chosen) const;  ///< it has every required property
  /// Directions for equal outputs or equal time; 0 where there is not even one.
  std::size_t directions(const Mechanism& mechanism) const;
  /// The prediction for m directions; empty where constraints, memory or the prediction fail.
  std::optional<Candidate> with_directions(const Mechanism& mechanism, std::size_t m, Care care = Care::adaptive) const;

 private:
  std::size_t directions_of_outputs(const Mechanism& mechanism) const;
  std::size_t directions_in_time(const Mechanism& mechanism) const;

  const PlanRequest& request_;
  std::size_t d_;
  double memory_;
  Predictor predictor_;
};

/// The mechanisms that meet the target, each with the fewest outputs that it needs (to half a percent, measured ones to
/// two percent), the one with the fewest first. Throws std::invalid_argument with the least error within reach where
/// none meets it.
std::vector<Looked> fewest_outputs(const Planner& planner, std::vector<Looked> table);

/// Throws std::invalid_argument that says why no mechanism is left: constraints, memory or no finite error.
[[noreturn]] void refuse_all(const Planner& planner, const Sketch& sketch, const std::vector<Mechanism>& mechanisms);

}  // namespace bochner
