// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bochner/export.h"
#include "bochner/matrix.h"

namespace bochner {

/// A file that cannot be read or written. what() is one sentence that names the file, the line or byte, and what was
/// expected.
class BOCHNER_EXPORT FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Whether the first line of a CSV file is its header. With by_content, it is one if none of its cells is a number and
/// at least one is a name, and it is a row if all of them are numbers (or missing). A line with both, such as
/// "country,1995,1996", throws FileError, since it may be either.
enum class Header { by_content, present, absent };

/// Numbers read from a file, in the precision of the file (CSV: double).
struct Table {
  std::variant<Matrix<double>, Matrix<float>> values;
  std::vector<std::string> columns;  ///< header names; empty when the file has none
};

/// Reads a matrix of numbers by extension: .csv (optional header, RFC 4180 quotes), .npy (1-2 dimensions, C order, <f4
/// <f8 <i4 <i8; a vector of n numbers is n x 1, integers become the nearest double), and the other formats of open_rows
/// in row_source.h.
BOCHNER_EXPORT Table read_table(const std::filesystem::path& file, Header header = Header::by_content);

/// Throws FileError where write_table of a table with that many columns would certainly fail: an unknown extension, a
/// missing folder, something other than a file in its place, or too many columns. Lets a long computation fail before
/// it starts. Writes nothing.
BOCHNER_EXPORT void check_output(const std::filesystem::path& file, std::size_t columns = 1);

/// Writes by extension (.csv or .npy) under a temporary name in the same folder, flushes, then renames: the named file
/// is the old one or the new one, never a part. CSV numbers read back to the same bits (float: after rounding to
/// float). CSV holds finite numbers only, and a table without rows needs column names. NPY does not keep names.
BOCHNER_EXPORT void write_table(const std::filesystem::path& file, const Table& table);

/// Writes any bytes in the same way.
BOCHNER_EXPORT void write_bytes(const std::filesystem::path& file, std::string_view bytes);

/// Removes the temporary files of everything that this process is writing, in any thread: the last call of a signal
/// handler before it ends the process by _exit(). It may interrupt anything (async-signal-safe). A thread that begins
/// or completes a file after this call waits for the end of the process. The library installs no handlers.
BOCHNER_EXPORT void abandon_files() noexcept;

}  // namespace bochner
