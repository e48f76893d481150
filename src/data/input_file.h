// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace bochner::data {

/// What a path holds when it is not a plain file ("a directory", "a pipe", ...); empty for a plain file. `mode` is
/// st_mode.
const char* kind_of_non_file(unsigned mode);

/// A regular file opened for reading. Directories, pipes, sockets and devices are refused with FileError: their size is
/// unknown, so nothing could be compared with it, and a pipe without a writer would wait for ever.
class InputFile {
 public:
  explicit InputFile(std::filesystem::path path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Bytes at the time of opening.
  std::uint64_t size() const { return size_; }
  /// Fills `out` from the current position; fewer bytes are returned only at the end of the file.
  std::size_t read(std::span<char> out);

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace bochner::data
