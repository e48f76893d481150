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

/// components: nothing is predicted; rows become scores along principal components of their features.
enum class Task { regression, classification, components };

BOCHNER_EXPORT std::span<const std::string_view> task_names();

/// A column of a file that is an input.
struct InputColumn {
  std::string name = {};                     ///< empty where the file has no names
  std::size_t position = 0;                  ///< in the file it was learned from
  std::vector<std::string> categories = {};  ///< sorted; a column of words becomes one of 0 and 1 for each of them
  double fill = 0;                           ///< in place of a missing value: a number, or the number of a category

  bool operator==(const InputColumn&) const = default;
};

/// How the rows of a file become rows of d numbers and a target. Learned by gather_preprocessing, stored with a model.
struct Preprocessing {
  std::vector<InputColumn> inputs;
  std::size_t columns = 0;  ///< of the file it was learned from
  std::string target = {};
  std::size_t target_position = 0;  ///< `columns` where there is none: components may do without
  bool impute = false;              ///< missing values are filled in; else they are refused
  std::vector<double> mean, scale;  ///< d numbers each: x becomes (x - mean) / scale; 0 and 1 leave it as it is
  Task task = Task::regression;
  /// What classes 0, 1, ... are called, in increasing order: words, or numbers where all of them are. Empty but for
  /// classification.
  std::vector<std::string> classes = {};
  bool number_classes = false;
  /// What the first line of the CSV file was that it was learned from: present or absent. by_content: it was no CSV
  /// file, or it is not known, as in models of versions that did not keep it.
  Header header = Header::by_content;

  std::size_t d() const { return mean.size(); }
  bool has_target() const { return target_position < columns; }
  bool operator==(const Preprocessing&) const = default;
};

/// Called with a part from 0 to 1 of what is being done.
using Progress = std::function<void(double share, std::string_view what)>;

struct GatheredPreprocessing;

struct PreprocessingRequest {
  std::string target = {};             ///< a name, or the number of a column from 1; empty: the label of the format
  std::string weight = {};             ///< the column of weights of rows, which is no input; empty: all weigh 1
  std::optional<Task> task = {};       ///< empty: by the target
  std::vector<std::string> drop = {};  ///< columns that are no inputs
  std::vector<std::string> categorical = {};  ///< columns of words, whatever they look like
  bool standardise = true;                    ///< columns of numbers get mean 0 and variance 1; constant ones scale 1
  bool impute = false;        ///< missing numbers become the mean of their column, missing words the most frequent one
  double holdout = 0;         ///< part of the rows that is not looked at (see is_held_out)
  std::size_t sample = 2000;  ///< rows; of more than 8388 columns, or d, as many as take 128 MiB, or 50
  std::uint64_t seed = 0;     ///< of the sample
  /// Called once all but the sample is known, before that takes memory; may throw.
  std::function<void(const GatheredPreprocessing&)> check = {};
};

struct GatheredPreprocessing {
  Preprocessing preprocessing;
  std::uint64_t rows = 0;      ///< that were looked at
  std::uint64_t held_out = 0;  ///< that were not
  Matrix<double> sample;       ///< at most request.sample of the rows looked at, in their order, ready for features
  std::string reason;          ///< why the task is what it is
  std::optional<std::size_t> weight = {};                        ///< the column of weights
  std::vector<double> sample_targets = {}, sample_weights = {};  ///< of the sample; empty where there are none
};

/// One pass over the rows, from the first: means and variances (Welford), categories, classes and a sample that depends
/// on the numbers of the rows and the seed alone; weights have no part in any of them. Throws std::invalid_argument for
/// columns that do not exist and files without rows or inputs, FileError for entries that cannot be and weights that
/// are negative, missing or all 0.
BOCHNER_EXPORT GatheredPreprocessing gather_preprocessing(RowSource& rows, const PreprocessingRequest& request,
                                                          const Progress& progress = {});

/// Whether row number `row` of a file belongs to the part `share` that tests: by a fixed hash of the number.
BOCHNER_EXPORT bool is_held_out(std::uint64_t row, double share);

/// Rows of a file as a model wants them. Columns are found by name where both have names, else by position, with or
/// without the target in its place, which in a file with a label is that; a category or class that the model does not
/// know is FileError.
class BOCHNER_EXPORT PreparedRows {
 public:
  /// Both must outlive this. Without `with_target` a target in the file is not looked at. With `single`, prepared
  /// numbers that float does not hold are FileError. `weight` is the column of weights in this file.
  PreparedRows(const Preprocessing& preprocessing, RowSource& rows, bool with_target, bool single = false,
               std::optional<std::size_t> weight = {});
  ~PreparedRows();

  /// X has d columns; y, as long as X has rows, gets numbers or numbers of classes, `weights` weights. Returns how many
  /// rows; fewer than X has only at the end.
  std::size_t next(MatrixView<double> X, std::span<double> y = {}, std::span<double> weights = {});
  void rewind();
  const RowSource& reader() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// How a file must be read for a model. The number of inputs of a LIBSVM file is that of the model. by_content: the
/// first line of a CSV file is a header where it has the names of all inputs. Else it is what it was in the file of the
/// model, and FileError asks where it looks otherwise: no names where there were some, or no number in a column of
/// numbers. A model that does not know leaves it to the rule of Header. The options point to `preprocessing`, which
/// must live until the file is open.
BOCHNER_EXPORT ReadOptions read_options(const Preprocessing& preprocessing, Header header = Header::by_content);

}  // namespace bochner
