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

/// An array of shape (batch, heads, length, dim) in somebody else's memory: number (b, h, i, c) is
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

  /// A view that writes can be read through.
  operator HeadsView<const T>() const requires(!std::is_const_v<T>) {
    return {data, batch, heads, length, dim, batch_stride, head_stride, row_stride};
  }

  MatrixView<T> head(std::size_t b, std::size_t h) const {
    return {data + b * batch_stride + h * head_stride, length, dim, row_stride};
  }
};

struct AttentionOptions {
  std::string map = "optimal_positive";  ///< any positive map, or a hybrid; "auto" is this one
  std::string coupling = "auto";         ///< `orthogonal` where the law of the map is isotropic, else `iid`
  std::size_t m = 256;
  std::uint64_t seed = 0;
  /// Parameters of the map and the coupling. `A` of the optimal maps, if not given: bidirectional, for each (batch, key
  /// head) from the mean |x+y|^2 over its queries that count and unmasked keys; causal, from |x+y|^2 = 2 scale dim,
  /// which is 2 sqrt(dim) by default: nothing depends on the future or on other heads. Those of hybrids,
  /// poisson_positive and geometric_positive, if not given: bidirectional, what Features::fit finds for the same rows;
  /// causal, they must be given.
  ///
  /// With a mask and as many queries as keys, a query at the place of a masked key does not count: in self-attention
  /// both are padding, which must move nothing. (Two sequences that are as long as each other are treated alike; there
  /// a query less moves parameters a little, and the result stays an estimate of the same attention.) Such a query gets
  /// its result all the same; where it lies below a `shift` that was found, that of its entries raised to the shift.
  Parameters parameters = {};
  std::optional<double> scale = {};  ///< of q.k, > 0; 1/sqrt(dim)
  bool causal = false;               ///< query t sees keys 0 ... t; as many queries as keys
  bool diagnostics = false;
  /// For hybrids, whose weights may be negative: a denominator below `floor` n exp(scale q.k), k the mean of the n keys
  /// that the query sees, becomes that number. At 1, by Jensen's inequality, it is the least that the denominator of
  /// exact attention can be, so that only errors are cut off. 0: none; rows with a denominator that is not > 0 are then
  /// undefined. At most 1.
  double floor = 1;
};

/// What is known of a result beside its numbers.
struct AttentionReport {
  /// Queries whose rows are zeros: those without any key, whose features are 0 wherever those of their keys are not, or
  /// whose denominator is not > 0 or too small to divide by; of hybrids, whose quotient is not finite, too.
  std::size_t undefined_rows = 0;
  /// A of each (batch, key head) for maps that have one.
  std::vector<double> A = {};
  /// With `diagnostics`, for each query (batch, heads, length; zeros where undefined), from the terms t_j = phi_j(q)
  /// sum_i phi_j(k_i) of its denominator: (sum t)^2 / sum t^2, near 1 where one feature decides and the estimate means
  /// little;
  std::vector<double> effective_features = {};
  /// and the relative standard error of sum t, by the jackknife over at most 16 blocks of directions. Neither bounds
  /// the error of the result, whose numerator has errors of its own: that, two seeds tell.
  std::vector<double> relative_error = {};
  /// Of hybrids: queries whose estimate of the denominator is negative, and those whose is below its floor;
  std::size_t negative_rows = 0, floored_rows = 0;
  /// with `diagnostics`, how many of `sampled_weights` weights are negative: those of at most 64 queries and 64 keys of
  /// each head, evenly spaced.
  std::size_t negative_weights = 0, sampled_weights = 0;
};

