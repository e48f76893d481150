// SPDX-License-Identifier: Apache-2.0
#include "bochner/plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "core/available_memory.h"
#include "core/errors.h"
#include "core/format.h"
#include "core/parallel.h"
#include "features/candidates.h"
#include "features/check.h"
#include "features/cost.h"

namespace bochner {
namespace {

constexpr std::array<std::string_view, 4> kMeasures = {"absolute", "relative", "attention", "largest"};
constexpr std::array<std::string_view, 6> kConstraints = {"positive", "unbiased",  "bounded",
                                                          "real",     "symmetric", "structured"};
constexpr std::size_t kSearched = 8;  // candidates for which the fewest directions are looked for

/// A mechanism to look at: a map on a coupling, with its own block or the one that the closed form finds best.
struct Mechanism {
  const Map* map;
  const Coupling* coupling;
  const char* block;
};

struct Looked {
  Mechanism mechanism;
  Candidate candidate;
};

std::vector<Mechanism> mechanisms_of(const PlanRequest& request, std::size_t d) {
  const Kernel& kernel = find_kernel(request.kernel);
  const Map* only_map = request.map == "auto" ? nullptr : &find_map(request.map);
  const Coupling* only_coupling = request.coupling == "auto" ? nullptr : &find_coupling(request.coupling);
  if (only_map != nullptr && only_coupling != nullptr)
    if (const std::string reason = misfit(kernel, *only_map, *only_coupling, d); !reason.empty())
      throw std::invalid_argument(reason);
  std::vector<Mechanism> all;
  for (const Map* map : registered_maps())
    for (const Coupling* coupling : all_couplings()) {
      if ((only_map != nullptr && map != only_map) || (only_coupling != nullptr && coupling != only_coupling)) continue;
      if (request.exact_only && (coupling->approximate || coupling->angles == Angles::unknown)) continue;
      if (!misfit(kernel, *map, *coupling, d).empty()) continue;
      all.push_back({map, coupling, ""});
      if (find_parameter(coupling->entry, "block") != nullptr) all.push_back({map, coupling, "auto"});
    }
  return all;
}

/// Closed forms first at their value, measured errors at the upper end of two standard errors: a lucky draw is no plan.
double rank_of(const Candidate& candidate) { return candidate.error + 2 * candidate.standard_error; }

/// Errors by steps of 0.1 %: what differs by less counts as equal.
double step_of(double error) { return std::round(1000 * std::log(error)); }

std::size_t fitted_parameters(const Candidate& candidate) {
  return static_cast<std::size_t>(
      std::ranges::count(find_map(candidate.spec.map).entry.parameters, nullptr, &Parameter::fallback));
}

/// Of mechanisms with equal errors first the one whose closed form is exact, then the one that takes nothing from data,
/// then the faster one.
bool before(const Candidate& a, const Candidate& b) {
  const auto key = [](const Candidate& candidate) {
    return std::tuple(step_of(rank_of(candidate)), candidate.exactness != theory::Exactness::exact,
                      fitted_parameters(candidate), candidate.nanoseconds);
  };
  return key(a) < key(b);
}

class Planner {
 public:
  Planner(const PlanRequest& request, const Sketch& sketch, std::size_t d)
      : request_(request),
        d_(d),
        memory_(static_cast<double>(request.memory != 0 ? request.memory : available_memory())),
        predictor_(request, sketch, d) {}

  std::vector<Candidate> ranked() const {
    const std::vector<Mechanism> mechanisms = mechanisms_of(request_, d_);
    std::vector<Looked> table = looked_at(
        mechanisms, [this](const Mechanism& mechanism) { return with_directions(mechanism, directions(mechanism)); });
    if (table.empty()) refuse_constraints(mechanisms);
    std::ranges::stable_sort(table, before, &Looked::candidate);
    if (request_.target > 0) table = smallest(std::move(table));
    std::vector<Candidate> candidates;
    for (Looked& looked : table)  // `auto` may have found the coupling's own block
      if (candidates.empty() || candidates.back().spec != looked.candidate.spec)
        candidates.push_back(std::move(looked.candidate));
    return candidates;
  }

 private:
  std::size_t reference_outputs() const {
    return request_.outputs != 0 ? request_.outputs : 2 * std::max<std::size_t>(d_, 64);
  }

