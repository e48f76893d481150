// SPDX-License-Identifier: Apache-2.0
#include "data/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "data/file_error.h"

namespace bochner::data {

namespace {

void require_plain_file(const std::filesystem::path& path, const struct stat& status) {
  if (const std::string_view kind = kind_of_non_file(status.st_mode); !kind.empty())
    fail(path, fmt::format("is {}; expected a plain file", kind));
}

}  // namespace

const char* kind_of_non_file(unsigned mode) {
  if (S_ISREG(mode)) return "";
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

InputFile::InputFile(std::filesystem::path path) : path_(std::move(path)) {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) fail_errno(path_, "cannot be read", errno);
  require_plain_file(path_, status);
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) fail_errno(path_, "cannot be read", errno);
  // The path may name another file by now.
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor_);
    fail(path_, "changed while it was being opened; expected a plain file");
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() { ::close(descriptor_); }

std::size_t InputFile::read(std::span<char> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got = ::read(descriptor_, out.data() + done, out.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_errno(path_, "cannot be read", errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  done_ += done;
  return done;
}

void InputFile::rewind() {
  if (::lseek(descriptor_, 0, SEEK_SET) != 0) fail_errno(path_, "cannot be read a second time", errno);
  done_ = 0;
}

double InputFile::share() const {
  return size_ == 0 ? 1.0 : std::min(static_cast<double>(done_) / static_cast<double>(size_), 1.0);
}

}  // namespace bochner::data
