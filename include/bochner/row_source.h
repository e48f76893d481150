// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bochner/export.h"
#include "bochner/matrix_view.h"
#include "bochner/table.h"

namespace bochner {

/// undecided  by the first cell that is not missing: a number, or a word where words are allowed; words are refused at
///            the end of the file, in a message that names that cell, where more than half of the cells that are not
///            missing are numbers
/// number     finite numbers
/// word       categories: a value is the number of its word in RowSource::words
/// ignored    not read; values are 0
enum class ColumnKind { undecided, number, word, ignored };

struct Preprocessing;

struct ReadOptions {
  Header header = Header::by_content;  ///< CSV
  /// CSV, by_content: decides whether the cells of the first line are names, for a file that is read for `model`
  /// (read_options). Called only by open_rows.
  bool (*is_header)(const Preprocessing& model, const std::filesystem::path& file,
                    std::span<const std::string> cells) = nullptr;
  const Preprocessing* model = nullptr;
  bool words = false;      ///< CSV: columns may hold words; else text is refused
  bool missing = false;    ///< CSV: empty cells, NA, N/A, NaN, null and ? are NaN; else they are refused
  std::size_t inputs = 0;  ///< LIBSVM: columns without the label; 0: the largest index, by one pass more
};

/// The rows of a file, block by block, as often as needed: memory does not grow with the length of the file. Numbers
/// are double (float and small integers exactly), missing ones NaN. Anything wrong with the file throws FileError,
/// which names the file and the line or byte.
class BOCHNER_EXPORT RowSource {
 public:
  virtual ~RowSource();
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::size_t columns() const { return kinds_.size(); }
  /// Empty if the file has no names.
  const std::vector<std::string>& names() const { return names_; }
  /// Moves the names to the caller; the source has none from then on. A million names take more memory than their
  /// numbers.
  std::vector<std::string> take_names() { return std::move(names_); }
  /// The column that the format itself calls the label: in LIBSVM, and in idx images with a file of labels.
  std::optional<std::size_t> label() const { return label_; }
  /// Whether the file stores float.
  bool single() const { return single_; }
  /// What the first line of the file is: present or absent; by_content in formats that have no header.
  Header header() const { return header_; }

  ColumnKind kind(std::size_t column) const { return kinds_[column]; }
  /// Sets what a column is, from the next row on. Throws std::invalid_argument for words in a format that has only
  /// numbers.
  void expect(std::size_t column, ColumnKind kind);
  /// The different words of a column in the part read so far, in the order of their first cells.
  std::span<const std::string> words(std::size_t column) const;

  /// Fills rows of `block`, which has columns() columns, and returns how many; fewer than `block` has only at the end.
  std::size_t next(MatrixView<double> block);
  /// Goes back to the first row; the kinds of the columns and their words stay.
  void rewind();
  /// Rows read since the beginning.
  std::uint64_t rows() const { return rows_; }
  /// The share of the file that was read, 0 to 1.
  virtual double share() const = 0;
  /// The place of an entry of the last block: "rows.csv, line 3, column 2".
  virtual std::string place(std::size_t row, std::size_t column) const = 0;

 protected:
  explicit RowSource(std::filesystem::path path);
  virtual std::size_t read_block(MatrixView<double> block) = 0;
  virtual void start_again() = 0;
  /// The number of a word in its column; the column is from then on one of words.
  std::size_t code_of(std::size_t column, std::string_view word);
  /// Whether `expect` was called for a column.
  bool expected(std::size_t column) const { return column < expected_.size() && expected_[column]; }

  std::vector<std::string> names_;
  std::vector<ColumnKind> kinds_;
  std::optional<std::size_t> label_;
  bool single_ = false;
  bool may_have_words_ = false;
  Header header_ = Header::by_content;

 private:
  struct Words;
  std::filesystem::path path_;
  std::vector<bool> expected_;
  std::vector<std::unique_ptr<Words>> words_;
  std::uint64_t rows_ = 0;
};

/// Opens a file by its extension, each of which may have .gz behind it: .csv; .npy; .svm, .libsvm or .svmlight; names
/// that end in -idx3-ubyte and the like (MNIST): images with the labels as their first column, from the file whose name
/// has "labels" in place of "images", if there is one.
BOCHNER_EXPORT std::unique_ptr<RowSource> open_rows(const std::filesystem::path& file, const ReadOptions& options = {});

/// Rows of a block whose numbers take about 8 MiB: at least 1, at most 8192.
BOCHNER_EXPORT std::size_t rows_per_block(std::size_t columns);

/// Writes rows one block after the other; the file appears at commit, whole, under its name, or not at all. For a
/// column with words, `write` takes the numbers of the words. CSV keeps names and words, NPY neither: what does not fit
/// throws FileError.
class BOCHNER_EXPORT RowWriter {
 public:
  struct Column {
    std::string name;
    std::vector<std::string> words = {};
  };
  RowWriter(const std::filesystem::path& file, std::vector<Column> columns, bool single = false);
  /// CSV to a stream, which gets a mebibyte at a time, and the rest at commit; messages call it `name`.
  RowWriter(std::ostream& stream, const std::string& name, std::vector<Column> columns);
  ~RowWriter();
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;

  void write(MatrixView<const double> rows);
  void commit();

 private:
  class Format;
  class Csv;
  class Npy;
  std::unique_ptr<Format> format_;
};

}  // namespace bochner
