// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <limits>

#include "core/errors.h"
#include "core/parallel.h"
#include "tasks/attention_problem.h"

namespace bochner {
namespace {

template <class T>
void require(std::string_view name, const HeadsView<const T>& array, std::size_t actual, std::size_t expected,
             std::string_view what, std::string_view whose) {
  if (actual == expected) return;
  refuse(name, fmt::format("an array of shape ({}, {}, {}, {})", array.batch, array.heads, array.length, array.dim),
         fmt::format("{} {}, as {} has", what, expected, whose));
}

}  // namespace

template <class T>
void check_attention(HeadsView<const T> q, HeadsView<const T> k, HeadsView<const T> v, HeadsView<const T> out,
                     MatrixView<const bool> key_mask, bool causal) {
  if (q.dim == 0) refuse("q", "an array of dim 0", "dim at least 1");
  if (v.dim == 0) refuse("v", "an array of dim 0", "dim at least 1");
  require<T>("k", k, k.batch, q.batch, "batch", "q");
  require<T>("k", k, k.dim, q.dim, "dim", "q");
  require<T>("v", v, v.batch, k.batch, "batch", "k");
  require<T>("v", v, v.heads, k.heads, "heads", "k");
  require<T>("v", v, v.length, k.length, "length", "k");
  if (k.heads == 0 ? q.heads != 0 : q.heads % k.heads != 0)
    refuse("k", fmt::format("an array of {} heads", k.heads),
           fmt::format("a divisor of {}, the number of heads of q", q.heads));
  require<T>("out", out, out.batch, q.batch, "batch", "q");
  require<T>("out", out, out.heads, q.heads, "heads", "q");
  require<T>("out", out, out.length, q.length, "length", "q");
  require<T>("out", out, out.dim, v.dim, "dim", "v");
  if (causal) require<T>("k", k, k.length, q.length, "length (causal attention has a key for each query)", "q");
  if (key_mask.data() != nullptr && (key_mask.rows() != k.batch || key_mask.cols() != k.length))
    refuse("key_mask", fmt::format("{} x {}", key_mask.rows(), key_mask.cols()),
           fmt::format("{} x {} (batch x keys)", k.batch, k.length));
}

template <class T>
void check_entries(const AttentionProblem<T>& problem) {
  parallel_for(problem.q.batch * problem.q.heads, 1, [&](std::size_t i, std::size_t) {
    const std::size_t b = i / problem.q.heads, h = i % problem.q.heads;
    check_rows<T>(problem.q.head(b, h), {}, {"q", b, h, 0}, problem.largest);
    if (h >= problem.k.heads) return;
    const std::span<const bool> kept = problem.kept(b, 0, problem.k.length);
    check_rows<T>(problem.k.head(b, h), kept, {"k", b, h, 0}, problem.largest);
    check_rows<T>(problem.v.head(b, h), kept, {"v", b, h, 0}, static_cast<double>(std::numeric_limits<T>::max()));
  });
}

template void check_attention(HeadsView<const float>, HeadsView<const float>, HeadsView<const float>,
                              HeadsView<const float>, MatrixView<const bool>, bool);
template void check_attention(HeadsView<const double>, HeadsView<const double>, HeadsView<const double>,
                              HeadsView<const double>, MatrixView<const bool>, bool);

template void check_entries(const AttentionProblem<float>&);
template void check_entries(const AttentionProblem<double>&);

}  // namespace bochner
