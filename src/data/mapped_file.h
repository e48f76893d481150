// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data/byte_source.h"
#include "data/input_file.h"

namespace bochner::data {

/// A plain file by memory map. Pages that were read are given back every few MiB, so that a file of any length takes no
/// more memory than that. A file that became shorter since it was opened is refused before it is touched.
class MappedFile final : public ByteSource {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile() override;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::filesystem::path& path() const override { return file_.path(); }
  std::size_t read(std::span<char> out) override;
  void rewind() override;
  std::optional<std::uint64_t> size() const override { return file_.size(); }
  double share() const override;

 private:
  void release_behind();

  InputFile file_;
  char* bytes_ = nullptr;
  std::size_t length_ = 0;
  std::size_t position_ = 0;
  std::size_t released_ = 0;
};

}  // namespace bochner::data
