// SPDX-License-Identifier: Apache-2.0
#include "simd/target.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/errors.h"
#include "simd/lanes.h"
// lanes.h comes first
#include <hwy/highway.h>

namespace bochner::simd {
namespace {

std::int64_t runnable() { return hwy::SupportedTargets() & HWY_TARGETS; }

std::string choose() {
  const char* forced = std::getenv("BOCHNER_FORCE_TARGET");
  const std::vector<std::string> names = targets();
  if (forced == nullptr || *forced == '\0') return names.front();
  for (std::int64_t left = runnable(); left != 0; left &= left - 1) {
    const std::int64_t target = left & -left;
    if (std::string_view(forced) != hwy::TargetName(target)) continue;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return forced;
  }
  std::string known;
  for (const auto& name : names) known += (known.empty() ? "" : ", ") + name;
  refuse("BOCHNER_FORCE_TARGET", forced, "one of " + known);
}

}  // namespace

std::vector<std::string> targets() {
  std::vector<std::string> names;  // a lower bit is a better target
  for (std::int64_t left = runnable(); left != 0; left &= left - 1) names.emplace_back(hwy::TargetName(left & -left));
  return names;
}

const std::string& current_target() {
  static const std::string chosen = choose();
  return chosen;
}

}  // namespace bochner::simd
