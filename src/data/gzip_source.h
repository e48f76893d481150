// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data/byte_source.h"
#include "data/input_file.h"

struct gzFile_s;  // of zlib

namespace bochner::data {

/// What a gzip file holds, decompressed through one buffer of 256 KiB; members that follow each other are one stream.
/// Data that are not gzip, damaged or cut off are refused with FileError.
class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(const std::filesystem::path& path);
  ~GzipSource() override;
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  const std::filesystem::path& path() const override { return file_.path(); }
  std::size_t read(std::span<char> out) override;
  void rewind() override;
  std::optional<std::uint64_t> size() const override { return std::nullopt; }
  double share() const override;

 private:
  InputFile file_;
  ::gzFile_s* stream_ = nullptr;
};

}  // namespace bochner::data
