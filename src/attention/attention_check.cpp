// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "attention/attention_problem.h"
#include "bochner/matrix.h"
#include "core/errors.h"
#include "core/parallel.h"
#include "simd/arrays.h"

namespace bochner {
namespace {

void require(std::string_view name, const HeadsShape& array, std::size_t actual, std::size_t expected,
             std::string_view what, std::string_view whose) {
  if (actual == expected) return;
  refuse(name, fmt::format("an array of shape ({}, {}, {}, {})", array.batch, array.heads, array.length, array.dim),
         fmt::format("{} {}, as {} has", what, expected, whose));
}

template <class T>
[[noreturn]] void refuse_entry(std::span<const T> row, std::size_t i, std::string_view name, const RowPlace& place,
                               double largest) {
  std::size_t c = 0;
  while (c + 1 < row.size() && std::abs(static_cast<double>(row[c])) <= largest) ++c;
  const std::string at =
      fmt::format("{} has {} at [{}, {}, {}, {}]", name, row[c], place.batch, place.head, place.first + i, c);
  if (!std::isfinite(row[c])) throw std::invalid_argument(at + "; expected a finite number");
  throw std::invalid_argument(
      fmt::format("{}; expected at most {:.3g} in {}", at, largest, std::is_same_v<T, float> ? "float32" : "float64"));
}

}  // namespace

template <class T>
void check_rows(MatrixView<const T> rows, std::span<const bool> kept, std::string_view name, const RowPlace& place,
                double largest) {
  const double safe = std::min(largest * largest, std::numeric_limits<double>::max());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (!kept.empty() && !kept[i]) continue;
    // |x_c| <= sqrt(norm): a small norm proves that every entry is in range.
    if (simd::squared_norm<T>(rows.row(i)) <= safe) continue;
    for (const T entry : rows.row(i))
      if (!(std::abs(static_cast<double>(entry)) <= largest)) refuse_entry<T>(rows.row(i), i, name, place, largest);
  }
}

void check_attention(const HeadsShape& q, const HeadsShape& k, const HeadsShape& v, const HeadsShape& out,
                     MatrixView<const bool> key_mask, bool causal, std::string_view name_of_out) {
  if (q.dim == 0) refuse("q", "an array of dim 0", "dim at least 1");
  if (v.dim == 0) refuse("v", "an array of dim 0", "dim at least 1");
  require("k", k, k.batch, q.batch, "batch", "q");
  require("k", k, k.dim, q.dim, "dim", "q");
  require("v", v, v.batch, k.batch, "batch", "k");
  require("v", v, v.heads, k.heads, "heads", "k");
  require("v", v, v.length, k.length, "length", "k");
  if (k.heads == 0 ? q.heads != 0 : q.heads % k.heads != 0)
    refuse("k", fmt::format("an array of {} heads", k.heads),
           fmt::format("a divisor of {}, the number of heads of q", q.heads));
  require(name_of_out, out, out.batch, q.batch, "batch", "q");
  require(name_of_out, out, out.heads, q.heads, "heads", "q");
  require(name_of_out, out, out.length, q.length, "length", "q");
  require(name_of_out, out, out.dim, v.dim, "dim", "v");
  if (causal) require("k", k, k.length, q.length, "length (causal attention has a key for each query)", "q");
  if (key_mask.data() != nullptr && (key_mask.rows() != k.batch || key_mask.cols() != k.length))
    refuse("key_mask", fmt::format("{} x {}", key_mask.rows(), key_mask.cols()),
           fmt::format("{} x {} (batch x keys)", k.batch, k.length));
}

void check_floor(double floor) {
  if (!(floor >= 0 && floor <= 1)) refuse("floor", fmt::format("{}", floor), "a number from 0 to 1");
}

/// Checks thousands of rows at a time, on all threads.
template <class T>
void check_entries(const AttentionProblem<T>& problem, const std::optional<HeadsSource<T>>& grad) {
  constexpr std::size_t kRows = 4096;
  const auto check = [](const HeadsSource<T>& rows, std::string_view name, double largest, const auto& kept_of) {
    const std::size_t jobs = (rows.length + kRows - 1) / kRows;
    parallel_for(rows.batch * rows.heads * jobs, 1, [&](std::size_t i, std::size_t) {
      const std::size_t first = i % jobs * kRows, last = std::min(first + kRows, rows.length);
      const RowPlace place{i / jobs / rows.heads, i / jobs % rows.heads, first, last};
      Matrix<T> room(rows.widens() ? last - first : 0, rows.dim);
      check_rows<T>(rows.rows(place.batch, place.head, first, last, room.data()), kept_of(place), name, place, largest);
    });
  };
  const auto all = [](const RowPlace&) { return std::span<const bool>(); };
  const auto kept = [&](const RowPlace& place) { return problem.kept(place.batch, place.first, place.last); };
  check(problem.q, "q", problem.largest, all);
  check(problem.k, "k", problem.largest, kept);
  check(problem.v, "v", kLargestEntry<T>, kept);
  if (grad) check(*grad, "grad", kLargestEntry<T>, all);
}

template void check_rows(MatrixView<const float>, std::span<const bool>, std::string_view, const RowPlace&, double);
template void check_rows(MatrixView<const double>, std::span<const bool>, std::string_view, const RowPlace&, double);
template void check_entries(const AttentionProblem<float>&, const std::optional<HeadsSource<float>>&);
template void check_entries(const AttentionProblem<double>&, const std::optional<HeadsSource<double>>&);

}  // namespace bochner
