// SPDX-License-Identifier: Apache-2.0
#include "core/errors.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

namespace bochner {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Damerau-Levenshtein distance without case: insertions, deletions, replacements and swaps of neighbours each cost 1.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, previous(b.size() + 1), current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) current[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = previous;
    previous = current;
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
  }
  return current[b.size()];
}

}  // namespace

void refuse(std::string_view argument, std::string_view value, std::string_view allowed) {
  std::string sentence(argument);
  sentence.append(" is ").append(value).append("; expected ").append(allowed);
  throw std::invalid_argument(sentence);
}

void refuse_name(std::string_view what, std::string_view name, std::span<const std::string_view> known) {
  std::string sentence("unknown ");
  sentence.append(what).append(" '").append(name).append("'; ");
  const std::string_view nearest = nearest_name(name, known);
  if (!nearest.empty()) sentence.append("did you mean '").append(nearest).append("'? ");
  sentence.append("known: ");
  for (std::size_t i = 0; i < known.size(); ++i) sentence.append(i == 0 ? "" : ", ").append(known[i]);
  throw std::invalid_argument(sentence);
}

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known) {
  std::string_view nearest;
  std::size_t smallest = std::numeric_limits<std::size_t>::max();
  for (const std::string_view candidate : known) {
    const std::size_t farthest = candidate.size() / 2;
    // The distance is at least the difference in length, so a huge name costs nothing.
    if (name.size() > candidate.size() + farthest) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance <= farthest && distance < smallest) {
      smallest = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace bochner
