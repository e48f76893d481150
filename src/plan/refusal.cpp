// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "core/format.h"
#include "plan/planner.h"

namespace bochner {
namespace {

/// The constraints each of which, dropped alone, leaves a mechanism.
std::vector<std::string> droppable(const Planner& planner, const Sketch& sketch,
                                   const std::vector<Mechanism>& mechanisms) {
  std::vector<std::string> words;
  for (const std::string& word : planner.request().require) {
    PlanRequest fewer = planner.request();
    std::erase(fewer.require, word);
    const Planner other(fewer, sketch, planner.d());
    if (std::ranges::any_of(mechanisms, [&](const Mechanism& mechanism) {
          return other.with_directions(mechanism, other.directions(mechanism)).has_value();
        }))
      words.push_back(fmt::format("'{}'", word));
  }
  return words;
}

/// Why no error is predicted for mechanisms that can be made.
std::string without_error(const Planner& planner, const Sketch& sketch, const std::vector<Resolved>& possible) {
  const auto finite = [](double value) { return std::isfinite(value); };
  if (!std::ranges::all_of(sketch.kernel, finite))
    return "k overflows on these rows; take a larger lengthscale, or smaller rows";
  if (!std::ranges::all_of(sketch.weights, finite))
    return fmt::format(
        "measure '{}' divides by k, which is 0 in double precision for some pairs of these rows; take measure "
        "'absolute' or a larger lengthscale",
        planner.request().measure);
  const auto is_known = [&](const Resolved& chosen) { return planner.predictor().closed_form(chosen).has_value(); };
  if (std::ranges::any_of(possible, is_known))
    return "their errors on these rows are out of the range of double precision; take a larger lengthscale";
  return "they have no closed form, and only bounded features are measured on a few draws";
}

}  // namespace

void refuse_all(const Planner& planner, const Sketch& sketch, const std::vector<Mechanism>& mechanisms) {
  bool some_allowed = false, some_outputs = false;
  double least = std::numeric_limits<double>::infinity();
  std::vector<Resolved> possible;
  for (const Mechanism& mechanism : mechanisms) {
    const auto one = planner.made(mechanism, 1);
    if (!one || !planner.allowed(*one)) continue;
    some_allowed = true;
    const std::size_t m = planner.directions(mechanism);
    if (m == 0) continue;
    some_outputs = true;
    const auto chosen = planner.made(mechanism, m);
    least = std::min(least, one->coupling.bytes(planner.d(), m, space_of((chosen ? *chosen : *one).spec)));
    if (chosen && planner.within_memory(*chosen)) possible.push_back(*chosen);
  }
  const PlanRequest& request = planner.request();
  const std::string wanted = joined(request.require, " and ");
  const std::string whose = fmt::format("no mechanism{}{} for kernel '{}' in {} dimensions",
                                        wanted.empty() ? "" : " that is ", wanted, request.kernel, planner.d());
  const std::vector<std::string> words = droppable(planner, sketch, mechanisms);
  const std::string drop = words.empty() ? "" : fmt::format("; drop {}", joined(words, " or "));
  if (!some_allowed && !wanted.empty())
    throw std::invalid_argument(fmt::format("no mechanism for kernel '{}' in {} dimensions with {} outputs is {}{}",
                                            request.kernel, planner.d(), planner.outputs(), wanted, drop));
  if (!some_allowed) throw std::invalid_argument(fmt::format("{} takes these rows", whose));
  if (!some_outputs)
    throw std::invalid_argument(
        fmt::format("{} has as few as {} outputs; give more{}", whose, planner.outputs(), drop));
  if (possible.empty())
    throw std::invalid_argument(
        fmt::format("{} with {} outputs is within {:.0f} bytes of memory; the smallest takes {:.0f}{}", whose,
                    planner.outputs(), planner.memory(), std::ceil(least), drop));
  throw std::invalid_argument(
      fmt::format("{} has a predicted error: {}{}", whose, without_error(planner, sketch, possible), drop));
}

}  // namespace bochner
