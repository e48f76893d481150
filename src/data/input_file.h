// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "data/byte_source.h"

namespace bochner::data {

/// What a path holds when it is not a plain file ("a directory", "a pipe", ...); empty for a plain file. `mode` is
/// st_mode.
const char* kind_of_non_file(unsigned mode);

/// A regular file opened for reading. Directories, pipes, sockets and devices throw FileError: their size is unknown,
/// so nothing could be compared with it, and reading a pipe without a writer would wait for ever.
class InputFile final : public ByteSource {
 public:
  explicit InputFile(std::filesystem::path path);
  ~InputFile() override;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::filesystem::path& path() const override { return path_; }
  /// Size in bytes when the file was opened.
  std::optional<std::uint64_t> size() const override { return size_; }
  std::size_t read(std::span<char> out) override;
  void rewind() override;
  double share() const override;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::uint64_t done_ = 0;
};

}  // namespace bochner::data
