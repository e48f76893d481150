// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <vector>

#include "bochner/model.h"
#include "bochner/threads.h"
#include "core/available_memory.h"
#include "core/errors.h"
#include "features/resolve.h"
#include "learners/searched_lengthscale.h"
#include "models/classifier_learner.h"
#include "models/learners.h"

namespace bochner {
namespace {

/// More directions than any memory holds, but few enough that their bytes do not overflow.
constexpr std::size_t kMostCounted = std::size_t{1} << 48;
/// The least number of rows whose features a transform computes at once, and the rows of one block of a learner.
constexpr double kTransformRows = 64, kBlockRows = 1024, kThreadRows = 32;

/// Bytes of W, once in double and once packed for the products in the type of the rows, and of the phases and norms of
/// its rows.
double projection_bytes(const Spec& spec) {
  const Resolved chosen = resolve_undrawn(spec);
  const double bytes = chosen.coupling.bytes(spec.d, spec.m, space_of(chosen.spec));
  return (chosen.coupling.structured ? 1 : 4.0 / 3) * bytes + 32 * static_cast<double>(spec.m);
}

/// Bytes of the features of a block of rows in the layouts of both factors of a product, and of those that threads have
/// just computed.
double block_bytes(double outputs, const FitSize& size) {
  const double number = size.single ? sizeof(float) : sizeof(double);
  const double rows = std::min(static_cast<double>(size.rows), kBlockRows);
  return number * outputs * (2 * rows + kThreadRows * num_threads());
}

/// Bytes for fewer rows than features: an equation of the size of the rows, and `copies` copies of the features of all
/// rows.
double dual_bytes(double rows, double outputs, double functions, double copies) {
  return 8 * (copies * rows * outputs + 4 * rows * rows + 4 * functions * (rows + outputs));
}

double ridge_bytes_of(double outputs, const FitSize& size) {
  const double rows = static_cast<double>(size.rows), functions = static_cast<double>(size.functions);
  const double folds = static_cast<double>(size.folds);
  // A Gram matrix per fold, their sum and its eigenvectors, and six matrices for each fold that is being worked on.
  const double at_once = outputs <= 1024 ? std::min<double>(num_threads(), folds) : 1;
  if (size.folds > 0) return 8 * outputs * (outputs * (folds + 2 + 6 * at_once) + 12 * functions);
  return rows < outputs ? dual_bytes(rows, outputs, functions, 1) : 8 * outputs * (5 * outputs + 12 * functions);
}

double matrix_bytes(const Learner& learner, double outputs, const FitSize& size) {
  const double rows = static_cast<double>(size.rows), functions = static_cast<double>(size.functions);
  if (learner.name == "ridge") return ridge_bytes_of(outputs, size);
  if (learner.name == "gp" && !size.gathered && rows < outputs) return dual_bytes(rows, outputs, functions, 2);
  const double number = size.single ? sizeof(float) : sizeof(double);
  const double kept = learner.strength == "C" ? std::min(size.cache, number * rows * outputs) : 0;
  return learner.bytes(outputs, functions) + kept;
}

const Learner& learner_of(std::string_view name) {
  const auto all = learners();
  const auto found = std::ranges::find(all, name, &Learner::name);
  if (found != all.end()) return *found;
  std::vector<std::string_view> names;
  for (const Learner& line : all) names.push_back(line.name);
  refuse_name("learner", name, names);
}

double fit_bytes(const Learner* learner, const Spec& spec, double outputs, const FitSize& size) {
  const double W = projection_bytes(spec);
  if (learner == nullptr) return W + kTransformRows * sizeof(double) * outputs;
  const double fit = block_bytes(outputs, size) + matrix_bytes(*learner, outputs, size);
  const double searched = static_cast<double>(std::min(size.search_rows, size.rows));
  return W + std::max(fit, searched > 0 ? search_bytes(searched, outputs, static_cast<double>(size.functions)) : 0);
}

}  // namespace

FitMemory fit_memory(std::string_view learner, const Spec& spec, std::size_t outputs, const FitSize& size) {
  const Learner* const known = learner.empty() ? nullptr : &learner_of(learner);
  const double width = static_cast<double>(outputs) / static_cast<double>(spec.m);
  Spec fewer = spec;
  fewer.m = std::min(spec.m, kMostCounted);
  FitMemory found{fit_bytes(known, fewer, width * static_cast<double>(fewer.m), size),
                  static_cast<double>(memory_left()), static_cast<double>(outputs)};
  if (found.bytes <= found.left) return found;
  std::size_t low = 0, high = fewer.m;
  while (high - low > 1) {
    fewer.m = low + (high - low) / 2;
    const double bytes = fit_bytes(known, fewer, width * static_cast<double>(fewer.m), size);
    (bytes <= found.left ? low : high) = fewer.m;
  }
  found.most_outputs = width * static_cast<double>(low);
  return found;
}

}  // namespace bochner
