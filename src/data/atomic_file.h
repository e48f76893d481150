// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace bochner::data {

/// Throws FileError for a target in a missing folder, or one that exists and is not a plain file.
void check_target(const std::filesystem::path& target);

/// A file that appears whole or not at all: it is written under a temporary name in the folder of the target (a rename
/// across file systems is not atomic), flushed to disk and renamed. Until commit() returns, the target is what it was.
/// A temporary file that is not committed is removed, also by abandon_files(); one whose process was killed is removed
/// by the next file written into the folder. A target that is a link stays one, and the file that it names is replaced.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  /// Writes over bytes that were written before, from byte `offset`.
  void write_over(std::uint64_t offset, std::string_view bytes);
  void commit();

 private:
  void open_temporary();
  void keep_mode();
  void discard();

  std::filesystem::path named_;   ///< the name that the caller gave, for messages
  std::filesystem::path target_;  ///< named_ with links resolved
  std::filesystem::path temporary_;
  int descriptor_ = -1;
  std::size_t place_ = 0;  ///< place of the temporary name among those that abandon_files() removes
};

}  // namespace bochner::data