  /// Directions for equal outputs or equal time. The best parameters depend on the block and so on the directions, and
  /// the outputs of a direction on the parameters: where the search does not settle, the fewest that it met.
  std::size_t directions(const Mechanism& mechanism) const {
    constexpr int kMostSteps = 4;
    std::size_t m = 1, width = 0, fewest = std::numeric_limits<std::size_t>::max();
    for (int step = 0; step < kMostSteps; ++step) {
      const auto probe = predictor_.best_of(*mechanism.map, *mechanism.coupling, m, mechanism.block);
      if (!probe) return 0;
      if (probe->map.width(probe->spec.parameters) == width) return m;
      width = probe->map.width(probe->spec.parameters);
      m = directions_with(*probe);
      if (m == 0) return 0;
      fewest = std::min(fewest, m);
    }
    return fewest;
  }

  /// Directions of a mechanism for as many outputs as all have, or for the time of trigonometric features on orthogonal
  /// rows.
  std::size_t directions_with(const Resolved& probe) const {
    if (!request_.equal_cost) return reference_outputs() / probe.map.width(probe.spec.parameters);
    const auto standard =
        predictor_.best_of(find_map(default_map(request_.kernel)),
                           find_coupling(default_coupling(request_.kernel, default_map(request_.kernel))),
                           std::max<std::size_t>(reference_outputs() / 2, 1), "");
    if (!standard) return 0;
    const double budget = nanoseconds_per_row(*standard);
    Resolved trial = probe;
    std::size_t low = 0, high = static_cast<std::size_t>(budget / nanoseconds_per_row(trial) *
                                                         static_cast<double>(space_of(trial.spec))) +
                                2;
    while (high - low > 1) {
      trial.spec.m = low + (high - low) / 2;
      (nanoseconds_per_row(trial) <= budget ? low : high) = trial.spec.m;
    }
    return low;
  }

  bool fits(const Resolved& chosen) const {
    if (chosen.coupling.bytes(d_, chosen.spec.m, space_of(chosen.spec)) > memory_) return false;
    return std::ranges::all_of(request_.require, [&](const std::string& word) { return has_property(chosen, word); });
  }

  /// `look` at all mechanisms on all threads; those about which it says nothing are left out.
  template <class Look>
  static std::vector<Looked> looked_at(const std::vector<Mechanism>& mechanisms, const Look& look) {
    std::vector<std::optional<Candidate>> made(mechanisms.size());
    parallel_for(mechanisms.size(), 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) made[i] = look(mechanisms[i]);
    });
    std::vector<Looked> table;
    for (std::size_t i = 0; i < made.size(); ++i)
      if (made[i]) table.push_back({mechanisms[i], std::move(*made[i])});
    return table;
  }

  std::optional<Candidate> with_directions(const Mechanism& mechanism, std::size_t m) const {
    if (m == 0) return std::nullopt;
    const auto chosen = predictor_.best_of(*mechanism.map, *mechanism.coupling, m, mechanism.block);
    if (!chosen || !fits(*chosen)) return std::nullopt;
    return predictor_.candidate(*chosen);
  }

  /// The fewest directions with an error of at most the target: the error falls about as 1/sqrt(m), so a few steps
  /// bracket it; then bisection. Nothing if memory ends before; `reached` is then the least error seen.
  std::optional<Candidate> fewest(const Mechanism& mechanism, double& reached) const {
    std::size_t low = 0;
    std::optional<Candidate> high = with_directions(mechanism, directions(mechanism));
    while (high && high->error > request_.target) {
      reached = std::min(reached, high->error);
      low = high->spec.m;
      const double ratio = high->error / request_.target;
      const double next = std::ceil(static_cast<double>(low) * std::max(1.02, ratio * ratio));
      high = next < 0x1p53 ? with_directions(mechanism, static_cast<std::size_t>(next)) : std::nullopt;
    }
    while (high && high->spec.m - low > std::max<std::size_t>(1, low / 200)) {
      const std::size_t middle = low + (high->spec.m - low) / 2;
      const auto between = with_directions(mechanism, middle);
      if (between && between->error <= request_.target)
        high = between;
      else
        low = middle;
    }
    return high;
  }

