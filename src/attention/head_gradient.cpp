// SPDX-License-Identifier: Apache-2.0
// With y_t = (g_t, -g_t.out_t), g the gradient with respect to the result, and u_i = (v_i, 1), the derivative with
// respect to a weight w_ti is y_t.u_i / D_t, D_t the denominator. So the gradients with respect to exponents of queries
// are slopes of a Transport from keys with values u to queries with cotangents y / D. Those with respect to exponents
// of keys are slopes of a Transport from queries, whose features are divided by D, with values y, to keys with
// cotangents u; its sums are the gradients with respect to values. In causal attention the second one runs from the
// last row to the first. Features are computed again, a chunk at a time.
#include "attention/head_gradient.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "attention/loaded_rows.h"
#include "attention/transport.h"
#include "core/blas.h"
#include "core/parallel.h"

namespace bochner {
namespace {

/// Exponents are sqrt(1-4A) w.x sqrt(scale) plus terms that have no gradient or belong to the whole row: rows of slopes
/// times this matrix are gradients.
template <class T>
Matrix<T> directions_of(const HeadFeatures& head) {
  const Features& features = *head.features;
  const Matrix<double> W = features.directions();
  const double factor = std::sqrt(1 - 4 * head.A.value_or(0)) / features.spec().lengthscale[0];
  Matrix<T> directions(features.outputs(), W.cols());
  for (std::size_t j = 0; j < directions.rows(); ++j)
    for (std::size_t l = 0; l < W.cols(); ++l)
      directions(j, l) = static_cast<T>((j < W.rows() ? factor : -factor) * W(j % W.rows(), l));
  return directions;
}

/// A factor 2^-n, n >= 0, that makes all entries of the kept rows (empty: all are) small enough for products of a value
/// and a gradient, and sums of them, to stay within the range of T. A power of two changes none of their digits.
template <class T>
T shrinking_factor(MatrixView<const T> rows, std::span<const bool> kept) {
  constexpr T kLarge = std::is_same_v<T, float> ? T(1e4) : T(1e60);
  T most = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (std::size_t c = 0; c < rows.cols() && (kept.empty() || kept[i]); ++c)
      most = std::max(most, std::abs(rows(i, c)));
  return most > kLarge ? std::ldexp(T(1), -std::ilogb(most)) : T(1);
}

/// The gradients of one query head and its key head.
template <class T>
class HeadGradient {
 public:
  HeadGradient(const HeadFeatures& head, const HeadArrays<T>& arrays, bool causal, bool by_pieces)
      : head_(head),
        q_(arrays.q),
        k_(arrays.k),
        v_(arrays.v),
        grad_(arrays.grad),
        kept_(arrays.kept),
        causal_(causal),
        by_pieces_(by_pieces),
        v_factor_(shrinking_factor<T>(v_, kept_)),
        grad_factor_(shrinking_factor<T>(grad_, {})),
        W_(directions_of<T>(head)),
        y_(q_.rows(), v_.cols() + 1),
        log_denominator_(q_.rows()) {}

  /// Adds to dk and dv.
  void run(MatrixView<T> dq, MatrixView<T> dk, MatrixView<T> dv) {
    const auto to_queries = [&](LoadedRows<T>& queries, const Transport<T>& transport, std::size_t first,
                                std::size_t from, std::size_t to, MatrixView<const T> own, MatrixView<const T> values) {
      finish_queries(queries, transport, first, from, to, own, values, dq);
    };
    pass(false, to_queries);
    const auto to_keys = [&](LoadedRows<T>& keys, const Transport<T>& transport, std::size_t first, std::size_t from,
                             std::size_t to, MatrixView<const T> own, MatrixView<const T> values) {
      finish_keys(keys, transport, first, from, to, own, values, dk, dv);
    };
    pass(true, to_keys);
  }

 private:
  bool reversed(bool backward) const { return backward && causal_; }
  std::size_t place(std::size_t i, std::size_t n, bool backward) const { return reversed(backward) ? n - 1 - i : i; }

