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

/// What is wanted from random features for given data.
struct PlanRequest {
  std::string kernel = "gaussian";
  std::string map = "auto";       ///< "auto", or the only map to consider
  std::string coupling = "auto";  ///< "auto", or the only coupling to consider
  std::vector<double> lengthscale = {1.0};
  Parameters parameters = {};  ///< of the kernel (`nu`); if only m is open, also of the map and the coupling
  /// Give one of the two: every candidate has `outputs` real features, or as few as `target` allows.
  std::size_t outputs = 0;
  double target = 0;  ///< wanted root mean square error, > 0
  /// How the error is measured, one of plan_measures().
  std::string measure = "absolute";
  /// Names from plan_constraints().
  std::vector<std::string> require = {};
  /// Candidates get as many outputs as take the time of `outputs` trigonometric features on orthogonal rows.
  bool equal_cost = false;
  bool exact_only = false;  ///< only mechanisms whose closed form is exact: no draws, and a fraction of the time
  /// Map and coupling are both named, and only m and what the map takes from data are chosen: the block is the
  /// coupling's own if `parameters` have none.
  bool only_m = false;
  std::size_t memory = 0;  ///< the most bytes for W; 0: what the machine has
  std::uint64_t seed = 0;  ///< for the sample of rows and for the planned features
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

/// Candidates, best first.
struct Plan {
  std::vector<Candidate> table;
  std::size_t rows = 0;   ///< rows of the sample
  std::size_t pairs = 0;  ///< pairs at which errors were predicted
  const Candidate& best() const { return table.front(); }
};

/// Ranks all mechanisms that compose for the kernel by their predicted error on pairs of rows of X and Y (an empty Y
/// means X). The error comes from closed forms where they exist, with the parameters that are best for these pairs, and
/// from draws otherwise. At most 2000 rows are used. Deterministic for one seed, for any number of threads.
/// Throws std::invalid_argument where nothing meets the constraints (naming one to drop) or the target (naming the best
/// error within reach), and for what make_features refuses.
template <class T>
BOCHNER_EXPORT Plan plan(MatrixView<const T> X, MatrixView<const T> Y, const PlanRequest& request);

extern template Plan plan<float>(MatrixView<const float>, MatrixView<const float>, const PlanRequest&);
extern template Plan plan<double>(MatrixView<const double>, MatrixView<const double>, const PlanRequest&);

/// The spec with its open choices made from data. Map and coupling, where they are "auto", are chosen as plan ranks
/// them: by the least root mean square error of phi(x) . phi(y) at m directions of two outputs each, and a biased
/// coupling may have it. m is chosen by `target`, the wanted root mean square error, if that is > 0 (the m of the spec
/// is then ignored). If the coupling is open, only mechanisms whose closed form is exact are considered (for the kernel
/// `angular` all); if the map is open and Y is not given, only those that map both sides alike. If map and coupling are
/// named, their parameters are kept and only m is planned. If nothing is open, the spec is returned unchanged. Throws
/// as plan does.
template <class T>
BOCHNER_EXPORT Spec planned(const Spec& spec, MatrixView<const T> X, MatrixView<const T> Y = {}, double target = 0);

extern template Spec planned<float>(const Spec&, MatrixView<const float>, MatrixView<const float>, double);
extern template Spec planned<double>(const Spec&, MatrixView<const double>, MatrixView<const double>, double);

/// absolute   |phi(x).phi(y) - k|, mean over all entries of the Gram matrix
/// relative   the same divided by k
/// attention  the same divided by the mean of k in its row: the error of a normalised row
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
