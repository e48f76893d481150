// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "bochner/export.h"
#include "bochner/half.h"
#include "bochner/matrix_view.h"
#include "bochner/parameters.h"

namespace bochner {

/// An array of shape (batch, heads, length, dim) in memory that the view does not own: element (b, h, i, c) is
/// data[b batch_stride + h head_stride + i row_stride + c].
template <class T>
struct HeadsView {
  T* data = nullptr;
  std::size_t batch = 0, heads = 0, length = 0, dim = 0;
  std::size_t batch_stride = 0, head_stride = 0, row_stride = 0;

  HeadsView() = default;
  /// Contiguous memory of shape (b, h, n, d).
  HeadsView(T* first, std::size_t b, std::size_t h, std::size_t n, std::size_t d)
      : HeadsView(first, b, h, n, d, h * n * d, n * d, d) {}
  HeadsView(T* first, std::size_t b, std::size_t h, std::size_t n, std::size_t d, std::size_t b_stride,
            std::size_t h_stride, std::size_t n_stride)
      : data(first),
        batch(b),
        heads(h),
        length(n),
        dim(d),
        batch_stride(b_stride),
        head_stride(h_stride),
        row_stride(n_stride) {}

  /// A writable view converts to a read-only one.
  operator HeadsView<const T>() const requires(!std::is_const_v<T>) {
    return {data, batch, heads, length, dim, batch_stride, head_stride, row_stride};
  }

