// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "attention/attention_chunk.h"
#include "attention/attention_problem.h"
#include "attention/causal_attention.h"
#include "bochner/attention.h"
#include "core/errors.h"

namespace bochner {
namespace {

AttentionOptions as_causal(AttentionOptions options) {
  options.causal = true;
  return options;
}

void check_shape(const AttentionShape& shape) {
  if (shape.dim == 0) refuse("dim", "0", "at least 1");
  if (shape.value_dim == 0) refuse("value_dim", "0", "at least 1");
  if (shape.kv_heads == 0 || shape.heads % shape.kv_heads != 0)
    refuse("kv_heads", fmt::format("{}", shape.kv_heads), fmt::format("a divisor of {} (heads)", shape.heads));
}

void require(std::string_view what, std::size_t actual, std::size_t expected) {
  if (actual != expected) refuse(what, fmt::format("{}", actual), fmt::format("{}, that of the state", expected));
}

/// Maps with a shift refuse entries below it when they read them, and hybrids refuse rows that are too long: so they
/// read all rows before any is appended.
template <class T>
void check_features(const AttentionProblem<T>& problem, const HeadFeatures& head) {
  if (!head.is_signed && !head.features->spec().parameters.contains("shift")) return;
  const PanelSizes<T> sizes(head.features->outputs(), problem.v.dim);
  for (std::size_t b = 0; b < problem.q.batch; ++b) {
    for (std::size_t h = 0; h < problem.q.heads; ++h) {
      QueryChunk<T> queries(problem, sizes, false);
      KeyChunk<T> keys(problem, sizes);
      for (std::size_t first = 0; first < problem.q.length; first += kChunk) {
        const RowPlace place{b, h, first, std::min(first + kChunk, problem.q.length)};
        queries.load(head, place);
        if (h < problem.k.heads) keys.load(head, place);
      }
    }
  }
}

}  // namespace

template <class T>
struct AttentionState<T>::Inside {
  Inside(const AttentionShape& its_shape, const AttentionOptions& options)
      : shape((check_shape(its_shape), its_shape)),
        diagnostics(options.diagnostics),
        floor(options.floor),
        features(shape.dim, as_causal(options)),
        heads(causal_heads<T>(features, shape.value_dim, shape.batch * shape.kv_heads)) {
    check_floor(floor);
  }

  AttentionShape shape;
  bool diagnostics;
  double floor;
  AttentionFeatures features;
  std::vector<CausalHead<T>> heads;
  std::size_t length = 0;
};

template <class T>
AttentionState<T>::AttentionState(const AttentionShape& shape, const AttentionOptions& options)
    : inside_(std::make_unique<Inside>(shape, options)) {}
template <class T>
AttentionState<T>::~AttentionState() = default;
template <class T>
AttentionState<T>::AttentionState(AttentionState&&) noexcept = default;
template <class T>
AttentionState<T>& AttentionState<T>::operator=(AttentionState&&) noexcept = default;

template <class T>
AttentionReport AttentionState<T>::step(HeadsView<const T> q, HeadsView<const T> k, HeadsView<const T> v,
                                        HeadsView<T> out, MatrixView<const bool> key_mask) {
  const AttentionShape& shape = inside_->shape;
  check_attention(q, k, v, out, key_mask, true);
  require("batch of q", q.batch, shape.batch);
  require("heads of q", q.heads, shape.heads);
  require("heads of k", k.heads, shape.kv_heads);
  require("dim of q", q.dim, shape.dim);
  require("dim of v", v.dim, shape.value_dim);
  const AttentionProblem<T> problem(q, k, v, out, key_mask, inside_->features.features(), inside_->floor);
  check_entries(problem);
  check_features(problem, inside_->features.common());
  AttentionReport report;
  causal_attention<T>(problem, inside_->heads, inside_->diagnostics, report);
  inside_->length += q.length;
  return report;
}

template <class T>
std::size_t AttentionState<T>::length() const {
  return inside_->length;
}

template <class T>
void AttentionState<T>::reset() {
  inside_->heads = causal_heads<T>(inside_->features, inside_->shape.value_dim, inside_->heads.size());
  inside_->length = 0;
}

template class BOCHNER_EXPORT AttentionState<float>;
template class BOCHNER_EXPORT AttentionState<double>;

}  // namespace bochner
