// SPDX-License-Identifier: Apache-2.0
#include "bochner/features.h"

#include <fmt/format.h>

#include <stdexcept>

#include "features/lookup.h"

namespace bochner {
namespace {

[[noreturn]] void refuse_log_scale(const Spec& spec) {
  std::string list;
  for (const Map* map : registered_maps())
    if (map->positive) list += fmt::format("{}{}", list.empty() ? "" : ", ", map->entry.name);
  throw std::invalid_argument(fmt::format("map '{}' has no log scale; maps that do: {}", spec.map, list));
}

}  // namespace

void Features::transform_scaled(MatrixView<const float>, MatrixView<float>, std::span<float>, Side) const {
  refuse_log_scale(spec());
}

void Features::transform_scaled(MatrixView<const double>, MatrixView<double>, std::span<double>, Side) const {
  refuse_log_scale(spec());
}

void Features::transform_log(MatrixView<const float>, MatrixView<float>, std::span<double>, Side) const {
  refuse_log_scale(spec());
}

void Features::transform_log(MatrixView<const double>, MatrixView<double>, std::span<double>, Side) const {
  refuse_log_scale(spec());
}

void Features::fit(MatrixView<const float>, MatrixView<const float>) {}

void Features::fit(MatrixView<const double>, MatrixView<const double>) {}

}  // namespace bochner
