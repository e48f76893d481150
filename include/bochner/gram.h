// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bochner/export.h"
#include "bochner/features.h"

namespace bochner {

template <class T>
class FeaturePanels;

/// What linear models on features need to know about weighted rows (x_i, y_i, w_i), gathered in one pass:
///
///   gram    sum_i w_i phi_i phi_i'   outputs x outputs     feature_sums  sum_i w_i phi_i     weight  sum_i w_i
///   cross   sum_i w_i y_i phi_i'     targets x outputs     target_sums   sum_i w_i y_i       rows    rows with w_i > 0
///                                                          target_squares  sum_i w_i y_i^2, for each target
///                                                          target_lows, target_highs  least and largest y_i
///
/// Features are computed for about a thousand rows at a time and never stored whole. With float rows the products
/// within such a block are float (relative error below 1e-6 of the diagonal); sums over blocks and everything that
/// involves y are double. There is one accumulator of 8 outputs^2 bytes for any number of threads, and the result has
/// the same bits for any number. n rows cost n outputs^2 flops besides their features.
class BOCHNER_EXPORT Gram {
 public:
  Gram(std::size_t outputs, std::size_t targets);

  /// Adds rows: X is n x d, Y n x targets, weights n numbers >= 0 or empty for ones. Throws std::invalid_argument for
  /// shapes that do not fit, entries that are not finite (the message names row and column) and maps that are not
  /// symmetric; then nothing is added.
  void add(const Features& features, MatrixView<const float> X, MatrixView<const double> Y,
           std::span<const double> weights = {});
  void add(const Features& features, MatrixView<const double> X, MatrixView<const double> Y,
           std::span<const double> weights = {});
  /// Adds the sums of another Gram of the same shape.
  void merge(const Gram& other);

  std::size_t outputs() const { return gram_.rows(); }
  std::size_t targets() const { return cross_.rows(); }
  std::uint64_t rows() const { return rows_; }
  double weight() const { return weight_; }
  /// Whether any of the rows were float: the Gram matrix then has errors of about 1e-7 of its diagonal.
  bool single() const { return single_; }
  /// The lower triangle; the numbers above it are unspecified.
  MatrixView<const double> gram() const { return gram_; }
  MatrixView<const double> cross() const { return cross_; }
  std::span<const double> feature_sums() const { return feature_sums_; }
  std::span<const double> target_sums() const { return target_sums_; }
  std::span<const double> target_squares() const { return target_squares_; }
  /// Over rows with w_i > 0; infinity and minus infinity before any such row.
  std::span<const double> target_lows() const { return target_lows_; }
  std::span<const double> target_highs() const { return target_highs_; }

  /// sum_i w_i phi_i / weight; zeros before any row.
  std::vector<double> feature_means() const;
  /// If all y_i are equal, exactly that number, to the last bit, so that moments about it are zero.
  std::vector<double> target_means() const;
  /// The lower triangle of sum_i w_i (phi_i - centre) (phi_i - centre)'.
  Matrix<double> second_moments(std::span<const double> centre) const;
  /// sum_i w_i (y_i - target_centre) (phi_i - centre)'.
  Matrix<double> cross_moments(std::span<const double> centre, std::span<const double> target_centre) const;
  /// sum_i w_i (y_i - target_centre)^2 for each target.
  std::vector<double> target_moments(std::span<const double> target_centre) const;

  /// About 4 outputs^2 bytes, little-endian, the same on every machine.
  std::vector<std::byte> to_bytes() const;
  /// Throws std::invalid_argument for an unknown version, a wrong length or shape, numbers that are not finite, and
  /// weights or squares below 0.
  static Gram from_bytes(std::span<const std::byte> bytes);

 private:
  template <class T>
  void add_rows(const Features& features, MatrixView<const T> X, MatrixView<const double> Y,
                std::span<const double> weights);
  template <class T>
  void add_targets(const FeaturePanels<T>& Z, MatrixView<const double> Y, std::span<const double> weights);
  template <class Visit>
  static void for_each_number(auto& self, Visit visit);
  /// Reads the ends from bytes; without bytes (nullptr) any number may have been among the targets.
  void read_target_ends(const std::byte* from);
  /// Whether every y_i of the target is `value`.
  bool always(std::size_t target, double value) const {
    return target_lows_[target] == value && target_highs_[target] == value;
  }

