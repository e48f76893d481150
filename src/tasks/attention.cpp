// SPDX-License-Identifier: Apache-2.0
#include "bochner/attention.h"

#include <vector>

#include "tasks/attention_problem.h"

namespace bochner {

template <class T>
AttentionReport attention(HeadsView<const T> q, HeadsView<const T> k, HeadsView<const T> v, HeadsView<T> out,
                          const AttentionOptions& options, MatrixView<const bool> key_mask) {
  check_attention<T>(q, k, v, out, key_mask, options.causal);
  const AttentionFeatures features(q.dim, options);
  const AttentionProblem<T> problem(q, k, v, out, key_mask, features.features());
  if (!options.causal) return bidirectional_attention(problem, features, options.diagnostics);
  AttentionReport report;
  std::vector<CausalHead<T>> heads = causal_heads<T>(features, problem.sizes, problem.key_heads());
  causal_attention<T>(problem, heads, options.diagnostics, report);
  return report;
}

template AttentionReport attention(HeadsView<const float>, HeadsView<const float>, HeadsView<const float>,
                                   HeadsView<float>, const AttentionOptions&, MatrixView<const bool>);
template AttentionReport attention(HeadsView<const double>, HeadsView<const double>, HeadsView<const double>,
                                   HeadsView<double>, const AttentionOptions&, MatrixView<const bool>);

}  // namespace bochner
