// SPDX-License-Identifier: Apache-2.0
#include "models/column_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "data/csv_cell.h"
#include "data/file_error.h"

namespace bochner::data {

namespace {

std::string list_of(const std::vector<std::string>& words) {
  constexpr std::size_t kShown = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(words.size(), kShown); ++i)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", shown(words[i]));
  return words.size() > kShown ? text + ", ..." : text;
}

/// The position of a word in a sorted list, or -1.
std::ptrdiff_t find_word(const std::vector<std::string>& sorted, const std::string& word) {
  const auto found = std::ranges::lower_bound(sorted, word);
  return found != sorted.end() && *found == word ? found - sorted.begin() : -1;
}

}  // namespace

std::string huge_target(double value) {
  return fmt::format("the target is {}; expected a number of at most {} in size, whose square is one too", value,
                     kMostTarget);
}

ColumnMap::ColumnMap(const Preprocessing& preprocessing, const RowSource& reader, std::vector<std::size_t> at,
                     std::optional<std::size_t> target, bool single)
    : preprocessing_(preprocessing),
      reader_(reader),
      at_(std::move(at)),
      target_(target),
      largest_(single ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max()) {
  const auto of_words = [](const InputColumn& input) { return !input.categories.empty(); };
  category_of_.resize(static_cast<std::size_t>(std::ranges::count_if(preprocessing.inputs, of_words)) + 1);
  for (std::size_t c = 0; preprocessing.number_classes && c < preprocessing.classes.size(); ++c) {
    double value = 0;
    parse_number(preprocessing.classes[c], value);
    class_of_.emplace(value, c);
  }
}

void ColumnMap::learn_words() {
  const auto learn = [&](std::vector<std::ptrdiff_t>& known, std::size_t column, const auto& sorted) {
    const auto words = reader_.words(column);
    while (known.size() < words.size()) known.push_back(find_word(sorted, words[known.size()]));
  };
  std::size_t next = 0;
  for (std::size_t j = 0; j < at_.size(); ++j)
    if (!preprocessing_.inputs[j].categories.empty())
      learn(category_of_[next++], at_[j], preprocessing_.inputs[j].categories);
  if (target_ && !preprocessing_.number_classes) learn(category_of_.back(), *target_, preprocessing_.classes);
}

void ColumnMap::refuse_value(std::size_t row, std::size_t column, const std::string& sentence) const {
  throw FileError(fmt::format("{}: {}", reader_.place(row, column), sentence));
}

void ColumnMap::inputs(std::span<const double> raw, std::size_t row, std::span<double> out) const {
  const auto& [mean, scale] = std::tie(preprocessing_.mean, preprocessing_.scale);
  std::size_t l = 0, next = 0;
  for (std::size_t j = 0; j < at_.size(); ++j) {
    const InputColumn& input = preprocessing_.inputs[j];
    double value = raw[at_[j]];
    const bool missing = std::isnan(value);
    if (!std::isfinite(value) && !(missing && preprocessing_.impute))
      refuse_value(row, at_[j], fmt::format("{}; expected a finite number", value));
    if (input.categories.empty()) {
      out[l] = ((missing ? input.fill : value) - mean[l]) / scale[l];
      if (!(std::abs(out[l]) <= largest_))
        refuse_value(row, at_[j],
                     fmt::format("{}{}; expected a number that {} holds", value,
                                 value == out[l] ? "" : fmt::format(" becomes {}", out[l]),
                                 largest_ < std::numeric_limits<double>::max() ? "float32" : "float64"));
      ++l;
      continue;
    }
    const std::vector<std::ptrdiff_t>& known = category_of_[next++];
    const std::ptrdiff_t category =
        missing ? static_cast<std::ptrdiff_t>(input.fill) : known[static_cast<std::size_t>(value)];
    if (category < 0)
      refuse_value(
          row, at_[j],
          fmt::format("{} is none of the categories of this column ({})",
                      shown(reader_.words(at_[j])[static_cast<std::size_t>(value)]), list_of(input.categories)));
    for (std::size_t c = 0; c < input.categories.size(); ++c, ++l)
      out[l] = ((c == static_cast<std::size_t>(category) ? 1.0 : 0.0) - mean[l]) / scale[l];
  }
}

double ColumnMap::target(std::span<const double> raw, std::size_t row) const {
  const double value = raw[*target_];
  if (!std::isfinite(value))
    refuse_value(row, *target_, fmt::format("the target is {}", std::isnan(value) ? "missing" : "not finite"));
  if (preprocessing_.task == Task::regression) {
    if (std::abs(value) > kMostTarget) refuse_value(row, *target_, huge_target(value));
    return value;
  }
  if (preprocessing_.number_classes) {
    const auto found = class_of_.find(value);
    if (found == class_of_.end())
      refuse_value(row, *target_,
                   fmt::format("{} is none of the classes ({})", value, list_of(preprocessing_.classes)));
    return static_cast<double>(found->second);
  }
  const auto code = static_cast<std::size_t>(value);
  const std::ptrdiff_t category = category_of_.back()[code];
  if (category < 0)
    refuse_value(row, *target_,
                 fmt::format("{} is none of the classes ({})", shown(reader_.words(*target_)[code]),
                             list_of(preprocessing_.classes)));
  return static_cast<double>(category);
}

}  // namespace bochner::data
