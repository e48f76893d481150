// SPDX-License-Identifier: Apache-2.0
#include "data/mapped_file.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "data/file_error.h"

namespace bochner::data {

namespace {
/// A multiple of every page size.
constexpr std::size_t kStep = std::size_t{1} << 22;
}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path)
    : file_(path), length_(static_cast<std::size_t>(file_.size().value())) {
  if (length_ == 0) return;
  void* const mapped = ::mmap(nullptr, length_, PROT_READ, MAP_SHARED, file_.descriptor(), 0);
  if (mapped == MAP_FAILED) fail_errno(path, "cannot be mapped into memory", errno);
  bytes_ = static_cast<char*>(mapped);
  ::madvise(bytes_, length_, MADV_SEQUENTIAL);
}

MappedFile::~MappedFile() {
  if (bytes_ != nullptr) ::munmap(bytes_, length_);
}

std::size_t MappedFile::read(std::span<char> out) {
  const std::size_t count = std::min(out.size(), length_ - position_);
  for (std::size_t done = 0; done < count;) {
    // A page behind the end of the file would end the process.
    if (file_.current_size() < length_) fail(path(), "became shorter while it was read");
    const std::size_t part = std::min(count - done, kStep);
    std::memcpy(out.data() + done, bytes_ + position_, part);
    done += part;
    position_ += part;
    release_behind();
  }
  return count;
}

void MappedFile::release_behind() {
  const std::size_t whole = position_ / kStep * kStep;
  if (whole <= released_) return;
  ::madvise(bytes_ + released_, whole - released_, MADV_DONTNEED);
  released_ = whole;
}

void MappedFile::rewind() { position_ = released_ = 0; }

double MappedFile::share() const {
  return length_ == 0 ? 1.0 : static_cast<double>(position_) / static_cast<double>(length_);
}

}  // namespace bochner::data
