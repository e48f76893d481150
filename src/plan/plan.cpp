// SPDX-License-Identifier: Apache-2.0
#include "bochner/plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/errors.h"
#include "core/format.h"
#include "features/check.h"
#include "plan/planner.h"

namespace bochner {
namespace {

constexpr std::array<std::string_view, 4> kMeasures = {"absolute", "relative", "attention", "largest"};
constexpr std::array<std::string_view, 6> kConstraints = {"positive", "unbiased",  "bounded",
                                                          "real",     "symmetric", "structured"};
/// At this limit W of 256 directions has 2^24 numbers.
constexpr std::size_t kMostColumns = std::size_t{1} << 16;

void check(const PlanRequest& request) {
  for (const std::string& word : request.require)
    if (std::ranges::find(kConstraints, word) == kConstraints.end()) refuse_name("constraint", word, kConstraints);
  if (std::ranges::find(kMeasures, request.measure) == kMeasures.end())
    refuse_name("measure", request.measure, kMeasures);
  if (!(request.target >= 0) || !std::isfinite(request.target))
    refuse("target", fmt::format("{}", request.target), "a finite error > 0");
  if ((request.outputs == 0) == (request.target == 0))
    throw std::invalid_argument("a plan needs either m (outputs) or a target error, and not both");
  if (request.only_m && (request.map == "auto" || request.coupling == "auto"))
    throw std::invalid_argument("only_m is true; expected a map and a coupling by name");
}

/// The parameters that belong to the kernel itself.
Parameters kernel_parameters(const Kernel& kernel, Parameters given) {
  std::erase_if(given, [&](const auto& named) { return find_parameter(kernel.entry(), named.first) == nullptr; });
  return given;
}

/// How a candidate compares with the best.
std::string comparison(const Candidate& candidate, const Candidate& best, bool by_outputs) {
  if (by_outputs)
    return fmt::format("{:.3g} x the outputs of the best",
                       static_cast<double>(candidate.outputs) / static_cast<double>(best.outputs));
  if (best.error > 0) return fmt::format("{:.3g} x the error of the best", candidate.error / best.error);
  return candidate.error > 0 ? fmt::format("an error of {:.3g} where the best has none", candidate.error)
                             : "no error, as the best";
}

/// Completes the one-sentence reason of each candidate.
void explain(std::vector<Candidate>& table, bool by_outputs) {
  for (Candidate& candidate : table) {
    std::string place = comparison(candidate, table.front(), by_outputs);
    if (&candidate == &table.front())
      place = by_outputs ? fmt::format("the fewest outputs of {} mechanisms with this error", table.size())
                         : fmt::format("the best of {} mechanisms", table.size());
    candidate.reason = fmt::format("{}, {}", place, candidate.reason);
  }
}

std::vector<Candidate> candidates_of(const PlanRequest& request, const Sketch& sketch, std::size_t d) {
  const Planner planner(request, sketch, d);
  const std::vector<Mechanism> mechanisms = mechanisms_of(request, d);
  std::vector<Looked> table = planner.ranked(mechanisms);
  if (table.empty()) refuse_all(planner, sketch, mechanisms);
  if (request.target > 0) table = fewest_outputs(planner, std::move(table));
  std::vector<Candidate> candidates;
  for (Looked& looked : table)  // `auto` may have found the coupling's own block
    if (candidates.empty() || candidates.back().spec != looked.candidate.spec)
      candidates.push_back(std::move(looked.candidate));
  explain(candidates, request.target > 0);
  return candidates;
}

}  // namespace

template <class T>
Plan plan(MatrixView<const T> X, MatrixView<const T> Y, const PlanRequest& request) {
  check(request);
  if (X.cols() == 0 || X.rows() == 0)
    refuse("X", fmt::format("{} x {}", X.rows(), X.cols()), "at least one row and one column");
  if (X.cols() > kMostColumns && !request.only_m && !request.exact_only)
    refuse("X", fmt::format("{} x {}", X.rows(), X.cols()),
           fmt::format("at most {} columns: a plan draws features of every mechanism many times over", kMostColumns));
  const bool one_set = Y.data() == nullptr;
  if (!one_set && (Y.cols() != X.cols() || Y.rows() == 0))
    refuse("Y", fmt::format("{} x {}", Y.rows(), Y.cols()), fmt::format("at least one row of {} columns", X.cols()));
  const Kernel& kernel = find_kernel(request.kernel);
  Sketch sketched = sketch<T>(X, Y, one_set, inverse_lengthscale(request.lengthscale, X.cols()), request.seed);
  const Parameters own = request.only_m ? kernel_parameters(kernel, request.parameters) : request.parameters;
  measure_by(sketched, request.measure, kernel, complete_parameters(kernel, own, X.cols()));
  return {.table = candidates_of(request, sketched, X.cols()),
          .rows = sketched.queries.rows() + (one_set ? 0 : sketched.keys.rows()),
          .pairs = sketched.pairs.size()};
}

template Plan plan<float>(MatrixView<const float>, MatrixView<const float>, const PlanRequest&);
template Plan plan<double>(MatrixView<const double>, MatrixView<const double>, const PlanRequest&);

std::span<const std::string_view> plan_measures() { return kMeasures; }
std::span<const std::string_view> plan_constraints() { return kConstraints; }

}  // namespace bochner