  LoadedRows<T> load_queries(std::size_t first, std::size_t last, bool backward) const {
    std::vector<bool> kept(last - first, true);
    for (std::size_t i = 0; i < kept.size() && backward; ++i)
      kept[i] = std::isfinite(log_denominator_[place(first + i, q_.rows(), true)]);
    LoadedRows<T> loaded = load_rows<T>(head_, {q_, reversed(backward)}, first, std::move(kept), Side::query);
    for (std::size_t i = 0; i < last - first && backward; ++i)
      if (loaded.kept[i]) loaded.log_factor[i] -= log_denominator_[place(first + i, q_.rows(), true)];
    return loaded;
  }
  LoadedRows<T> load_keys(std::size_t first, std::size_t last, bool backward) const {
    std::vector<bool> kept(last - first, true);
    for (std::size_t i = 0; i < kept.size() && !kept_.empty(); ++i)
      kept[i] = kept_[place(first + i, k_.rows(), backward)];
    return load_rows<T>(head_, {k_, reversed(backward)}, first, std::move(kept), Side::key);
  }
  /// u_i for keys, y_t for queries, in the order of the pass.
  Matrix<T> key_values(std::size_t first, std::size_t last, bool backward) const {
    Matrix<T> values(last - first, v_.cols() + 1, T(0));
    for (std::size_t i = 0; i < last - first; ++i) {
      const std::size_t row = place(first + i, k_.rows(), backward);
      if (!kept_.empty() && !kept_[row]) continue;
      for (std::size_t c = 0; c < v_.cols(); ++c) values(i, c) = v_factor_ * v_(row, c);
      values(i, v_.cols()) = 1;
    }
    return values;
  }
  Matrix<T> query_values(std::size_t first, std::size_t last) const {
    Matrix<T> values(last - first, y_.cols());
    for (std::size_t i = 0; i < last - first; ++i)
      std::ranges::copy(y_.view().row(place(first + i, q_.rows(), true)), values.view().row(i).begin());
    return values;
  }

  /// From keys to queries, or backward. Sources are summed in segments, as in SegmentSums.
  template <class Finish>
  void pass(bool backward, const Finish& finish) {
    const std::size_t sources = backward ? q_.rows() : k_.rows(), sinks = backward ? k_.rows() : q_.rows();
    const std::size_t segment = segment_rows(head_.features->outputs());
    const std::size_t count = (sources + segment - 1) / segment;
    if (causal_ && !by_pieces_) {
      std::shared_ptr<const Transport<T>> past;
      for (std::size_t i = 0; i < count; ++i) past = joined(past, answer_segment(backward, i, past.get(), finish));
      return;
    }
    std::vector<std::shared_ptr<const Transport<T>>> before(count + 1);
    std::vector<std::shared_ptr<const Transport<T>>> own(count);
    parallel_for(causal_ ? std::max<std::size_t>(count, 1) - 1 : count, 1,
                 [&](std::size_t i, std::size_t) { own[i] = sum_segment(backward, i); });
    for (std::size_t i = 0; i < count; ++i) {
      before[i + 1] = own[i] == nullptr ? before[i] : joined(before[i], own[i]);
      own[i] = nullptr;
      if (!causal_) before[i] = nullptr;
    }
    if (causal_) {
      parallel_for(count, 1, [&](std::size_t i, std::size_t) { answer_segment(backward, i, before[i].get(), finish); });
      return;
    }
    const Transport<T> none(head_.features->outputs(), v_.cols() + 1);
    parallel_for(sinks, kChunk, [&](std::size_t first, std::size_t last) {
      LoadedRows<T> loaded = load_sinks(backward, first, last);
      finish(loaded, count == 0 ? none : *before[count], first, 0, last - first, {}, {});
    });
  }

  LoadedRows<T> load_sources(bool backward, std::size_t first, std::size_t last) const {
    return backward ? load_queries(first, last, true) : load_keys(first, last, false);
  }
  LoadedRows<T> load_sinks(bool backward, std::size_t first, std::size_t last) const {
    return backward ? load_keys(first, last, true) : load_queries(first, last, false);
  }
  Matrix<T> source_values(bool backward, std::size_t first, std::size_t last) const {
    return backward ? query_values(first, last) : key_values(first, last, false);
  }
  /// Calls use(first, last) for the chunks of a segment of sources.
  template <class Use>
  void for_each_source_chunk(bool backward, std::size_t number, const Use& use) const {
    const std::size_t segment = segment_rows(head_.features->outputs());
    for_each_chunk(number * segment, std::min((number + 1) * segment, backward ? q_.rows() : k_.rows()), use);
  }

  std::shared_ptr<const Transport<T>> sum_segment(bool backward, std::size_t number) const {
    auto own = std::make_shared<Transport<T>>(head_.features->outputs(), v_.cols() + 1);
    for_each_source_chunk(backward, number, [&](std::size_t first, std::size_t last) {
      LoadedRows<T> loaded = load_sources(backward, first, last);
      own->add(loaded.view(), source_values(backward, first, last), [](std::size_t, std::size_t) {});
    });
    return own;
  }

  /// Causal sinks of a segment, which see what came before it and their own segment; returns the sums of their own
  /// segment.
  template <class Finish>
  std::shared_ptr<const Transport<T>> answer_segment(bool backward, std::size_t number, const Transport<T>* before,
                                                     const Finish& finish) {
    auto own = std::make_shared<Transport<T>>(head_.features->outputs(), v_.cols() + 1);
    Transport<T> seen(head_.features->outputs(), before == nullptr ? 0 : v_.cols() + 1);
    for_each_source_chunk(backward, number, [&](std::size_t first, std::size_t last) {
      LoadedRows<T> loaded = load_sources(backward, first, last), sinks = load_sinks(backward, first, last);
      const Matrix<T> values = source_values(backward, first, last);
      own->add(loaded.view(), values, [&](std::size_t from, std::size_t to) {
        const MatrixView<const T> part = values.view().row_range(from, to);
        const MatrixView<const T> features = loaded.E.view().row_range(from, to);
        if (before == nullptr) return finish(sinks, *own, first, from, to, features, part);
        const Matrix<T> relative = seen.combine(*before, *own, features);
        finish(sinks, seen, first, from, to, relative, part);
      });
    });
    return own;
  }

