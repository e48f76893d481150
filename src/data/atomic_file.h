// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace bochner::data {

/// Refuses with FileError a target in a missing folder, or one that is there and is not a plain file.
void check_target(const std::filesystem::path& target);

/// A file that appears whole or not at all: written under a temporary name in the folder of the target (a rename across
/// file systems is not atomic), flushed to disk, renamed. Until commit() returns, the target is what it was; a
/// temporary that is not committed is removed, by abandon_files() too, and one whose process was killed by the next
/// file written into the folder. A target that is a link stays one, and the file it names is replaced.
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

  std::filesystem::path named_;   ///< what the caller said, for messages
  std::filesystem::path target_;  ///< named_ with links resolved
  std::filesystem::path temporary_;
  int descriptor_ = -1;
  std::size_t place_ = 0;  ///< of the temporary name among those that abandon_files() removes
};

}  // namespace bochner::data
