// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bochner/export.h"
#include "bochner/matrix.h"
#include "bochner/matrix_view.h"
#include "bochner/row_source.h"

namespace bochner {

/// components: nothing is predicted; each row is mapped to its scores along the principal components of the features.
enum class Task { regression, classification, components };

BOCHNER_EXPORT std::span<const std::string_view> task_names();

/// A column of a file that is an input.
struct InputColumn {
  std::string name = {};                     ///< empty if the file has no names
  std::size_t position = 0;                  ///< in the file that the columns were learned from
  std::vector<std::string> categories = {};  ///< sorted; a column of words becomes a 0/1 column for each of them
  double fill = 0;                           ///< replaces a missing value: a number, or the number of a category

  bool operator==(const InputColumn&) const = default;
};

/// How the rows of a file become rows of d numbers and a target. gather_preprocessing learns it; a model file stores
/// it.
struct Preprocessing {
  std::vector<InputColumn> inputs;
  std::size_t columns = 0;  ///< of the file that this was learned from
  std::string target = {};
  std::size_t target_position = 0;  ///< `columns` if there is none: components need none
  bool impute = false;              ///< fill in missing values; otherwise they are refused
  std::vector<double> mean, scale;  ///< d numbers each: x becomes (x - mean) / scale; 0 and 1 leave it as it is
  Task task = Task::regression;
  /// The names of classes 0, 1, ... in increasing order: words, or numbers if all of them are numbers. Empty except for
  /// classification.
  std::vector<std::string> classes = {};
  bool number_classes = false;
  /// Whether the CSV file that this was learned from has a header: present or absent. by_content: it was not a CSV
  /// file, or this is not known, as in models of versions that did not store it.
  Header header = Header::by_content;

  std::size_t d() const { return mean.size(); }
  bool has_target() const { return target_position < columns; }
  bool operator==(const Preprocessing&) const = default;
};

/// Called with the share done so far, from 0 to 1, of the current activity `what`.
using Progress = std::function<void(double share, std::string_view what)>;

struct GatheredPreprocessing;

struct PreprocessingRequest {
  std::string target = {};                    ///< a name, or a column number from 1; empty: the label of the format
  std::string weight = {};                    ///< the column of row weights, which is not an input; empty: all are 1
  std::optional<Task> task = {};              ///< empty: decided by the target
  std::vector<std::string> drop = {};         ///< columns that are not inputs
  std::vector<std::string> categorical = {};  ///< columns to treat as words, whatever they look like
  bool standardise = true;    ///< give columns of numbers mean 0 and variance 1; constant ones keep scale 1
  bool impute = false;        ///< missing numbers become their column's mean, missing words its commonest one
  double holdout = 0;         ///< share of the rows that is left out (see is_held_out)
  std::size_t sample = 2000;  ///< rows; if columns or d > 8388, as many as take 128 MiB, at least 50
  std::uint64_t seed = 0;     ///< of the sample
  /// Called once all but the sample is known and before the sample takes memory; may throw.
  std::function<void(const GatheredPreprocessing&)> check = {};
};

struct GatheredPreprocessing {
  Preprocessing preprocessing;
  std::uint64_t rows = 0;      ///< rows used
  std::uint64_t held_out = 0;  ///< rows left out
  Matrix<double> sample;       ///< at most request.sample of the rows used, in their order, ready for features
  std::string reason;          ///< why this task was chosen
  std::optional<std::size_t> weight = {};                        ///< the column of weights
  std::vector<double> sample_targets = {}, sample_weights = {};  ///< of the sample; empty if there are none
};

/// Makes one pass over the rows, from the first: means and variances (Welford), categories, classes, and a sample that
/// depends only on the row numbers and the seed. Weights affect none of these. Throws std::invalid_argument for columns
/// that do not exist and files without rows or inputs, FileError for invalid entries and weights that are negative,
/// missing or all 0.
BOCHNER_EXPORT GatheredPreprocessing gather_preprocessing(RowSource& rows, const PreprocessingRequest& request,
                                                          const Progress& progress = {});

/// Whether row number `row` of a file belongs to the share `share` of the rows that are held out for testing; a fixed
/// hash of the number decides.
BOCHNER_EXPORT bool is_held_out(std::uint64_t row, double share);

/// The rows of a file in the form that a model needs. Columns are found by name if both the model and the file have
/// names, otherwise by position; then the target may be there in its place or be missing, and in a file with a label
/// the target is the label. A category or class that the model does not know throws FileError.
class BOCHNER_EXPORT PreparedRows {
 public:
  /// `preprocessing` and `rows` must outlive this. Without `with_target` a target in the file is ignored. With
  /// `single`, prepared numbers that overflow float throw FileError. `weight` is the column of weights in this file.
  PreparedRows(const Preprocessing& preprocessing, RowSource& rows, bool with_target, bool single = false,
               std::optional<std::size_t> weight = {});
  ~PreparedRows();

  /// X has d columns; y has one entry per row of X and receives numbers or class numbers, `weights` the weights.
  /// Returns the number of rows read; it is less than the rows of X only at the end.
  std::size_t next(MatrixView<double> X, std::span<double> y = {}, std::span<double> weights = {});
  void rewind();
  const RowSource& reader() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// How a file must be read for a model. A LIBSVM file has as many inputs as the model. by_content: the first line of a
/// CSV file is a header if it contains the names of all inputs. Otherwise it is a header if it was one in the model's
/// own file, and FileError is thrown if it looks different: no names where there were some, or no number in a column of
/// numbers. If the model does not know, the rule of Header decides. The options point to `preprocessing`, which must
/// live until the file is open.
BOCHNER_EXPORT ReadOptions read_options(const Preprocessing& preprocessing, Header header = Header::by_content);

}  // namespace bochner