  static std::shared_ptr<const Transport<T>> joined(const std::shared_ptr<const Transport<T>>& before,
                                                    const std::shared_ptr<const Transport<T>>& later) {
    if (before == nullptr) return later;
    auto both = std::make_shared<Transport<T>>(later->outputs(), later->width());
    both->combine(*before, *later, {});
    return both;
  }

  void finish_queries(LoadedRows<T>& queries, const Transport<T>& transport, std::size_t first, std::size_t from,
                      std::size_t to, MatrixView<const T> own, MatrixView<const T> values, MatrixView<T> dq) {
    const std::size_t n = to - from, width = v_.cols();
    std::vector<double> scale(queries.E.rows());
    transport.prepare(queries.view(), from, to, scale);
    Matrix<T> sums(n, width + 1), slopes(n, queries.E.cols());
    const MatrixView<const T> features = queries.E.view().row_range(from, to);
    transport.sum(features, own, values, sums);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t row = first + from + i;
      const T denominator = sums(i, width), factor = denominator > 0 ? 1 / denominator : T(0);
      T product = 0;
      for (std::size_t c = 0; c < width; ++c) {
        y_(row, c) = grad_factor_ * grad_(row, c);
        product += y_(row, c) * sums(i, c) * factor;
      }
      y_(row, width) = -product;
      log_denominator_[row] = denominator > 0 ? scale[from + i] + std::log(static_cast<double>(denominator))
                                              : -std::numeric_limits<double>::infinity();
      for (std::size_t c = 0; c <= width; ++c) sums(i, c) = y_(row, c) * factor;
    }
    transport.slope(features, sums, own, values, slopes);
    blas::gemm_nn<T>(1, slopes, W_, 0, dq.row_range(first + from, first + to));
    const T unit = 1 / (v_factor_ * grad_factor_);
    for (std::size_t i = first + from; i < first + to && unit != 1; ++i)
      for (T& number : dq.row(i)) number *= unit;
  }

  void finish_keys(LoadedRows<T>& keys, const Transport<T>& transport, std::size_t first, std::size_t from,
                   std::size_t to, MatrixView<const T> own, MatrixView<const T> values, MatrixView<T> dk,
                   MatrixView<T> dv) {
    const std::size_t n = to - from, width = v_.cols();
    std::vector<double> scale(keys.E.rows());
    transport.prepare(keys.view(), from, to, scale);
    Matrix<T> sums(n, width + 1), slopes(n, keys.E.cols()), gradient(n, k_.cols());
    const MatrixView<const T> features = keys.E.view().row_range(from, to);
    const Matrix<T> cotangents = key_values(first + from, first + to, true);
    transport.sum(features, own, values, sums);
    transport.slope(features, cotangents, own, values, slopes);
    blas::gemm_nn<T>(1, slopes, W_, 0, gradient);
    const double unit = 1 / head_.features->spec().lengthscale[0];
    const T grown = 1 / (v_factor_ * grad_factor_);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t row = place(first + from + i, k_.rows(), true);
      if (!kept_.empty() && !kept_[row]) continue;
      const T factor = static_cast<T>(std::exp(scale[from + i]));
      T total = 0;
      for (const T slope : slopes.view().row(i)) total += slope;
      for (std::size_t l = 0; l < k_.cols(); ++l)
        dk(row, l) += factor * (gradient(i, l) - static_cast<T>(unit * unit) * total * k_(row, l)) * grown;
      for (std::size_t c = 0; c < width; ++c) dv(row, c) += factor * sums(i, c) / grad_factor_;
    }
  }

  const HeadFeatures& head_;
  MatrixView<const T> q_, k_, v_, grad_;
  std::span<const bool> kept_;
  bool causal_, by_pieces_;
  T v_factor_, grad_factor_;
  Matrix<T> W_, y_;
  std::vector<double> log_denominator_;
};

}  // namespace

template <class T>
void add_head_gradient(const HeadFeatures& head, const HeadArrays<T>& arrays, bool causal, bool by_pieces) {
  HeadGradient<T>(head, arrays, causal, by_pieces).run(arrays.dq, arrays.dk, arrays.dv);
}

template void add_head_gradient(const HeadFeatures&, const HeadArrays<float>&, bool, bool);
template void add_head_gradient(const HeadFeatures&, const HeadArrays<double>&, bool, bool);

}  // namespace bochner
