// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bochner/row_source.h"
#include "core/errors.h"
#include "data/atomic_file.h"
#include "data/csv_writer.h"
#include "data/file_error.h"
#include "data/format.h"
#include "data/npy_header.h"

namespace bochner {

namespace {

/// The place to which CSV text is written.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void write(std::string_view text) = 0;
  virtual void commit() = 0;
};

class FileSink final : public Sink {
 public:
  explicit FileSink(const std::filesystem::path& file) : file_(file) {}
  void write(std::string_view text) override { file_.write(text); }
  void commit() override { file_.commit(); }

 private:
  data::AtomicFile file_;
};

class StreamSink final : public Sink {
 public:
  explicit StreamSink(std::ostream& stream) : stream_(stream) {}
  void write(std::string_view text) override {
    text_ += text;
    if (text_.size() > kFlushBytes) commit();
  }
  void commit() override {
    stream_ << text_;
    text_.clear();
  }

 private:
  static constexpr std::size_t kFlushBytes = std::size_t{1} << 20;
  std::ostream& stream_;
  std::string text_;
};

}  // namespace

class RowWriter::Format {
 public:
  Format(const std::filesystem::path& file, std::vector<Column> columns, bool single)
      : path_(file), columns_(std::move(columns)), single_(single) {}
  virtual ~Format() = default;

  virtual void write(MatrixView<const double> rows) = 0;
  virtual void commit() = 0;

  void write_checked(MatrixView<const double> rows) {
    if (rows.cols() != columns_.size())
      refuse("rows", fmt::format("{} columns", rows.cols()), fmt::format("{}", columns_.size()));
    write(rows);
    rows_ += rows.rows();
  }

 protected:
  std::filesystem::path path_;
  std::vector<Column> columns_;
  bool single_;
  std::size_t rows_ = 0;
};

class RowWriter::Csv final : public Format {
 public:
  Csv(std::unique_ptr<Sink> out, const std::filesystem::path& file, std::vector<Column> columns, bool single)
      : Format(file, std::move(columns), single), out_(std::move(out)) {
    std::vector<std::string> names;
    for (const Column& column : columns_) names.push_back(column.name);
    out_->write(data::header_line(file, names));
  }

  void write(MatrixView<const double> rows) override {
    std::string text;
    for (std::size_t i = 0; i < rows.rows(); ++i)
      for (std::size_t j = 0; j < rows.cols(); ++j) {
        const double value = rows(i, j);
        if (!columns_[j].words.empty())
          data::append_word(text, columns_[j].words.at(static_cast<std::size_t>(value)));
        else if (single_)
          data::append_number(text, static_cast<float>(value), path_, rows_ + i, j);
        else
          data::append_number(text, value, path_, rows_ + i, j);
        text += j + 1 == rows.cols() ? '\n' : ',';
      }
    out_->write(text);
  }
  void commit() override { out_->commit(); }

 private:
  std::unique_ptr<Sink> out_;
};

class RowWriter::Npy final : public Format {
 public:
  Npy(const std::filesystem::path& file, std::vector<Column> columns, bool single)
      : Format(file, std::move(columns), single), out_(file) {
    for (const Column& column : columns_)
      if (!column.words.empty())
        data::fail(file, fmt::format("the column {} holds words; NPY holds numbers only (use .csv)",
                                     data::shown(column.name)));
    out_.write(header(0));
  }

  void write(MatrixView<const double> rows) override {
    std::vector<float> singles(single_ ? rows.cols() : 0);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const auto row = rows.row(i);
      for (std::size_t j = 0; j < singles.size(); ++j) singles[j] = static_cast<float>(row[j]);
      const void* const bytes = single_ ? static_cast<const void*>(singles.data()) : row.data();
      pending_.append(static_cast<const char*>(bytes), row.size() * (single_ ? sizeof(float) : sizeof(double)));
    }
    out_.write(pending_);
    pending_.clear();
  }
  /// The number of rows is known only now. For every 64-bit number of rows the header is padded to the same 128 bytes.
  void commit() override {
    out_.write_over(0, header(rows_));
    out_.commit();
  }

 private:
  std::string header(std::size_t rows) const {
    return data::format_npy_header(single_ ? "<f4" : "<f8", std::array<std::size_t, 2>{rows, columns_.size()});
  }
  data::AtomicFile out_;
  std::string pending_;
};

RowWriter::RowWriter(const std::filesystem::path& file, std::vector<Column> columns, bool single) {
  check_output(file, columns.size());
  if (data::writable_format(file).ending == ".npy")
    format_ = std::make_unique<Npy>(file, std::move(columns), single);
  else
    format_ = std::make_unique<Csv>(std::make_unique<FileSink>(file), file, std::move(columns), single);
}

RowWriter::RowWriter(std::ostream& stream, const std::string& name, std::vector<Column> columns)
    : format_(std::make_unique<Csv>(std::make_unique<StreamSink>(stream), name, std::move(columns), false)) {}

RowWriter::~RowWriter() = default;

void RowWriter::write(MatrixView<const double> rows) { format_->write_checked(rows); }

void RowWriter::commit() { format_->commit(); }

}  // namespace bochner
