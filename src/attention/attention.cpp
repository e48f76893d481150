// SPDX-License-Identifier: Apache-2.0
#include "bochner/attention.h"

#include <type_traits>
#include <vector>

#include "attention/attention_problem.h"
#include "attention/causal_attention.h"
#include "attention/recent_features.h"

namespace bochner {

template <class T>
AttentionReport attention(HeadsView<const T> q, HeadsView<const T> k, HeadsView<const T> v, HeadsView<T> out,
                          const AttentionOptions& options, MatrixView<const bool> key_mask) {
  using State = std::conditional_t<std::is_same_v<T, double>, double, float>;
  check_attention(q, k, v, out, key_mask, options.causal);
  check_floor(options.floor);
  const auto drawn = recent_features(q.dim, options);
  const AttentionFeatures& features = *drawn;
  const AttentionProblem<State> problem(q, k, v, out, key_mask, features.features(), options.floor);
  if (!options.causal) return bidirectional_attention(problem, features, options.diagnostics);
  AttentionReport report;
  std::vector<CausalHead<State>> heads = causal_heads<State>(features, v.dim, problem.key_heads());
  causal_attention<State>(problem, heads, options.diagnostics, report);
  return report;
}

#define BOCHNER_ATTENTION(T)                                                                                   \
  template AttentionReport attention(HeadsView<const T>, HeadsView<const T>, HeadsView<const T>, HeadsView<T>, \
                                     const AttentionOptions&, MatrixView<const bool>)
BOCHNER_ATTENTION(float);
BOCHNER_ATTENTION(double);
BOCHNER_ATTENTION(Float16);
BOCHNER_ATTENTION(BFloat16);

}  // namespace bochner