  std::vector<Looked> smallest(std::vector<Looked> table) const {
    // A measured error costs draws at every step: such a mechanism is looked at only where there is no other.
    const auto known = [](const Looked& looked) { return looked.candidate.exactness != theory::Exactness::none; };
    if (std::ranges::any_of(table, known)) std::erase_if(table, std::not_fn(known));
    std::vector<Mechanism> searched;
    for (std::size_t i = 0; i < std::min(table.size(), kSearched); ++i) searched.push_back(table[i].mechanism);
    std::mutex mutex;
    double reached = table.front().candidate.error;
    std::vector<Looked> met = looked_at(searched, [&](const Mechanism& mechanism) {
      double least = std::numeric_limits<double>::infinity();
      const std::optional<Candidate> found = fewest(mechanism, least);
      const std::lock_guard lock(mutex);
      reached = std::min(reached, least);
      return found;
    });
    if (met.empty())
      refuse("target", fmt::format("{:.4g}", request_.target),
             fmt::format("at least {:.4g}: the best error within {:.3g} GiB of memory", reached, memory_ / 0x1p30));
    std::ranges::stable_sort(met, {}, [](const Looked& looked) {
      return std::pair(looked.candidate.outputs, fitted_parameters(looked.candidate));
    });
    return met;
  }

  [[noreturn]] void refuse_constraints(const std::vector<Mechanism>& mechanisms) const {
    std::string droppable;
    for (const std::string& word : request_.require) {
      PlanRequest fewer = request_;
      std::erase(fewer.require, word);
      const bool some = std::ranges::any_of(mechanisms, [&](const Mechanism& mechanism) {
        const auto chosen = predictor_.best_of(*mechanism.map, *mechanism.coupling, 1, mechanism.block);
        return chosen && std::ranges::all_of(fewer.require,
                                             [&](const std::string& other) { return has_property(*chosen, other); });
      });
      if (some) droppable += fmt::format("{}'{}'", droppable.empty() ? "" : " or ", word);
    }
    throw std::invalid_argument(
        fmt::format("no mechanism for kernel '{}' in {} dimensions with {} outputs is {}{}", request_.kernel, d_,
                    reference_outputs(), request_.require.empty() ? "within memory" : joined(request_.require, " and "),
                    droppable.empty() ? "" : "; drop " + droppable));
  }

  const PlanRequest& request_;
  std::size_t d_;
  double memory_;
  Predictor predictor_;
};

void check(const PlanRequest& request) {
  for (const std::string& word : request.require)
    if (std::ranges::find(kConstraints, word) == kConstraints.end()) refuse_name("constraint", word, kConstraints);
  if (std::ranges::find(kMeasures, request.measure) == kMeasures.end())
    refuse_name("measure", request.measure, kMeasures);
  if (!(request.target >= 0) || !std::isfinite(request.target))
    refuse("target", fmt::format("{}", request.target), "a finite error > 0");
  if ((request.outputs == 0) == (request.target == 0))
    throw std::invalid_argument("a plan needs either m (outputs) or a target error, and not both");
}

/// One sentence for each candidate.
void explain(std::vector<Candidate>& table) {
  for (Candidate& candidate : table) {
    const double ratio = candidate.error / table.front().error;
    std::string source = candidate.exactness == theory::Exactness::exact ? "by its closed form"
                         : candidate.exactness == theory::Exactness::approximate
                             ? "by the closed form of its exact counterpart"
                             : "measured on a few draws";
    candidate.reason = &candidate == &table.front() ? fmt::format("the best of {} mechanisms, {}", table.size(), source)
                                                    : fmt::format("{:.3g} x the error of the best, {}", ratio, source);
  }
}

}  // namespace

template <class T>
Plan plan(MatrixView<const T> X, MatrixView<const T> Y, const PlanRequest& request) {
  check(request);
  if (X.cols() == 0 || X.rows() == 0)
    refuse("X", fmt::format("{} x {}", X.rows(), X.cols()), "at least one row and one column");
  const bool one_set = Y.data() == nullptr;
  if (!one_set && (Y.cols() != X.cols() || Y.rows() == 0))
    refuse("Y", fmt::format("{} x {}", Y.rows(), Y.cols()), fmt::format("at least one row of {} columns", X.cols()));
  const Kernel& kernel = find_kernel(request.kernel);
  Sketch sketched = sketch<T>(X, Y, one_set, inverse_lengthscale(request.lengthscale, X.cols()), request.seed);
  measure_by(sketched, request.measure, kernel, complete_parameters(kernel, request.parameters, X.cols()));
  Plan made{.table = Planner(request, sketched, X.cols()).ranked(),
            .rows = sketched.queries.rows() + (one_set ? 0 : sketched.keys.rows()),
            .pairs = sketched.pairs.size()};
  explain(made.table);
  return made;
}

template Plan plan<float>(MatrixView<const float>, MatrixView<const float>, const PlanRequest&);
template Plan plan<double>(MatrixView<const double>, MatrixView<const double>, const PlanRequest&);

std::span<const std::string_view> plan_measures() { return kMeasures; }
std::span<const std::string_view> plan_constraints() { return kConstraints; }

}  // namespace bochner
