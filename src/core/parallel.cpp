// SPDX-License-Identifier: Apache-2.0
#include "core/parallel.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "bochner/threads.h"
#include "core/errors.h"

namespace bochner {
namespace {

thread_local bool inside_body = false;

class InsideBody {
 public:
  InsideBody() : outer_(inside_body) { inside_body = true; }
  ~InsideBody() { inside_body = outer_; }
  InsideBody(const InsideBody&) = delete;
  InsideBody& operator=(const InsideBody&) = delete;

 private:
  bool outer_;
};

/// One parallel_for: threads take the next block until none is left or a body has thrown. Blocks are handed out in
/// ascending order, so every block below one that threw has been taken: the lowest exception is the one that a serial
/// loop would have met.
class Job {
 public:
  Job(std::size_t n, std::size_t block, const std::function<void(std::size_t, std::size_t)>& body)
      : n_(n), block_(block), blocks_(n / block + (n % block == 0 ? 0 : 1)), body_(body) {}

  std::size_t blocks() const { return blocks_; }

  void take_blocks() {
    const InsideBody guard;
    while (!failed_.load(std::memory_order_relaxed)) {
      const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
      if (index >= blocks_) return;
      const std::size_t first = index * block_;
      try {
        body_(first, first + std::min(block_, n_ - first));
      } catch (...) {
        record(index, std::current_exception());
      }
    }
  }

  void rethrow() {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void record(std::size_t index, std::exception_ptr error) {
    failed_.store(true, std::memory_order_relaxed);
    const std::lock_guard lock(error_mutex_);
    if (index >= error_index_) return;
    error_index_ = index;
    error_ = std::move(error);
  }

  const std::size_t n_, block_, blocks_;
  const std::function<void(std::size_t, std::size_t)>& body_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex error_mutex_;
  std::size_t error_index_ = std::numeric_limits<std::size_t>::max();
  std::exception_ptr error_;
};

/// Stays awake for a moment, since the wait is usually short: waking a sleeping thread takes 20 to 60 us on a virtual
/// machine, and one call of a task is a series of short jobs. Yielding leaves the core to whoever needs it.
template <class Ready>
void watch_for(const Ready& ready) {
  constexpr std::chrono::microseconds kSoon(100);
  const auto end = std::chrono::steady_clock::now() + kSoon;
  while (!ready() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

/// Worker threads, which fall asleep soon after a job until the next one. They are never joined at exit: a sleeping
/// thread does no harm, but waiting for one in a static destructor can hang.
class Pool {
 public:
  explicit Pool(Pool* inherited) : inherited_(inherited) {}

  pid_t process() const { return process_; }

  /// Runs the job on the calling thread and on up to `helpers` of the `workers` workers. Returns false, with nothing
  /// done, when another thread is using the pool.
  bool run(Job& job, std::size_t workers, std::size_t helpers) {
    const std::unique_lock in_use(user_, std::try_to_lock);
    if (!in_use.owns_lock()) return false;
    resize(workers);
    publish(&job, helpers);
    job.take_blocks();
    withdraw();
    return true;
  }

 private:
  void resize(std::size_t size) {
    {
      const std::lock_guard lock(mutex_);
      size_ = size;
    }
    if (workers_.size() > size) wake_.notify_all();
    for (; workers_.size() > size; workers_.pop_back()) workers_.back().join();
    while (workers_.size() < size && start_worker()) continue;
  }

  /// Workers leave all signals to the threads of the program. Where the system has no thread left, fewer do the work.
  bool start_worker() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = true;
    try {
      workers_.emplace_back(&Pool::work, this, workers_.size(), generation_.load());
    } catch (const std::system_error&) {
      started = false;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return started;
  }

  void publish(Job* job, std::size_t helpers) {
    {
      const std::lock_guard lock(mutex_);
      job_ = job;
      places_ = helpers;
      ++generation_;
    }
    wake_.notify_all();
  }

  void withdraw() {
    const auto idle = [&] { return busy_ == 0; };
    std::unique_lock lock(mutex_);
    job_ = nullptr;
    lock.unlock();
    watch_for(idle);
    lock.lock();
    idle_.wait(lock, idle);
  }

  void work(std::size_t index, std::uint64_t seen) {
    const auto called = [&] { return index >= size_ || generation_ != seen; };
    std::unique_lock lock(mutex_);
    while (true) {
      lock.unlock();
      watch_for(called);
      lock.lock();
      wake_.wait(lock, called);
      if (index >= size_) return;
      seen = generation_;
      if (job_ == nullptr || places_ == 0) continue;
      Job* const job = job_;
      --places_;
      ++busy_;
      lock.unlock();
      job->take_blocks();
      lock.lock();
      if (--busy_ == 0) idle_.notify_one();
    }
  }

  const pid_t process_ = getpid();
  Pool* const inherited_;  // the parent process's pool: its threads do not exist here, so it is only kept reachable
  std::mutex user_;        // held for a whole job
  std::vector<std::thread> workers_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable wake_, idle_;
  Job* job_ = nullptr;
  std::size_t places_ = 0;
  std::atomic<std::uint64_t> generation_{0};  // these change under the mutex, and may be read without it
  std::atomic<std::size_t> size_{0}, busy_{0};
};

/// The pool of this process. After fork() the child finds its parent's pool, perhaps in the middle of a job and with
/// locks held by threads that do not exist: it leaves that pool alone and makes a new one, without taking a lock.
Pool& pool() {
  static std::atomic<Pool*> current{nullptr};
  Pool* found = current.load(std::memory_order_acquire);
  if (found != nullptr && found->process() == getpid()) return *found;
  Pool* const fresh = new Pool(found);
  if (current.compare_exchange_strong(found, fresh, std::memory_order_acq_rel)) return *fresh;
  delete fresh;
  return *found;
}

}  // namespace

void parallel_for(std::size_t n, std::size_t block,
                  const std::function<void(std::size_t first, std::size_t last)>& body) {
  if (block == 0) refuse("block", "0", "at least 1");
  if (n == 0) return;
  Job job(n, block, body);
  const std::size_t threads = inside_body ? 1 : static_cast<std::size_t>(num_threads());
  const std::size_t helpers = std::min(threads, job.blocks()) - 1;
  if (helpers == 0 || !pool().run(job, threads - 1, helpers)) job.take_blocks();
  job.rethrow();
}

}  // namespace bochner
