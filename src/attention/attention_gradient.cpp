// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "attention/attention_problem.h"
#include "attention/head_gradient.h"
#include "attention/recent_features.h"
#include "core/errors.h"
#include "core/parallel.h"

namespace bochner {
namespace {

template <class T>
void check_like(std::string_view name, const HeadsView<T>& given, const HeadsView<const T>& array) {
  if (given.batch != array.batch || given.heads != array.heads || given.length != array.length ||
      given.dim != array.dim)
    refuse(name, fmt::format("an array of shape ({}, {}, {}, {})", given.batch, given.heads, given.length, given.dim),
           fmt::format("({}, {}, {}, {})", array.batch, array.heads, array.length, array.dim));
}

template <class T>
void fill_zero(MatrixView<T> A) {
  for (std::size_t i = 0; i < A.rows(); ++i) std::ranges::fill(A.row(i), T(0));
}

}  // namespace

template <class T>
void attention_gradient(HeadsView<const T> q, HeadsView<const T> k, HeadsView<const T> v, HeadsView<const T> grad,
                        HeadsView<T> dq, HeadsView<T> dk, HeadsView<T> dv, const AttentionOptions& options,
                        MatrixView<const bool> key_mask) {
  check_attention(q, k, v, grad, key_mask, options.causal, "grad");
  check_like<T>("dq", dq, q);
  check_like<T>("dk", dk, k);
  check_like<T>("dv", dv, v);
  const auto drawn = recent_features(q.dim, options);
  const AttentionFeatures& features = *drawn;
  if (features.fits_rows() || features.common().is_signed || features.features().spec().parameters.contains("shift"))
    refuse("map", features.features().spec().map, "an exponential map: positive, optimal_positive, or one in pairs");
  const AttentionProblem<T> problem(q, k, v, dq, key_mask, features.features());
  check_entries<T>(problem, HeadsSource<T>(grad));
  const std::vector<HeadFeatures> heads = features_of_heads(problem, features);
  const auto run = [&](std::size_t i, bool by_pieces) {
    const std::size_t b = i / k.heads, h = i % k.heads;
    fill_zero(dk.head(b, h));
    fill_zero(dv.head(b, h));
    for (std::size_t g = h * problem.group(); g < (h + 1) * problem.group(); ++g)
      add_head_gradient<T>(heads[i],
                           {q.head(b, g), k.head(b, h), v.head(b, h), grad.head(b, g), dq.head(b, g), dk.head(b, h),
                            dv.head(b, h), problem.kept(b, 0, k.length)},
                           options.causal, by_pieces);
  };
  // Causal heads in segments take 4/3 of the flops, other heads no more than as a whole.
  const std::size_t whole = heads_by_themselves(heads.size(), options.causal ? 4 : 1, options.causal ? 3 : 1);
  parallel_for(whole, 1, [&](std::size_t i, std::size_t) { run(i, false); });
  for (std::size_t i = whole; i < heads.size(); ++i) run(i, true);
}

template void attention_gradient(HeadsView<const float>, HeadsView<const float>, HeadsView<const float>,
                                 HeadsView<const float>, HeadsView<float>, HeadsView<float>, HeadsView<float>,
                                 const AttentionOptions&, MatrixView<const bool>);
template void attention_gradient(HeadsView<const double>, HeadsView<const double>, HeadsView<const double>,
                                 HeadsView<const double>, HeadsView<double>, HeadsView<double>, HeadsView<double>,
                                 const AttentionOptions&, MatrixView<const bool>);

}  // namespace bochner
