// SPDX-License-Identifier: Apache-2.0
#include "plan/planner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <tuple>

#include "core/available_memory.h"
#include "plan/cost.h"

namespace bochner {
namespace {

/// Errors in steps of 0.1 %: errors that differ by less count as equal.
double step_of(double error) { return std::round(1000 * std::log(error)); }

/// Orders mechanisms with equal errors: first those whose closed form is exact, then those with fewer parameters from
/// data, then the faster ones.
bool before(const Candidate& a, const Candidate& b) {
  const auto key = [](const Candidate& candidate) {
    return std::tuple(step_of(rank_of(candidate)), candidate.exactness != theory::Exactness::exact,
                      fitted_parameters(candidate), candidate.nanoseconds);
  };
  return key(a) < key(b);
}

/// Refuses a named map or coupling that fits nothing, with the sentence about its most usual partner.
void refuse_misfit(const Kernel& kernel, const Map* map, const Coupling* coupling, std::size_t d) {
  const std::string_view name = kernel.entry().name;
  const Map& partner = map != nullptr ? *map : find_map(default_map(name));
  const Coupling& rows = coupling != nullptr ? *coupling : find_coupling(default_coupling(name, partner.entry.name));
  if (const std::string reason = misfit(kernel, partner, rows, d); !reason.empty()) throw std::invalid_argument(reason);
}

}  // namespace

double rank_of(const Candidate& candidate) { return candidate.error + 2 * candidate.standard_error; }

std::size_t fitted_parameters(const Candidate& candidate) {
  return static_cast<std::size_t>(
      std::ranges::count(find_map(candidate.spec.map).entry.parameters, nullptr, &Parameter::fallback));
}

std::vector<Mechanism> mechanisms_of(const PlanRequest& request, std::size_t d) {
  const Kernel& kernel = find_kernel(request.kernel);
  const Map* only_map = request.map == "auto" ? nullptr : &find_map(request.map);
  const Coupling* only_coupling = request.coupling == "auto" ? nullptr : &find_coupling(request.coupling);
  std::vector<Mechanism> all;
  for (const Map* map : registered_maps())
    for (const Coupling* coupling : all_couplings()) {
      if ((only_map != nullptr && map != only_map) || (only_coupling != nullptr && coupling != only_coupling)) continue;
      if (request.exact_only && (coupling->approximate || coupling->angles == Angles::unknown)) continue;
      if (!misfit(kernel, *map, *coupling, d).empty()) continue;
      all.push_back({map, coupling, ""});
      if (request.only_m || find_parameter(coupling->entry, "block") == nullptr) continue;
      all.push_back({map, coupling, "auto"});
    }
  if (all.empty()) refuse_misfit(kernel, only_map, only_coupling, d);
  return all;
}

Planner::Planner(const PlanRequest& request, const Sketch& sketch, std::size_t d)
    : request_(request),
      d_(d),
      memory_(static_cast<double>(request.memory != 0 ? request.memory : available_memory())),
      predictor_(request, sketch, d) {}

std::vector<Looked> Planner::ranked(const std::vector<Mechanism>& mechanisms) const {
  std::vector<Looked> table = looked_at(
      mechanisms, [this](const Mechanism& mechanism) { return with_directions(mechanism, directions(mechanism)); });
  std::ranges::stable_sort(table, before, &Looked::candidate);
  return table;
}

std::size_t Planner::outputs() const {
  return request_.outputs != 0 ? request_.outputs : 2 * std::max<std::size_t>(d_, 64);
}

std::size_t most_directions(std::size_t start, const std::function<bool(std::size_t m)>& fits) {
  std::size_t low = start;
  while (low < std::size_t{1} << 52 && fits(2 * low)) low *= 2;
  std::size_t high = 2 * low;
  while (high - low > std::max<std::size_t>(1, low / 200)) {
    const std::size_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

std::size_t Planner::directions(const Mechanism& mechanism) const {
  return request_.equal_cost ? directions_in_time(mechanism) : directions_of_outputs(mechanism);
}

/// The best parameters depend on the block and therefore on the directions, and the outputs of a direction depend on
/// the parameters: where the search does not settle, the fewest directions that it found.
std::size_t Planner::directions_of_outputs(const Mechanism& mechanism) const {
  constexpr int kMostSteps = 4;
  std::size_t m = 1, fewest = std::numeric_limits<std::size_t>::max();
  for (int step = 0; step < kMostSteps; ++step) {
    const auto probe = made(mechanism, m);
    if (!probe) return step == 0 ? 0 : m;  // more directions than can be made
    const std::size_t next = outputs() / probe->map.width(probe->spec.parameters);
    if (next == 0 || next == m) return next;
    m = next;
    fewest = std::min(fewest, m);
  }
  return fewest;
}

/// As many directions as take the time of the kernel's default map on its default coupling, to half a percent. Each
/// number of directions has the block that is best for it.
std::size_t Planner::directions_in_time(const Mechanism& mechanism) const {
  const Map& map = find_map(default_map(request_.kernel));
  const auto standard = predictor_.best_of(map, find_coupling(default_coupling(request_.kernel, map.entry.name)),
                                           std::max<std::size_t>(outputs() / 2, 1), "");
  if (!standard) return 0;
  const double budget = nanoseconds_per_row(*standard);
  const auto fits = [&](std::size_t m) {
    const auto chosen = made(mechanism, m);
    return chosen && nanoseconds_per_row(*chosen) <= budget;
  };
  return fits(1) ? most_directions(1, fits) : 0;
}

std::optional<Resolved> Planner::made(const Mechanism& mechanism, std::size_t m) const {
  return predictor_.best_of(*mechanism.map, *mechanism.coupling, m, mechanism.block);
}

bool Planner::within_memory(const Resolved& chosen) const {
  return chosen.coupling.bytes(d_, chosen.spec.m, space_of(chosen.spec)) <= memory_;
}

bool Planner::allowed(const Resolved& chosen) const {
  return std::ranges::all_of(request_.require, [&](const std::string& word) { return has_property(chosen, word); });
}

std::optional<Candidate> Planner::with_directions(const Mechanism& mechanism, std::size_t m, Care care) const {
  if (m == 0) return std::nullopt;
  const auto chosen = made(mechanism, m);
  if (!chosen || !within_memory(*chosen) || !allowed(*chosen)) return std::nullopt;
  return predictor_.candidate(*chosen, care);
}

}  // namespace bochner
