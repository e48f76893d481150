// SPDX-License-Identifier: Apache-2.0
#include "data/gzip_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>

#include "data/file_error.h"

namespace bochner::data {

namespace {

constexpr unsigned kBufferBytes = 1U << 18;
/// gzread counts in int.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

}  // namespace

GzipSource::GzipSource(const std::filesystem::path& path) : file_(path) {
  char magic[2] = {};
  // zlib would pass on, as they are, bytes that do not begin so.
  if (file_.read(magic) != 2 || magic[0] != '\x1f' || magic[1] != '\x8b')
    fail_byte(path, 0, "not gzip data; expected what gzip wrote, or a name without .gz");
  file_.rewind();
  const int descriptor = ::fcntl(file_.descriptor(), F_DUPFD_CLOEXEC, 0);
  if (descriptor < 0) fail_errno(path, "cannot be read", errno);
  stream_ = ::gzdopen(descriptor, "rb");
  if (stream_ == nullptr) {
    ::close(descriptor);
    fail(path, "cannot be decompressed: not enough memory");
  }
  ::gzbuffer(stream_, kBufferBytes);
}

GzipSource::~GzipSource() {
  if (stream_ != nullptr) ::gzclose(stream_);
}

std::size_t GzipSource::read(std::span<char> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const int got =
        ::gzread(stream_, out.data() + done, static_cast<unsigned>(std::min(out.size() - done, kMostBytes)));
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  if (done == out.size()) return done;
  int code = Z_OK;
  const char* const reason = ::gzerror(stream_, &code);
  if (code == Z_BUF_ERROR) fail_byte(path(), file_.size().value(), "the file ends inside its compressed data");
  if (code != Z_OK && code != Z_STREAM_END)
    fail_byte(path(), static_cast<std::uint64_t>(std::max<z_off_t>(::gzoffset(stream_), 0)),
              fmt::format("the compressed data are damaged ({})", reason));
  return done;
}

void GzipSource::rewind() {
  if (::gzrewind(stream_) != 0) fail(path(), "cannot be read a second time");
}

double GzipSource::share() const {
  const auto whole = static_cast<double>(std::max<std::uint64_t>(file_.size().value(), 1));
  return std::clamp(static_cast<double>(::gzoffset(stream_)) / whole, 0.0, 1.0);
}

}  // namespace bochner::data
