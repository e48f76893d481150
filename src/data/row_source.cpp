// SPDX-License-Identifier: Apache-2.0
#include "bochner/row_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

#include "core/errors.h"
#include "data/file_error.h"
#include "data/limits.h"

namespace bochner {

struct RowSource::Words {
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::vector<std::string> list;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> numbers;
};

RowSource::RowSource(std::filesystem::path path) : path_(std::move(path)) {}
RowSource::~RowSource() = default;

void RowSource::expect(std::size_t column, ColumnKind kind) {
  if (column >= columns())
    refuse("column", fmt::format("{}", column), fmt::format("below {}, the columns of the file", columns()));
  if (kind == ColumnKind::word && !may_have_words_)
    throw std::invalid_argument(
        fmt::format("{} has numbers only; column {} cannot hold words", path_.string(), column));
  kinds_[column] = kind;
  if (expected_.empty()) expected_.resize(columns());
  expected_[column] = true;
}

std::span<const std::string> RowSource::words(std::size_t column) const {
  if (column >= words_.size() || words_[column] == nullptr) return {};
  return words_[column]->list;
}

std::size_t RowSource::code_of(std::size_t column, std::string_view word) {
  if (words_.size() < columns()) words_.resize(columns());
  if (words_[column] == nullptr) words_[column] = std::make_unique<Words>();
  Words& words = *words_[column];
  if (const auto found = words.numbers.find(word); found != words.numbers.end()) return found->second;
  if (words.list.size() == data::kMaxCategories)
    data::fail(path_, fmt::format("column {} has more than {} different words; expected categories", column + 1,
                                  data::kMaxCategories));
  words.numbers.emplace(word, words.list.size());
  words.list.emplace_back(word);
  return words.list.size() - 1;
}

std::size_t RowSource::next(MatrixView<double> block) {
  if (block.cols() != columns())
    refuse("block", fmt::format("{} columns", block.cols()), fmt::format("{}, those of the file", columns()));
  const std::size_t count = block.rows() == 0 ? 0 : read_block(block);
  rows_ += count;
  return count;
}

void RowSource::rewind() {
  start_again();
  rows_ = 0;
}

std::size_t rows_per_block(std::size_t columns) {
  constexpr std::size_t kNumbers = std::size_t{1} << 20;
  return std::clamp<std::size_t>(kNumbers / std::max<std::size_t>(columns, 1), 1, 8192);
}

}  // namespace bochner