  MatrixView<T> head(std::size_t b, std::size_t h) const {
    return {data + b * batch_stride + h * head_stride, length, dim, row_stride};
  }
};

struct AttentionOptions {
  std::string map = "optimal_positive";  ///< any positive map, or a hybrid; "auto" means this default
  std::string coupling = "auto";         ///< "auto": `orthogonal` if the law of the map is isotropic, else `iid`
  std::size_t m = 256;
  std::uint64_t seed = 0;
  /// Parameters of the map and the coupling. If `A` of the optimal maps is not given, it is chosen: in bidirectional
  /// attention, for each (batch, key head) from the mean |x+y|^2 over its queries that count and its unmasked keys; in
  /// causal attention from |x+y|^2 = 2 scale dim, which is 2 sqrt(dim) by default, so that nothing depends on the
  /// future or on other heads. Parameters of hybrids, poisson_positive and geometric_positive that are not given are
  /// those that Features::fit finds for the same rows; in causal attention they must be given.
  ///
  /// With a mask and as many queries as keys, a query at the position of a masked key does not count: in self-attention
  /// both are padding, which must not change any parameter. (Two different sequences of equal length are treated alike;
  /// there, leaving out queries changes the parameters a little, and the result still estimates the same attention.) A
  /// query that does not count gets a result all the same; if it lies below a `shift` that was found, its entries are
  /// raised to the shift first.
  Parameters parameters = {};
  std::optional<double> scale = {};  ///< factor of q.k, > 0; by default 1/sqrt(dim)
  bool causal = false;               ///< query t sees keys 0 ... t; needs as many queries as keys
  bool diagnostics = false;
  /// For hybrids, whose weights may be negative: a denominator below `floor` n exp(scale q.k) is raised to that number,
  /// where k is the mean of the n keys that the query sees. At 1, by Jensen's inequality, it is the least value that
  /// the denominator of exact attention can have, so that only errors are cut off. 0 means no floor; rows with a
  /// denominator that is not > 0 are then undefined. At most 1.
  double floor = 1;
};

/// What is known about a result besides its numbers.
struct AttentionReport {
  /// Queries whose rows are zeros: they see no key, or their features are 0 wherever those of their keys are not, or
  /// their denominator is not > 0 or too small to divide by. For hybrids also those whose quotient is not finite.
  std::size_t undefined_rows = 0;
  /// A for each (batch, key head), for maps that have one.
  std::vector<double> A = {};
  /// With `diagnostics`, for each query (batch, heads, length; zeros where undefined), from the terms t_j = phi_j(q)
  /// sum_i phi_j(k_i) of its denominator: (sum t)^2 / sum t^2. It is near 1 where one feature decides, and then the
  /// estimate means little.
  std::vector<double> effective_features = {};
  /// With `diagnostics`: the relative standard error of sum t, by the jackknife over at most 16 blocks of directions.
  /// Neither number bounds the error of the result, whose numerator has errors of its own; compare two seeds to see
  /// that error.
  std::vector<double> relative_error = {};
  /// For hybrids: queries whose estimated denominator is negative, and those whose denominator is below its floor.
  std::size_t negative_rows = 0, floored_rows = 0;
  /// For hybrids with `diagnostics`: how many of `sampled_weights` weights are negative. The sample has at most 64
  /// queries and 64 keys of each head, evenly spaced.
  std::size_t negative_weights = 0, sampled_weights = 0;
};

/// Softmax attention with positive random features, in time and memory linear in the length:
///
///   out_t = sum_i w_ti v_i / sum_i w_ti,   w_ti = phi(x_t).phi(y_i) ~ exp(scale q_t.k_i),
///   x = sqrt(scale) q,   y = sqrt(scale) k,
///
/// where i runs over the keys that `key_mask` (batch x keys, true: seen; empty: all) lets through, and i <= t if
/// causal. The number of query heads may be a multiple of the number of key heads: neighbouring query heads then share
/// a key head. Masked keys and values are never read. If all keys are masked, the result is a row of zeros.
///
/// Nothing overflows and no epsilon is added: features are kept as logarithms relative to a reference r_j of each
/// feature, and a query is divided by its largest exp(log phi_j(q) + r_j). The reference is the exponent of the first
/// key; a key that exceeds it by more than 20 replaces it, from that key on. So sums lie between 1 and L e^20 times the
/// largest value (at most 1e18 in float, 1e150 in double), and a term that underflows is below 1e-29 of the
/// denominator.
///
/// Where T is float, exponents beyond 64 are computed in double, row by row. For values up to 1, results are within
/// 2.5e-6 sqrt(dim) of the same estimator in long double, which is 1e-5 at dim 16, up to |x|^2/2 = 144 and dim 256,
/// whatever the norms of the other rows. The more coordinates, the larger the rounding error of w.x.
///
/// Hybrids have signed features. Those of a row are divided by the largest of them; those of keys are divided by the
/// largest of the first key, or of a later key that exceeds it by e^20. Weights may be negative; see `floor`. A row
/// whose features overflow in double is refused: |x|^2/2 beyond 700, for hybrid_clustered beyond 6 to 700 depending on
/// its centres.
///
/// The result has the same bits for any number of threads, and whatever the other heads and the masked keys hold. Keys
/// are summed in segments of fixed length, each with its own references, and the segments are joined in order. So
/// threads divide the heads among them, or the segments where there are few heads. With `causal`, output t depends on
/// rows 0 ... t alone, bit by bit: chunks are cut at multiples of 96 and where a reference changes, both known from the
/// past; every sum of products is one chain in the order of rows; and a later row of the chunk takes part with the
/// weight 0, which changes no finite sum except the sign of a zero, and that sign is removed at the end.
///
/// Arrays of Float16 and BFloat16 (half.h) are widened one chunk at a time: all arithmetic and all sums are in float,
/// and results are rounded once.
///
/// Cost: 8 m dim flops per row (m features, values as long as keys), and (m + dim) 96 more if causal; memory of m dim
/// for each (batch, head) and segment of max(576, m) keys. Throws std::invalid_argument for shapes that do not fit and
/// for entries that are not finite or too large, naming the argument and the position; `out` is then unspecified.
template <class T>
BOCHNER_EXPORT AttentionReport attention(HeadsView<const T> q, HeadsView<const T> k, HeadsView<const T> v,
                                         HeadsView<T> out, const AttentionOptions& options = {},
                                         MatrixView<const bool> key_mask = {});

/// Gradients of attention: dq, dk and dv from `grad`, the gradient of some function with respect to the result. An A
/// that comes from the data counts as a constant. Features are computed again in chunks of 96 rows, so memory grows
/// only as the memory of the values does; about three times the flops of `attention`. Where T is float, rows with
/// exponents beyond 64 have them in double, as in `attention`: gradients are within 1e-5 of the largest entry of the
/// gradients in double, up to |x|^2/2 = 144 at dim 8 and 16. Products of large values and large gradients do not
/// overflow on the way: an infinite gradient is really beyond the range of T. The same bits for any number of threads.
/// Throws as `attention` does, also for entries of `grad`, and for maps that are not exponentials.
template <class T>
BOCHNER_EXPORT void attention_gradient(HeadsView<const T> q, HeadsView<const T> k, HeadsView<const T> v,
                                       HeadsView<const T> grad, HeadsView<T> dq, HeadsView<T> dk, HeadsView<T> dv,
                                       const AttentionOptions& options = {}, MatrixView<const bool> key_mask = {});

/// The shape of q, k and v without their length.
struct AttentionShape {
  std::size_t batch, heads, kv_heads, dim, value_dim;
};

/// Causal attention step by step: at most 5 m value_dim numbers for each (batch, key head), whatever the length so far.
/// The results are those of `attention` with `causal` up to rounding: 1e-6 in float, 1e-12 in double; for hybrids more
/// where a denominator is near 0.
template <class T>
class BOCHNER_EXPORT AttentionState {
 public:
  AttentionState(const AttentionShape& shape, const AttentionOptions& options = {});
  ~AttentionState();
  AttentionState(AttentionState&&) noexcept;
  AttentionState& operator=(AttentionState&&) noexcept;

  /// Appends rows (any number, as many queries as keys) and writes their results. Throws as `attention` does; then
  /// nothing has been appended. Two threads must not call it at the same time.
  AttentionReport step(HeadsView<const T> q, HeadsView<const T> k, HeadsView<const T> v, HeadsView<T> out,
                       MatrixView<const bool> key_mask = {});
  /// The number of rows so far.
  std::size_t length() const;
  /// Forgets all rows.
  void reset();

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace bochner
