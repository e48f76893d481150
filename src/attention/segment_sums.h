// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "attention/key_sums.h"

namespace bochner {

/// What causal queries see: the keys of the segments before, whose sums are already joined, and the keys of their own
/// segment so far. A segment has its own references, so that its sums do not depend on what came before and many
/// segments can be summed at once; what queries see is relative to the larger of the two references.
template <class T>
class SegmentSums {
 public:
  /// A segment that begins after `before` (null: nothing), of which `own` has been seen.
  SegmentSums(std::shared_ptr<const KeySums<T>> before, KeySums<T> own)
      : before_(std::move(before)), own_(std::move(own)) {}

  KeySums<T>& own() { return own_; }
  const KeySums<T>& own() const { return own_; }
  const std::shared_ptr<const KeySums<T>>& before() const { return before_; }

  /// All that has been seen, ready for queries; must be called again after `own` has changed.
  const KeySums<T>& see(const HeadFeatures& head) {
    if (before_ == nullptr) {
      own_.prepare();
      return own_;
    }
    if (seen_ == nullptr) seen_ = std::make_unique<KeySums<T>>(own_.sizes(), head);
    seen_->combine(*before_, own_);
    return *seen_;
  }
  /// After `see`: factors that make features of the own segment relative to what is seen; none: 1.
  std::span<const T> share() const { return seen_ == nullptr ? std::span<const T>() : seen_->share_of_later(); }

  /// Ends a segment; its sums must be settled.
  void next(const HeadFeatures& head) {
    own_.close();
    before_ = joined(std::move(before_), std::make_unique<KeySums<T>>(std::move(own_)), head);
    own_ = KeySums<T>(before_->sizes(), head);
    seen_ = nullptr;
  }

  /// The sums of two parts, both of which must be settled.
  static std::shared_ptr<const KeySums<T>> joined(std::shared_ptr<const KeySums<T>> before,
                                                  std::unique_ptr<KeySums<T>> later, const HeadFeatures& head) {
    if (before == nullptr) return later;
    auto both = std::make_shared<KeySums<T>>(later->sizes(), head);
    both->combine(*before, *later);
    return both;
  }

 private:
  std::shared_ptr<const KeySums<T>> before_;
  KeySums<T> own_;
  std::unique_ptr<KeySums<T>> seen_ = nullptr;
};

}  // namespace bochner
