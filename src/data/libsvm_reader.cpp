// SPDX-License-Identifier: Apache-2.0
#include "data/libsvm_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "data/csv_cell.h"
#include "data/file_error.h"
#include "data/gzip_source.h"
#include "data/limits.h"
#include "data/token_scanner.h"

namespace bochner::data {

namespace {

constexpr std::uint64_t kMostIndex = (std::uint64_t{1} << 31) - 1;

class LibsvmReader final : public RowSource {
 public:
  LibsvmReader(const std::filesystem::path& path, const ReadOptions& options)
      : RowSource(path), source_(open_source(path)), inputs_(options.inputs) {
    scanner_.emplace(*source_);
    if (inputs_ == 0) count_inputs();
    kinds_.assign(inputs_ + 1, ColumnKind::number);
    label_ = 0;
  }

  double share() const override { return source_->share(); }

  std::string place(std::size_t row, std::size_t column) const override {
    return fmt::format("{}, line {}, {}", path().string(), lines_.at(row),
                       column == 0 ? "label" : fmt::format("index {}", column));
  }

 private:
  /// Finds the largest index of the file.
  void count_inputs() {
    double label = 0;
    while (read_line(label, [this](std::size_t index, double) { inputs_ = std::max(inputs_, index); })) {
    }
    if (scanner_->line() == 1) fail(path(), "is empty; expected lines such as '1 3:0.5'");
    if (inputs_ == 0) fail(path(), "has no index:value; expected at least one");
    start_again();
  }

  void start_again() override {
    source_->rewind();
    scanner_.emplace(*source_);
  }

  std::size_t read_block(MatrixView<double> block) override {
    lines_.clear();
    while (lines_.size() < block.rows()) {
      const std::span<double> row = block.row(lines_.size());
      std::ranges::fill(row, 0.0);
      const auto put = [&](std::size_t index, double value) {
        if (index >= row.size())
          scanner_->fail_line(fmt::format("the index {}; expected at most {}", index, row.size() - 1));
        if (kinds_[index] != ColumnKind::ignored) row[index] = value;
      };
      double label = 0;
      if (!read_line(label, put)) break;
      if (kinds_[0] != ColumnKind::ignored) row[0] = label;
      lines_.push_back(scanner_->line());
    }
    return lines_.size();
  }

  /// Calls put(index, value) for the entries of the next line; false at the end of the file.
  template <class Put>
  bool read_line(double& label, Put put) {
    std::string_view word;
    if (!scanner_->next_line()) return false;
    if (!scanner_->next(word)) return expect_end_of_file(scanner_->line());
    label = label_of(word);
    std::uint64_t before = 0;
    while (scanner_->next(word)) {
      const std::size_t colon = word.find(':');
      if (word.starts_with('#')) scanner_->fail_line("a comment; expected none");
      if (colon == word.npos) scanner_->fail_line(fmt::format("{} has no colon; expected index:value", shown(word)));
      const std::uint64_t index = index_of(word, word.substr(0, colon));
      if (index == before) scanner_->fail_line(fmt::format("the index {} stands twice", index));
      if (index < before)
        scanner_->fail_line(fmt::format("the index {} after {}; expected increasing ones", index, before));
      put(static_cast<std::size_t>(index), number_of(word, word.substr(colon + 1)));
      before = index;
    }
    return true;
  }

  bool expect_end_of_file(std::size_t blank_line) {
    std::string_view word;
    while (scanner_->next_line())
      if (scanner_->next(word)) fail_at(path(), blank_line, 0, "the line is empty; expected a label");
    return false;
  }

  double label_of(std::string_view word) const {
    if (word.starts_with('#')) scanner_->fail_line("a comment; expected none");
    if (word.find(':') != word.npos)
      scanner_->fail_line(fmt::format("{} where the label should be; expected a number first", shown(word)));
    if (word.find(',') != word.npos)
      scanner_->fail_line(fmt::format("{} is a list of labels; expected one number", shown(word)));
    return number_of("the label", word);
  }

  std::uint64_t index_of(std::string_view word, std::string_view digits) const {
    if (digits == "qid") scanner_->fail_line("a qid (query of a ranking problem); expected index:value only");
    if (digits.starts_with('-')) scanner_->fail_line(fmt::format("{} has a negative index", shown(word)));
    std::uint64_t index = 0;
    const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (error == std::errc::result_out_of_range || (error == std::errc() && index > kMostIndex))
      scanner_->fail_line(fmt::format("{} has an index beyond 2^31 - 1", shown(word)));
    if (error != std::errc() || rest != digits.data() + digits.size())
      scanner_->fail_line(fmt::format("{} has no whole number before the colon", shown(word)));
    if (index == 0) scanner_->fail_line("the index 0; expected indices from 1");
    if (index >= kMaxColumns)
      scanner_->fail_line(fmt::format("the index {}; expected at most {} (rows become dense)", index, kMaxColumns - 1));
    return index;
  }

  double number_of(std::string_view what, std::string_view text) const {
    double value = 0;
    if (text.empty()) scanner_->fail_line(fmt::format("{} has no value after the colon", shown(what)));
    const CellKind kind = parse_number(text, value);
    if (kind != CellKind::finite) scanner_->fail_line(refusal(text, kind));
    return value;
  }

  std::unique_ptr<ByteSource> source_;
  std::optional<TokenScanner> scanner_;
  std::size_t inputs_;
  std::vector<std::size_t> lines_;  ///< lines of the rows of the last block
};

}  // namespace

std::unique_ptr<RowSource> open_libsvm(const std::filesystem::path& file, const ReadOptions& options) {
  return std::make_unique<LibsvmReader>(file, options);
}

}  // namespace bochner::data
