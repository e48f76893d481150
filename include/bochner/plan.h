// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bochner/export.h"
#include "bochner/matrix_view.h"
#include "bochner/spec.h"
#include "bochner/theory.h"

namespace bochner {

/// What is wanted of random features for given data.
struct PlanRequest {
  std::string kernel = "gaussian";
  std::string map = "auto";       ///< "auto", or the only one to look at
  std::string coupling = "auto";  ///< the same
  std::vector<double> lengthscale = {1.0};
  Parameters parameters = {};  ///< of the kernel (`nu`); where only m is open, also of the map and the coupling
  /// One of the two: every candidate has `outputs` real features, or as few as `target` allows.
  std::size_t outputs = 0;
  double target = 0;  ///< wanted root mean square error, > 0
  /// What the error is measured in, a word of plan_measures().
  std::string measure = "absolute";
  /// Words of plan_constraints().
  std::vector<std::string> require = {};
  /// Candidates get the outputs that cost as much time as `outputs` of trigonometric features on orthogonal rows.
  bool equal_cost = false;
  bool exact_only = false;  ///< only mechanisms whose closed form is exact: no draws, and a fraction of the time
  /// Map and coupling are both named, and nothing of theirs is looked for but m and what the map takes from data: the
  /// block is the coupling's own where `parameters` have none.
  bool only_m = false;
  std::size_t memory = 0;   ///< most bytes for W; 0: what the machine has
  std::uint64_t seed = 0;   ///< of the sample of rows and of the planned features
};

/// A mechanism that was considered.
struct Candidate {
  Spec spec;  ///< with every parameter
  std::size_t outputs = 0;
  double error = 0;           ///< predicted root mean square error over the sampled pairs, in the chosen measure
  double standard_error = 0;  ///< of `error`; 0 for a closed form
  theory::Exactness exactness = theory::Exactness::exact;  ///< none: measured on a few draws
  double nanoseconds = 0;                                  ///< predicted time per row, float32 on one core
  std::string reason = {};                                 ///< one sentence
};

/// Candidates, the best first.
struct Plan {
  std::vector<Candidate> table;
  std::size_t rows = 0;   ///< rows of the sample
  std::size_t pairs = 0;  ///< pairs at which errors were predicted
  const Candidate& best() const { return table.front(); }
};

/// Ranks all mechanisms that compose for the kernel by their predicted error on pairs of rows of X and Y (an empty Y
/// means X): closed forms where there are, with the parameters that are best for these pairs; else draws. At most 2000
/// rows are looked at. Deterministic by seed, for any number of threads.
/// Throws std::invalid_argument where nothing meets the constraints (naming one to drop) or the target (naming the best
/// error within reach), and for what make_features refuses.
template <class T>
BOCHNER_EXPORT Plan plan(MatrixView<const T> X, MatrixView<const T> Y, const PlanRequest& request);

extern template Plan plan<float>(MatrixView<const float>, MatrixView<const float>, const PlanRequest&);
extern template Plan plan<double>(MatrixView<const double>, MatrixView<const double>, const PlanRequest&);

/// The spec with what it leaves open decided from data: map and coupling where they are "auto" (both as plan ranks
/// them, by the least root mean square error of phi(x) . phi(y) at m directions of two outputs each, which may be that
/// of a biased coupling), and m by `target`, the wanted root mean square error, where that is > 0 (the m of the spec is
/// then not looked at). Where the coupling is open, looks only at mechanisms whose closed form is exact; if map and Y
/// are, at those that map both sides alike. Where map and coupling are named their parameters are kept, and only m is
/// planned. Where nothing is left open the spec comes back as it is. Throws as plan does.
template <class T>
BOCHNER_EXPORT Spec planned(const Spec& spec, MatrixView<const T> X, MatrixView<const T> Y = {}, double target = 0);

extern template Spec planned<float>(const Spec&, MatrixView<const float>, MatrixView<const float>, double);
extern template Spec planned<double>(const Spec&, MatrixView<const double>, MatrixView<const double>, double);

/// absolute   |phi(x).phi(y) - k|, mean over all entries of the Gram matrix
/// relative   the same over k
/// attention  the same over the mean of k in its row: the error of a normalised row
/// largest    absolute, over the tenth of the pairs with the largest k
BOCHNER_EXPORT std::span<const std::string_view> plan_measures();

/// positive    no feature is negative
/// unbiased    the mean of the estimate is k
/// bounded     features stay below a bound whatever w is
/// real        features are not the real and imaginary parts of complex ones
/// symmetric   both sides are mapped alike
/// structured  W is never stored
BOCHNER_EXPORT std::span<const std::string_view> plan_constraints();

}  // namespace bochner
