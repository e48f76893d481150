// SPDX-License-Identifier: Apache-2.0
#include "data/npy_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "data/file_error.h"
#include "data/gzip_source.h"
#include "data/input_file.h"
#include "data/npy_layout.h"

namespace bochner::data {

static_assert(std::endian::native == std::endian::little, "payloads are read as they are");

namespace {

/// Fills `out` with the next numbers of type Stored, as Value, until the source ends; returns the number of bytes read.
template <class Stored, class Value>
std::size_t read_as(ByteSource& source, std::span<Value> out) {
  if constexpr (std::is_same_v<Stored, Value>) {
    return source.read({reinterpret_cast<char*>(out.data()), out.size_bytes()});
  } else {
    std::vector<Stored> piece(std::min<std::size_t>(out.size(), 1 << 15));
    std::size_t bytes = 0;
    for (std::size_t done = 0; done < out.size();) {
      const auto part = std::span(piece).first(std::min(piece.size(), out.size() - done));
      const std::size_t got = source.read({reinterpret_cast<char*>(part.data()), part.size_bytes()});
      bytes += got;
      if (got != part.size_bytes()) return bytes;
      std::ranges::transform(part, out.begin() + done, [](Stored value) { return static_cast<Value>(value); });
      done += part.size();
    }
    return bytes;
  }
}

std::size_t read_doubles(ByteSource& source, NpyNumber number, std::span<double> out) {
  switch (number) {
    case NpyNumber::float32:
      return read_as<float>(source, out);
    case NpyNumber::int32:
      return read_as<std::int32_t>(source, out);
    case NpyNumber::int64:
      return read_as<std::int64_t>(source, out);
    default:
      return read_as<double>(source, out);
  }
}

class NpyReader final : public RowSource {
 public:
  explicit NpyReader(const std::filesystem::path& path) : RowSource(path), source_(open_source(path)) {
    layout_ = read_npy_layout(*source_);
    kinds_.assign(layout_.cols, ColumnKind::number);
    single_ = layout_.number == NpyNumber::float32;
  }

  double share() const override { return source_->share(); }

  std::string place(std::size_t row, std::size_t column) const override {
    const std::uint64_t at = first_ + row;
    return fmt::format("{}, byte {} (row {}, column {})", path().string(), byte_of(at) + column * layout_.bytes, at,
                       column);
  }

 private:
  std::uint64_t byte_of(std::uint64_t row) const { return layout_.payload + row * layout_.cols * layout_.bytes; }

  std::size_t read_block(MatrixView<double> block) override {
    first_ = rows();
    const std::size_t count = std::min<std::uint64_t>(block.rows(), layout_.rows - first_);
    if (block.contiguous()) {
      read_rows({block.data(), count * layout_.cols}, first_);
    } else {
      for (std::size_t i = 0; i < count; ++i) read_rows(block.row(i), first_ + i);
    }
    for (std::size_t i = 0; i < count; ++i) zero_ignored(block.row(i));
    char more = 0;
    if (count < block.rows() && source_->read({&more, 1}) != 0)
      fail_byte(path(), byte_of(layout_.rows), "more bytes after the last number; expected the end of the file");
    return count;
  }

  void read_rows(std::span<double> out, std::uint64_t row) {
    const std::size_t got = read_doubles(*source_, layout_.number, out);
    if (got != out.size() * layout_.bytes)
      fail_byte(path(), byte_of(row) + got,
                fmt::format("the file ends in row {} of {}", row + got / (layout_.cols * layout_.bytes), layout_.rows));
  }

  void zero_ignored(std::span<double> row) const {
    for (std::size_t j = 0; j < row.size(); ++j)
      if (kinds_[j] == ColumnKind::ignored) row[j] = 0;
  }

  void start_again() override {
    source_->rewind();
    layout_ = read_npy_layout(*source_);
  }

  std::unique_ptr<ByteSource> source_;
  NpyLayout layout_;
  std::uint64_t first_ = 0;  ///< row of the file at which the last block begins
};

template <class Stored, class Value>
Table read_values(InputFile& file, const NpyLayout& layout) {
  Matrix<Value> values(layout.rows, layout.cols);
  const std::size_t count = layout.rows * layout.cols;
  if (read_as<Stored, Value>(file, {values.data(), count}) != count * sizeof(Stored))
    fail(file.path(), "became shorter while it was read");
  return Table{std::move(values), {}};
}

}  // namespace

Table read_npy(const std::filesystem::path& path) {
  InputFile file(path);
  const NpyLayout layout = read_npy_layout(file);
  switch (layout.number) {
    case NpyNumber::float32:
      return read_values<float, float>(file, layout);
    case NpyNumber::int32:
      return read_values<std::int32_t, double>(file, layout);
    case NpyNumber::int64:
      return read_values<std::int64_t, double>(file, layout);
    default:
      return read_values<double, double>(file, layout);
  }
}

std::unique_ptr<RowSource> open_npy(const std::filesystem::path& file, const ReadOptions&) {
  return std::make_unique<NpyReader>(file);
}

}  // namespace bochner::data
