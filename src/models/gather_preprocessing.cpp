// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "bochner/preprocessing.h"
#include "core/errors.h"
#include "core/row_hash.h"
#include "data/file_error.h"
#include "data/limits.h"
#include "learners/statistics/training_data.h"
#include "models/column_map.h"
#include "models/column_statistics.h"
#include "models/row_sample.h"

namespace bochner {

namespace {

constexpr std::array<std::string_view, 3> kTasks = {"regression", "classification", "components"};
constexpr std::uint64_t kHoldoutSalt = 0x6a09'e667'f3bc'c909;  // sqrt 2
/// More different numbers than this are not classes.
constexpr std::size_t kMostClasses = 1000;
/// A target of numbers is taken for classes if it has at most this many different values, all whole numbers, and on
/// average at least this many rows for each.
constexpr std::size_t kFewClasses = 10;

/// Finds a column by name, or by number from 1 if the file has no names.
std::size_t find_column(const RowSource& rows, const std::string& word, std::string_view what) {
  if (!rows.names().empty()) {
    const auto found = std::ranges::find(rows.names(), word);
    if (found != rows.names().end()) return static_cast<std::size_t>(found - rows.names().begin());
    const std::vector<std::string_view> known(rows.names().begin(),
                                              rows.names().begin() + std::min<std::size_t>(rows.names().size(), 20));
    refuse_name(what, word, known);
  }
  if (rows.label() && word == "label") return *rows.label();
  std::size_t number = 0;
  const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || rest != word.data() + word.size() || number < 1 || number > rows.columns())
    refuse(what, fmt::format("'{}'", word),
           fmt::format("a number from 1 to {}: {} has no column names", rows.columns(), rows.path().string()));
  return number - 1;
}

class Gatherer {
 public:
  Gatherer(RowSource& rows, const PreprocessingRequest& request)
      : rows_(rows), request_(request), sample_(data::sample_rows(request.sample, rows.columns()), request.seed) {
    if (!(request.holdout >= 0) || !(request.holdout < 1))
      refuse("holdout", fmt::format("{}", request.holdout), "a number >= 0 and < 1");
    find_target();
    find_weight();
    for (const std::string& word : request.drop) rows.expect(find_column(rows, word, "column"), ColumnKind::ignored);
    for (const std::string& word : request.categorical)
      rows.expect(find_column(rows, word, "column"), ColumnKind::word);
    for (const auto& [column, name] : {std::pair(target_, "the target"), std::pair(weight_, "the weight")})
      if (column && rows.kind(*column) == ColumnKind::ignored) refuse("drop", name, "other columns");
    // No target is needed if nothing is predicted.
    if (target_ && !predicts()) rows.expect(*target_, ColumnKind::ignored);
    if (weight_) rows.expect(*weight_, ColumnKind::number);
  }

  GatheredPreprocessing gather(const Progress& progress) {
    pass(progress);
    if (result_.rows == 0)
      data::fail(rows_.path(),
                 result_.held_out == 0 ? "has no rows; expected at least one" : "has no rows beside those held out");
    fill_inputs();
    if (result_.preprocessing.inputs.empty())
      data::fail(rows_.path(), "has no column beside the target (and weights); expected at least one input");
    if (weight_ && heaviest_ < kLeastHeaviest)
      data::fail(rows_.path(), fmt::format("column {} has no weight {}; expected one at least", *weight_ + 1,
                                           heaviest_ == 0 ? "> 0" : fmt::format("of {} or more", kLeastHeaviest)));
    result_.weight = weight_;
    if (target_) name_target();
    if (predicts())
      fill_target();
    else
      result_.reason = "principal components; nothing is predicted";
    if (request_.check) request_.check(result_);
    map_sample();
    return std::move(result_);
  }

 private:
  bool predicts() const { return request_.task != Task::components; }

  void find_target() {
    result_.preprocessing.task = request_.task.value_or(Task::regression);
    result_.preprocessing.target_position = rows_.columns();
    if (request_.target.empty() && !rows_.label() && !predicts()) return;
    if (request_.target.empty() && !rows_.label())
      throw std::invalid_argument(
          fmt::format("{} needs a target: the name of a column, or its number", rows_.path().string()));
    target_ = request_.target.empty() ? *rows_.label() : find_column(rows_, request_.target, "target");
    if (rows_.label() && target_ != *rows_.label())
      refuse("target", fmt::format("'{}'", request_.target),
             fmt::format("'label', or none: {} has a label", rows_.path().string()));
  }