  Matrix<double> gram_, cross_;
  std::vector<double> feature_sums_, target_sums_, target_squares_, target_lows_, target_highs_;
  double weight_ = 0;
  std::uint64_t rows_ = 0;
  bool single_ = false;
};

/// A Gram for each of K folds, gathered in one pass: all but one of them train and the one left out tests, so
/// cross-validation needs no second pass over the data. A fixed hash of x and y gives the fold of a row: equal rows are
/// in the same fold, so an answer that is left out is left out completely. Neither the order of rows nor the size of
/// weights matters. Takes the memory of K Gram matrices.
class BOCHNER_EXPORT FoldGram {
 public:
  FoldGram(std::size_t outputs, std::size_t targets, std::size_t folds = 5);
  FoldGram(FoldGram&&) noexcept = default;
  FoldGram& operator=(FoldGram&&) noexcept = default;

  /// As Gram::add.
  void add(const Features& features, MatrixView<const float> X, MatrixView<const double> Y,
           std::span<const double> weights = {});
  void add(const Features& features, MatrixView<const double> X, MatrixView<const double> Y,
           std::span<const double> weights = {});
  /// Adds all rows in one call; none should follow. At an x with k > 1 different answers of total weight W, a row of
  /// weight w (the sum over equal rows) is cut into min(ceil(w k / W), folds) parts in different folds: leaving a
  /// frequent answer out as a whole would not show how well the others predict it.
  void add_all(const Features& features, MatrixView<const float> X, MatrixView<const double> Y,
               std::span<const double> weights = {});
  void add_all(const Features& features, MatrixView<const double> X, MatrixView<const double> Y,
               std::span<const double> weights = {});
  /// Merges fold by fold.
  void merge(const FoldGram& other);

  std::size_t folds() const { return folds_.size(); }
  const Gram& fold(std::size_t k) const { return folds_[k]; }
  /// The number of different rows; a row that is left out in k parts counts k times, and equal rows added in separate
  /// calls count separately.
  double observations() const { return observations_; }
  std::size_t outputs() const { return folds_[0].outputs(); }
  std::size_t targets() const { return folds_[0].targets(); }
  /// The sum of all folds but fold k; for k = folds() the sum of all.
  Gram all_but(std::size_t k) const;

  std::vector<std::byte> to_bytes() const;
  /// Throws std::invalid_argument as Gram::from_bytes does.
  static FoldGram from_bytes(std::span<const std::byte> bytes);

 private:
  struct Part;
  template <class T>
  void add_rows(const Features& features, MatrixView<const T> X, MatrixView<const double> Y,
                std::span<const double> weights, bool cut);
  template <class T>
  void add_parts(const Features& features, MatrixView<const T> X, MatrixView<const double> Y,
                 std::span<const Part> parts);

  std::vector<Gram> folds_;
  double observations_ = 0;
};

/// Sums of features over the rows of each class, sum_{i: label_i = c} w_i phi(x_i): all that the Nadaraya-Watson
/// classifier needs. Its score of a class is sum_i w_i k(x, x_i) ~ phi(x) . sums_c. The rows are keys and what is
/// classified is a query, so any map works. n rows cost n outputs flops besides their features; sums are double, with
/// the same bits for any number of threads.
class BOCHNER_EXPORT ClassSums {
 public:
  ClassSums(std::size_t outputs, std::size_t classes);

  /// Adds rows with labels from 0 to classes - 1. Throws std::invalid_argument as Gram::add does; then nothing is
  /// added.
  void add(const Features& features, MatrixView<const float> X, std::span<const std::int64_t> labels,
           std::span<const double> weights = {});
  void add(const Features& features, MatrixView<const double> X, std::span<const std::int64_t> labels,
           std::span<const double> weights = {});
  void merge(const ClassSums& other);

  std::size_t outputs() const { return sums_.cols(); }
  std::size_t classes() const { return sums_.rows(); }
  MatrixView<const double> sums() const { return sums_; }
  /// Sum of the weights of each class.
  std::span<const double> weights() const { return weights_; }

  std::vector<std::byte> to_bytes() const;
  /// Throws std::invalid_argument for an unknown version, a wrong length or shape, and numbers that are not finite.
  static ClassSums from_bytes(std::span<const std::byte> bytes);

 private:
  template <class T>
  void add_rows(const Features& features, MatrixView<const T> X, std::span<const std::int64_t> labels,
                std::span<const double> weights);

  Matrix<double> sums_;
  std::vector<double> weights_;
};

/// Probabilities from n x classes scores of features that are not negative: scores over their sum or, where that is 0
/// (far from every row), the shares of the class weights (empty: equal shares).
BOCHNER_EXPORT Matrix<double> class_shares(MatrixView<const double> scores, std::span<const double> class_weights);

}  // namespace bochner