/// Softmax attention with positive random features, in time and memory linear in the length:
///
///   out_t = sum_i w_ti v_i / sum_i w_ti,   w_ti = phi(x_t).phi(y_i) ~ exp(scale q_t.k_i),  x = sqrt(scale) q, y =
///   sqrt(scale) k,
///
/// with i over the keys that `key_mask` (batch x keys, true: seen; empty: all) lets through, and i <= t if causal. Key
/// heads may be fewer than query heads by a whole factor: neighbouring query heads share one. Masked keys and values
/// are never read. All keys masked: a row of zeros.
///
/// Nothing overflows and no epsilon is added: features are kept as logarithms relative to a reference r_j of each
/// feature, a query is divided by its largest exp(log phi_j(q) + r_j). The reference is the exponent of the first key;
/// it is replaced at a key that exceeds it by more than 20, from that key on. So sums lie between 1 and L e^20 times
/// the largest value (at most 1e18 in float, 1e150 in double), and a term that underflows is below 1e-29 of the
/// denominator.
///
/// Where T is float, exponents beyond 64 are computed in double, row by row: for values up to 1, results are within
/// 2.5e-6 sqrt(dim) of the same estimator in long double, which is 1e-5 at dim 16, up to |x|^2/2 = 144 and dim 256,
/// whatever the norms of the other rows. More coordinates have more rounding errors in w.x.
///
/// Hybrids have signed features: those of a row are divided by the largest, those of keys by that of the first key or
/// of one that exceeds it by e^20. Weights may be negative; see `floor`. A row whose features overflow in double is
/// refused: |x|^2/2 beyond 700, of hybrid_clustered beyond 6 to 700 by its centres.
///
/// The same bits for any number of threads, and whatever the other heads and the masked keys hold. Keys are summed in
/// segments of fixed length, each with references of its own, which are joined in order: so threads share heads, and
/// segments where heads are few. With `causal`, output t depends on rows 0 ... t alone, bit by bit: chunks are cut at
/// multiples of 96 and where a reference changes, both known from the past; every sum of products is one chain in the
/// order of rows; a later row of the chunk takes part with the weight 0, which changes no finite sum but the sign of a
/// zero, and that is removed at the end.
///
/// Arrays of Float16 and BFloat16 (half.h) are widened a chunk at a time: all arithmetic and all sums are float, and
/// results are rounded once.
///
/// 8 m dim flops a row (m outputs of the features, values as long as keys), causal (m + dim) 96 more; memory of
/// m dim for each (batch, head) and segment of max(576, m) keys. Throws std::invalid_argument for shapes that do not
/// fit and entries that are not finite or too large, naming the argument and the position; `out` is then unspecified.
template <class T>
BOCHNER_EXPORT AttentionReport attention(HeadsView<const T> q, HeadsView<const T> k, HeadsView<const T> v,
                                         HeadsView<T> out, const AttentionOptions& options = {},
                                         MatrixView<const bool> key_mask = {});

/// Gradients of attention: dq, dk, dv from `grad`, that of a function of the result. A, where it comes from the data,
/// counts as a constant. Features are computed again in chunks of 96 rows, so memory grows as that of the values does;
/// about three times the flops of `attention`. Where T is float, rows with exponents beyond 64 have theirs in double as
/// in `attention`: gradients are within 1e-5 of the largest entry of those in double up to |x|^2/2 = 144 at dim 8 and
/// 16. Products of large values and large gradients do not overflow on the way: what is infinite is beyond the range of
/// T. The same bits for any number of threads. Throws as `attention` does, for entries of `grad` too, and for maps that
/// are not exponentials.
template <class T>
BOCHNER_EXPORT void attention_gradient(HeadsView<const T> q, HeadsView<const T> k, HeadsView<const T> v,
                                       HeadsView<const T> grad, HeadsView<T> dq, HeadsView<T> dk, HeadsView<T> dv,
                                       const AttentionOptions& options = {}, MatrixView<const bool> key_mask = {});

/// What q, k and v look like beside their length.
struct AttentionShape {
  std::size_t batch, heads, kv_heads, dim, value_dim;
};

/// Causal attention step by step: at most 5 m value_dim numbers for each (batch, key head), whatever the length so far.
/// The results are those of `attention` with `causal` to rounding: 1e-6 in float, 1e-12 in double; of hybrids more
/// where a denominator is near 0.
template <class T>
class BOCHNER_EXPORT AttentionState {
 public:
  AttentionState(const AttentionShape& shape, const AttentionOptions& options = {});
  ~AttentionState();
  AttentionState(AttentionState&&) noexcept;
  AttentionState& operator=(AttentionState&&) noexcept;

  /// Appends rows (any number, as many queries as keys) and writes their results. Throws as `attention` does; then
  /// nothing has been appended. Not to be called by two threads at once.
  AttentionReport step(HeadsView<const T> q, HeadsView<const T> k, HeadsView<const T> v, HeadsView<T> out,
                       MatrixView<const bool> key_mask = {});
  /// Rows so far.
  std::size_t length() const;
  /// Forgets them.
  void reset();

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace bochner
