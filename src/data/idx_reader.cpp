// SPDX-License-Identifier: Apache-2.0
#include "data/idx_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "data/file_error.h"
#include "data/gzip_source.h"
#include "data/limits.h"

namespace bochner::data {

namespace {

constexpr std::size_t kMostDimensions = 4;

/// One idx file of bytes, read row by row.
class IdxFile {
 public:
  explicit IdxFile(const std::filesystem::path& path) : source_(open_source(path)) { read_header(); }

  void rewind() {
    source_->rewind();
    read_header();
  }
  void read_row(std::uint64_t row, std::span<double> out) {
    bytes_.resize(cols_);
    if (source_->read(bytes_) != cols_)
      fail_byte(source_->path(), byte_of(row), fmt::format("the file ends before row {} of {}", row, rows_));
    std::ranges::transform(bytes_, out.begin(), [](char byte) { return static_cast<unsigned char>(byte); });
  }
  void expect_end() {
    char more = 0;
    if (source_->read({&more, 1}) != 0)
      fail_byte(source_->path(), byte_of(rows_), "more bytes after the last row; expected the end of the file");
  }

  const std::filesystem::path& path() const { return source_->path(); }
  std::uint64_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::uint64_t byte_of(std::uint64_t row) const { return payload_ + row * cols_; }
  double share() const { return source_->share(); }

 private:
  void read_header() {
    const std::string magic = bytes_at(0, 4);
    const auto dimensions = static_cast<unsigned char>(magic[3]);
    if (magic[0] != 0 || magic[1] != 0) fail_byte(path(), 0, "not an idx file; expected two bytes 0");
    if (magic[2] != 8)
      fail_byte(path(), 2,
                fmt::format("the type 0x{:02x}; expected 0x08, unsigned bytes", static_cast<unsigned char>(magic[2])));
    if (dimensions < 1 || dimensions > kMostDimensions)
      fail_byte(path(), 3, fmt::format("{} dimensions; expected 1 to {}", dimensions, kMostDimensions));
    payload_ = 4 + 4 * std::uint64_t{dimensions};
    std::uint64_t cols = 1;
    for (std::size_t k = 0; k < dimensions; ++k) {
      std::uint64_t size = 0;
      for (const char byte : bytes_at(4 + 4 * k, 4)) size = size << 8 | static_cast<unsigned char>(byte);
      if (k == 0) rows_ = size;
      if (k > 0) cols *= size;
      if (cols == 0 || cols > kMaxColumns)
        fail_byte(path(), 4 + 4 * k, fmt::format("{} columns; expected 1 to {}", cols, kMaxColumns));
    }
    cols_ = static_cast<std::size_t>(cols);
    if (source_->size() && *source_->size() != byte_of(rows_))
      fail_byte(path(), payload_,
                fmt::format("{} rows of {} bytes need {} in all; the file has {}", rows_, cols_, byte_of(rows_),
                            *source_->size()));
  }

  std::string bytes_at(std::uint64_t first, std::size_t count) {
    std::string bytes(count, '\0');
    const std::size_t got = source_->read(bytes);
    if (got != count) fail_byte(path(), first + got, "the file ends inside its header");
    return bytes;
  }

  std::unique_ptr<ByteSource> source_;
  std::uint64_t rows_ = 0;
  std::size_t cols_ = 0;
  std::uint64_t payload_ = 0;
  std::vector<char> bytes_;
};

/// Where the labels of a file of images would be; the file itself if its name does not say "images".
std::filesystem::path labels_of(const std::filesystem::path& path) {
  std::string name = path.filename().string();
  const auto put = [&](std::string_view old, std::string_view fresh) {
    if (const std::size_t at = name.rfind(old); at != name.npos) name.replace(at, old.size(), fresh);
  };
  if (name.find("images") == name.npos) return path;
  put("images", "labels");
  put("idx3", "idx1");
  return path.parent_path() / name;
}

class IdxReader final : public RowSource {
 public:
  explicit IdxReader(const std::filesystem::path& path) : RowSource(path), images_(path) {
    const std::filesystem::path beside = labels_of(path);
    std::error_code ignored;
    if (beside != path && std::filesystem::exists(beside, ignored)) labels_ = std::make_unique<IdxFile>(beside);
    if (labels_ && (labels_->cols() != 1 || labels_->rows() != images_.rows()))
      fail_byte(beside, 4,
                fmt::format("{} x {} labels; expected one for each of {} images", labels_->rows(), labels_->cols(),
                            images_.rows()));
    if (labels_ || images_.cols() == 1) label_ = 0;
    kinds_.assign(images_.cols() + (labels_ ? 1 : 0), ColumnKind::number);
  }

  double share() const override { return images_.share(); }

  std::string place(std::size_t row, std::size_t column) const override {
    const std::uint64_t at = first_ + row;
    const bool of_label = labels_ && column == 0;
    const IdxFile& file = of_label ? *labels_ : images_;
    return fmt::format("{}, byte {}", file.path().string(), file.byte_of(at) + (of_label ? 0 : column - !!labels_));
  }

 private:
  std::size_t read_block(MatrixView<double> block) override {
    first_ = rows();
    const std::size_t count = std::min<std::uint64_t>(block.rows(), images_.rows() - first_);
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<double> row = block.row(i);
      if (labels_) labels_->read_row(first_ + i, row.first(1));
      images_.read_row(first_ + i, row.subspan(labels_ ? 1 : 0));
      for (std::size_t j = 0; j < row.size(); ++j)
        if (kinds_[j] == ColumnKind::ignored) row[j] = 0;
    }
    if (count < block.rows()) {
      images_.expect_end();
      if (labels_) labels_->expect_end();
    }
    return count;
  }

  void start_again() override {
    images_.rewind();
    if (labels_) labels_->rewind();
  }

  IdxFile images_;
  std::unique_ptr<IdxFile> labels_;
  std::uint64_t first_ = 0;  ///< row of the file at which the last block begins
};

}  // namespace

std::unique_ptr<RowSource> open_idx(const std::filesystem::path& file, const ReadOptions&) {
  return std::make_unique<IdxReader>(file);
}

}  // namespace bochner::data
