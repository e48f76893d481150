// SPDX-License-Identifier: Apache-2.0
#include "data/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "bochner/table.h"
#include "data/file_error.h"
#include "data/input_file.h"

namespace bochner::data {

namespace fs = std::filesystem;

namespace {

fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

fs::path resolve_link(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_symlink(file, ignored)) return file;
  fs::path resolved = fs::weakly_canonical(file, ignored);
  return ignored ? file : resolved;
}

/// The rename is in the page cache; this brings it to disk. Some file systems cannot do that, and a folder may be
/// writable but not readable: the file is complete either way, so that is no error.
void flush_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

bool is_temporary(const std::string& name) { return name.starts_with(".bochner-") && name.ends_with(".tmp"); }

/// Removes temporary files in a folder whose writer is gone: those of this user that no process has locked. A lock ends
/// with the process that holds it, however the process ends.
void remove_abandoned(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (!is_temporary(entry->path().filename().string())) continue;
    const int descriptor = ::open(entry->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) continue;
    struct stat status {};
    if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
        ::flock(descriptor, LOCK_EX | LOCK_NB) == 0)
      ::unlink(entry->path().c_str());
    ::close(descriptor);
  }
}

/// The temporary names of this process, where a signal handler finds them without a lock. A file for which no place is
/// left is written all the same; if its process ends early, the next file written into the folder removes it.
constexpr std::size_t kPlaces = 256;
std::array<std::atomic<const char*>, kPlaces> names{};
static_assert(std::atomic<const char*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

/// abandon_files() sets `ending`, then waits until `opening` is 0. A thread that opens a file adds to `opening`, then
/// reads `ending`; a thread that gives up a name clears its place, then reads `ending`. All of this is sequentially
/// consistent, so the handler finds every file that is there and reads no name that is gone.
std::atomic<bool> ending{false};
std::atomic<int> opening{0};

/// Waits for the end of the process if another thread is about to end it.
void wait_if_ending() {
  while (ending) ::pause();
}

/// Covers the time between the creation of a temporary file and the entry of its name. No handler runs on this thread
/// meanwhile, so that no handler waits for the thread that it interrupted.
class Opening {
 public:
  Opening() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    ++opening;
    if (!ending) return;
    --opening;
    wait_if_ending();
  }
  ~Opening() {
    --opening;
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;

 private:
  sigset_t before_{};
};

std::size_t enter_name(const char* name) {
  for (std::size_t place = 0; place < kPlaces; ++place) {
    const char* free = nullptr;
    if (names[place].compare_exchange_strong(free, name)) return place;
  }
  return kPlaces;
}

void strike_name(std::size_t place) {
  if (place < kPlaces) names[place] = nullptr;
  wait_if_ending();
}

/// Locks a new file against remove_abandoned; false if that was faster. Where locks do not exist, nothing is removed.
bool is_ours(int descriptor) {
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  struct stat status {};
  return ::fstat(descriptor, &status) != 0 || status.st_nlink > 0;
}

}  // namespace

void check_target(const fs::path& target) {
  const fs::path folder = folder_of(resolve_link(target));
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0)
    fail(target, fmt::format("cannot be written: the folder {} does not exist", folder.string()));
  if (!S_ISDIR(status.st_mode)) fail(target, fmt::format("cannot be written: {} is not a folder", folder.string()));
  if (::stat(target.c_str(), &status) != 0) return;
  if (const std::string_view kind = kind_of_non_file(status.st_mode); !kind.empty())
    fail(target, fmt::format("cannot be written: it is {}", kind));
}

AtomicFile::AtomicFile(const fs::path& target) : named_(target), target_(resolve_link(target)) {
  check_target(target);
  remove_abandoned(folder_of(target_));
  open_temporary();
  keep_mode();
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::open_temporary() {
  static std::atomic<unsigned> counter{0};
  const Opening guard;
  while (true) {
    temporary_ = folder_of(target_) / fmt::format(".bochner-{}-{}.tmp", ::getpid(), counter.fetch_add(1));
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno == EEXIST) continue;
    if (descriptor_ < 0) fail_errno(named_, "cannot be written", errno);
    if (is_ours(descriptor_)) break;
    ::close(descriptor_);
    descriptor_ = -1;
  }
  place_ = enter_name(temporary_.c_str());
}

/// A private file must not become public when it is written again.
void AtomicFile::keep_mode() {
  struct stat old {};
  if (::stat(target_.c_str(), &old) == 0) ::fchmod(descriptor_, old.st_mode & 0777);
}

void AtomicFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail_errno(named_, "cannot be written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

void AtomicFile::write_over(std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail_errno(named_, "cannot be written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(done));
    offset += static_cast<std::uint64_t>(done);
  }
}

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) fail_errno(named_, "cannot be flushed to disk", errno);
  const int lock = ::dup(descriptor_);  // held until the file has its name
  const int closed = ::close(std::exchange(descriptor_, lock));
  if (closed != 0) fail_errno(named_, "cannot be closed", errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    const int error = errno;
    wait_if_ending();  // abandon_files() may have removed the temporary file
    fail_errno(named_, "cannot be replaced", error);
  }
  strike_name(place_);
  temporary_.clear();
  flush_folder(folder_of(target_));
}

void AtomicFile::discard() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  strike_name(place_);
}

}  // namespace bochner::data

namespace bochner {

void abandon_files() noexcept {
  constexpr int kMostTries = 500;  // half a second: a file system that hangs must not keep the process alive
  data::ending = true;
  for (int tries = 0; data::opening > 0 && tries < kMostTries; ++tries) ::poll(nullptr, 0, 1);
  for (const auto& entry : data::names)
    if (const char* const name = entry; name != nullptr) ::unlink(name);
}

}  // namespace bochner
