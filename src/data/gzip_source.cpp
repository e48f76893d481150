// SPDX-License-Identifier: Apache-2.0
#include "data/gzip_source.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "data/file_error.h"

namespace bochner::data {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;
/// zlib counts bytes in `unsigned`.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;
/// The largest window, and a header in the format of gzip.
constexpr int kGzipWindow = 15 + 16;

Bytef* bytes(char* text) { return reinterpret_cast<Bytef*>(text); }

}  // namespace

void GzipSource::End::operator()(::z_stream_s* stream) const {
  ::inflateEnd(stream);
  delete stream;
}

GzipSource::GzipSource(const std::filesystem::path& path) : file_(path), buffer_(kBufferBytes) {
  auto stream = std::make_unique<::z_stream_s>();
  if (::inflateInit2(stream.get(), kGzipWindow) != Z_OK) fail(path, "cannot be decompressed: not enough memory");
  stream->next_in = bytes(buffer_.data());
  stream_.reset(stream.release());
  refill();
  expect_member();
}

GzipSource::~GzipSource() = default;

std::uint64_t GzipSource::position() const { return done_ - stream_->avail_in; }

void GzipSource::refill() {
  if (stream_->avail_in >= 2) return;
  std::memmove(buffer_.data(), stream_->next_in, stream_->avail_in);
  const std::size_t got = file_.read(std::span(buffer_).subspan(stream_->avail_in));
  stream_->next_in = bytes(buffer_.data());
  stream_->avail_in += static_cast<uInt>(got);
  done_ += got;
}

void GzipSource::expect_member() {
  const bool begins = stream_->avail_in >= 2 && stream_->next_in[0] == 0x1f && stream_->next_in[1] == 0x8b;
  if (!begins && position() == 0)
    fail_byte(path(), 0, "not gzip data; expected what gzip wrote, or a name without .gz");
  if (!begins) fail_byte(path(), position(), "other bytes follow the compressed data; expected the end of the file");
  inside_ = true;
}

std::size_t GzipSource::read(std::span<char> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    refill();
    if (stream_->avail_in == 0 && !inside_) break;
    if (!inside_) {
      expect_member();
      ::inflateReset(stream_.get());
    }
    const std::size_t room = std::min(out.size() - done, kMostBytes);
    stream_->next_out = bytes(out.data() + done);
    stream_->avail_out = static_cast<uInt>(room);
    const bool more = stream_->avail_in > 0;
    const int code = ::inflate(stream_.get(), Z_NO_FLUSH);
    done += room - stream_->avail_out;
    if (code == Z_STREAM_END) inside_ = false;
    if (code == Z_BUF_ERROR && !more) fail_byte(path(), done_, "the file ends inside its compressed data");
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
      fail_byte(path(), position(),
                fmt::format("the compressed data are damaged ({})", stream_->msg ? stream_->msg : "not enough memory"));
  }
  return done;
}

void GzipSource::rewind() {
  file_.rewind();
  ::inflateReset(stream_.get());
  stream_->avail_in = 0;
  done_ = 0;
  inside_ = false;
}

double GzipSource::share() const {
  const auto whole = static_cast<double>(std::max<std::uint64_t>(file_.size().value(), 1));
  return std::clamp(static_cast<double>(position()) / whole, 0.0, 1.0);
}

bool is_gzip_name(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  return extension.size() == 3 && extension[0] == '.' && (extension[1] | 0x20) == 'g' && (extension[2] | 0x20) == 'z';
}

std::unique_ptr<ByteSource> open_source(const std::filesystem::path& path) {
  if (is_gzip_name(path)) return std::make_unique<GzipSource>(path);
  return std::make_unique<InputFile>(path);
}

}  // namespace bochner::data
