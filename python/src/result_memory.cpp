// SPDX-License-Identifier: Apache-2.0
#include "result_memory.h"

#include <atomic>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace bochner::python {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLarge = 2 * kHugePage;
constexpr std::align_val_t kSmallAlignment{64};
constexpr std::align_val_t kLargeAlignment{kHugePage};

struct Block {
  void* data;
  std::size_t capacity;
};

/// The one block that waits for the next result. It is exchanged atomically, so no lock is ever held across a fork.
std::atomic<Block*> waiting{nullptr};

void advise([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes, [[maybe_unused]] bool in_use) {
#if defined(__linux__)
  madvise(data, bytes, in_use ? MADV_HUGEPAGE : MADV_FREE);  // a failure affects only speed
#endif
}

void destroy(Block* block) {
  if (block == nullptr) return;
  ::operator delete(block->data, kLargeAlignment);
  delete block;
}

/// The waiting block if it is large enough and at most twice as large as needed. A block of another size is freed
/// first, so memory is never held twice.
void* take_waiting(std::size_t bytes, std::size_t& capacity) {
  Block* const block = waiting.exchange(nullptr);
  if (block == nullptr) return nullptr;
  if (block->capacity < bytes || block->capacity / 2 > bytes) {
    destroy(block);
    return nullptr;
  }
  void* const data = block->data;
  capacity = block->capacity;
  delete block;
  return data;
}

}  // namespace

ResultMemory::ResultMemory(std::size_t bytes) : data_(nullptr), capacity_(0) {
  if (bytes < kLarge) {
    data_ = ::operator new(bytes, kSmallAlignment);
    return;
  }
  data_ = take_waiting(bytes, capacity_);
  if (data_ != nullptr) return;
  data_ = ::operator new(bytes, kLargeAlignment);
  capacity_ = bytes;
  advise(data_, capacity_ / kHugePage * kHugePage, true);
}

ResultMemory::~ResultMemory() {
  if (data_ == nullptr) return;
  if (capacity_ == 0) {
    ::operator delete(data_, kSmallAlignment);
    return;
  }
  advise(data_, capacity_ / kHugePage * kHugePage, false);
  Block* const block = new (std::nothrow) Block{data_, capacity_};
  if (block == nullptr) {
    ::operator delete(data_, kLargeAlignment);
    return;
  }
  destroy(waiting.exchange(block));
}

}  // namespace bochner::python
