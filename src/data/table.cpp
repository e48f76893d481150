// SPDX-License-Identifier: Apache-2.0
#include "bochner/table.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "core/available_memory.h"
#include "core/errors.h"
#include "data/atomic_file.h"
#include "data/file_error.h"
#include "data/format.h"
#include "data/gzip_source.h"
#include "data/limits.h"
#include "data/npy_reader.h"
#include "data/row_store.h"

namespace bochner {

namespace {

void check_names(const Table& table, std::size_t cols) {
  if (!table.columns.empty() && table.columns.size() != cols)
    refuse("the number of column names", std::to_string(table.columns.size()), fmt::format("0 or {}", cols));
}

Matrix<float> to_single(const Matrix<double>& values) {
  Matrix<float> out(values.rows(), values.cols());
  for (std::size_t i = 0; i < values.rows() * values.cols(); ++i) out.data()[i] = static_cast<float>(values.data()[i]);
  return out;
}

Table read_whole(RowSource& rows) {
  data::RowStore numbers;
  Matrix<double> block(rows_per_block(rows.columns()), rows.columns());
  const std::size_t most = memory_left() / sizeof(double) / 8 * 7;  // the rest is for everything else
  while (const std::size_t count = rows.next(block)) {
    // Twenty bytes of LIBSVM can ask for 8 MiB, and one byte of gzip for a thousand.
    if (numbers.size() + count * rows.columns() > most)
      data::fail(rows.path(),
                 fmt::format("has more than {} rows of {} columns; expected no more than {} MiB of memory hold",
                             most / rows.columns(), rows.columns(), most >> 17));
    for (std::size_t i = 0; i < count * rows.columns(); ++i) numbers.push(block.data()[i]);
    if (count < block.rows()) break;
  }
  block = {};
  Matrix<double> values = numbers.take(rows.columns());
  if (rows.single()) return {to_single(values), rows.take_names()};
  return {std::move(values), rows.take_names()};
}

}  // namespace

Table read_table(const std::filesystem::path& file, Header header) {
  const data::Format& format = data::readable_format(file);
  // The only format that gives its size in front: the matrix is filled in place.
  if (format.ending == ".npy" && !data::is_gzip_name(file)) return data::read_npy(file);
  return read_whole(*format.open(file, {.header = header}));
}

void check_output(const std::filesystem::path& file, std::size_t columns) {
  data::writable_format(file);
  if (columns == 0 || columns > data::kMaxColumns)
    data::fail(file, fmt::format("cannot hold {} columns; expected 1 to {}", columns, data::kMaxColumns));
  data::check_target(file);
}

void write_table(const std::filesystem::path& file, const Table& table) {
  const std::size_t cols = std::visit([](const auto& values) { return values.cols(); }, table.values);
  check_output(file, cols);
  check_names(table, cols);
  data::writable_format(file).write(file, table);
}

void write_bytes(const std::filesystem::path& file, std::string_view bytes) {
  data::AtomicFile out(file);
  out.write(bytes);
  out.commit();
}

}  // namespace bochner
