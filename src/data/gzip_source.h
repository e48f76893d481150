// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "data/byte_source.h"
#include "data/input_file.h"

struct z_stream_s;  // of zlib

namespace bochner::data {

/// The contents of a gzip file (RFC 1952), decompressed through one buffer of 256 KiB; members that follow each other
/// are one stream. Data that are not gzip, damaged, cut off or followed by something else throw FileError.
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
  struct End {
    void operator()(::z_stream_s* stream) const;
  };
  /// Reads until at least two bytes are waiting, if the file has them.
  void refill();
  /// Refuses anything but the beginning of a member.
  void expect_member();
  std::uint64_t position() const;

  InputFile file_;
  std::vector<char> buffer_;
  std::unique_ptr<::z_stream_s, End> stream_;
  std::uint64_t done_ = 0;  ///< bytes of the file read so far
  bool inside_ = false;     ///< a member has begun and has not ended
};

/// Whether the name ends in .gz, in any case.
bool is_gzip_name(const std::filesystem::path& path);

/// The file as it is, or decompressed if its name ends in .gz.
std::unique_ptr<ByteSource> open_source(const std::filesystem::path& path);

}  // namespace bochner::data