  void find_weight() {
    if (request_.weight.empty()) return;
    weight_ = find_column(rows_, request_.weight, "weight");
    if (weight_ == target_) refuse("weight", fmt::format("'{}'", request_.weight), "another column than the target");
  }

  void pass(const Progress& progress) {
    rows_.rewind();
    statistics_.resize(rows_.columns());
    Matrix<double> block(rows_per_block(rows_.columns()), rows_.columns());
    std::uint64_t number = 0;
    while (const std::size_t count = rows_.next(block)) {
      for (std::size_t i = 0; i < count; ++i, ++number) {
        if (predicts()) add_target(block(i, *target_), i);
        const double weight = weight_ ? checked_weight(block(i, *weight_), i) : 1;
        if (is_held_out(number, request_.holdout)) {
          ++result_.held_out;
          continue;
        }
        heaviest_ = std::max(heaviest_, weight);
        add(block.view().row(i), i);
        sample_.add(number, block.view().row(i));
        ++result_.rows;
      }
      if (progress) progress(rows_.share(), "looking at the rows");
      if (count < block.rows()) break;
    }
  }

  void add(std::span<const double> row, std::size_t i) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      const double value = row[j];
      if (rows_.kind(j) == ColumnKind::ignored) continue;
      if (std::isnan(value) && request_.impute) {
        statistics_[j].add_missing();
        continue;
      }
      if (!std::isfinite(value))
        throw FileError(fmt::format("{}: {}; expected a finite number", rows_.place(i, j), value));
      if (rows_.kind(j) == ColumnKind::word)
        statistics_[j].add_word(value);
      else
        statistics_[j].add_number(value);
    }
  }

  double checked_weight(double value, std::size_t i) const {
    if (!(value >= 0) || !std::isfinite(value))
      throw FileError(fmt::format("{}: the weight is {}; expected a finite number >= 0", rows_.place(i, *weight_),
                                  std::isnan(value) ? "missing" : fmt::format("{}", value)));
    if (value > kMostWeight)
      throw FileError(fmt::format("{}: the weight is {}; expected a number of at most {}", rows_.place(i, *weight_),
                                  value, kMostWeight));
    return value;
  }

  /// Called for held-out rows too: their classes are classes as well.
  void add_target(double value, std::size_t i) {
    if (!std::isfinite(value))
      throw FileError(
          fmt::format("{}: the target is {}", rows_.place(i, *target_), std::isnan(value) ? "missing" : "not finite"));
    if (std::abs(value) > data::kMostTarget && huge_.empty())
      huge_ = fmt::format("{}: {}", rows_.place(i, *target_), data::huge_target(value));
    if (values_.size() <= kMostClasses) values_.insert(value);
  }

  void fill_inputs() {
    Preprocessing& made = result_.preprocessing;
    made.columns = rows_.columns();
    made.impute = request_.impute;
    made.header = rows_.header();
    for (std::size_t j = 0; j < rows_.columns(); ++j) {
      if (j == target_ || j == weight_ || rows_.kind(j) == ColumnKind::ignored) continue;
      InputColumn input{.name = rows_.names().empty() ? "" : rows_.names()[j], .position = j};
      if (statistics_[j].count() == 0)
        data::fail(rows_.path(), fmt::format("column {} has missing values only; leave it out", j + 1));
      if (rows_.kind(j) == ColumnKind::word) {
        fill_categories(input);
      } else {
        input.fill = statistics_[j].mean();
        made.mean.push_back(request_.standardise ? statistics_[j].mean() : 0);
        made.scale.push_back(request_.standardise ? statistics_[j].scale() : 1);
      }
      made.inputs.push_back(std::move(input));
    }
  }

  /// Words that occur only in held-out rows are categories too.
  void fill_categories(InputColumn& input) {
    const auto words = rows_.words(input.position);
    const auto& counts = statistics_[input.position].words();
    std::map<std::string, std::uint64_t> seen;
    for (std::size_t code = 0; code < words.size(); ++code)
      seen.emplace(words[code], code < counts.size() ? counts[code] : 0);
    std::uint64_t most = 0;
    for (const auto& [word, count] : seen) {
      if (count > most) input.fill = static_cast<double>(input.categories.size());
      most = std::max(most, count);
      input.categories.push_back(word);
      result_.preprocessing.mean.push_back(0);
      result_.preprocessing.scale.push_back(1);
    }
  }

  void name_target() {
    result_.preprocessing.target = rows_.names().empty() ? "" : rows_.names()[*target_];
    result_.preprocessing.target_position = *target_;
  }

  void fill_target() {
    Preprocessing& made = result_.preprocessing;
    const std::size_t target = *target_;
    const bool words = rows_.kind(target) == ColumnKind::word;
    made.task = request_.task.value_or(guess_task(words));
    if (request_.task) result_.reason = "as asked";
    if (made.task == Task::regression) {
      if (words)
        data::fail(rows_.path(), fmt::format("column {} holds words; expected numbers, since it is the target of a "
                                             "regression",
                                             target + 1));
      if (!huge_.empty()) throw FileError(huge_);
      return;
    }
    if (values_.size() > kMostClasses)
      data::fail(rows_.path(), fmt::format("column {} has more than {} different values; expected classes", target + 1,
                                           kMostClasses));
    made.number_classes = !words;
    for (const double value : values_)
      made.classes.push_back(words ? rows_.words(target)[static_cast<std::size_t>(value)] : fmt::format("{}", value));
    if (words) std::ranges::sort(made.classes);
    if (made.classes.size() < 2)
      data::fail(rows_.path(),
                 fmt::format("column {}, the target, is always {}{}", target + 1, data::shown(made.classes.front()),
                             words || request_.task ? "; expected at least two classes"
                                                    : ", which is taken for a class; expected at least "
                                                      "two of them, or the task 'regression'"));
  }

  Task guess_task(bool words) {
    const bool whole = std::ranges::all_of(values_, [](double value) { return value == std::floor(value); });
    const bool few = values_.size() <= kFewClasses && result_.rows >= kFewClasses * values_.size();
    const std::string seen = fmt::format("the target has {} different ", values_.size());
    if (words) result_.reason = fmt::format("the target has {} different words", values_.size());
    if (!words && whole && few) result_.reason = seen + "whole numbers";
    if (!result_.reason.empty()) return Task::classification;
    result_.reason = "the target has numbers that are many or not whole";
    return Task::regression;
  }

  void map_sample() {
    const Preprocessing& made = result_.preprocessing;
    std::vector<std::size_t> at;
    for (const InputColumn& input : made.inputs) at.push_back(input.position);
    data::ColumnMap map(made, rows_, std::move(at), predicts() ? target_ : std::nullopt);
    map.learn_words();
    sample_.shrink(data::sample_rows(request_.sample, made.d()));
    result_.sample = Matrix<double>(sample_.size(), made.d());
    sample_.take([&](std::size_t i, std::span<const double> raw) {
      map.inputs(raw, i, result_.sample.view().row(i));
      if (predicts()) result_.sample_targets.push_back(map.target(raw, i));
      if (weight_) result_.sample_weights.push_back(raw[*weight_]);
    });
  }

  RowSource& rows_;
  const PreprocessingRequest& request_;
  std::optional<std::size_t> target_, weight_;
  double heaviest_ = 0;  ///< the largest weight of a row used
  std::vector<data::ColumnStatistics> statistics_;
  std::set<double> values_;  ///< of the target
  std::string huge_;         ///< the message for the first target that is too large for a regression
  data::RowSample sample_;
  GatheredPreprocessing result_;
};

}  // namespace

std::span<const std::string_view> task_names() { return kTasks; }

bool is_held_out(std::uint64_t row, double share) {
  return static_cast<double>(row_hash(row, kHoldoutSalt) >> 11) * 0x1p-53 < share;
}

GatheredPreprocessing gather_preprocessing(RowSource& rows, const PreprocessingRequest& request,
                                           const Progress& progress) {
  return Gatherer(rows, request).gather(progress);
}

}  // namespace bochner
