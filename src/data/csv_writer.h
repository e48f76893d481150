// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "bochner/table.h"

namespace bochner::data {

/// Lines end in LF. A double is written in the shortest form that reads back to its bits, a float in 9 significant
/// digits: the decimal is then within 5e-9 of it, relative, and half the gap to its neighbours is at least 2^-25 =
/// 3e-8, so that reading as double and rounding to float gives its bits.
void write_csv(const std::filesystem::path& file, const Table& table);

}  // namespace bochner::data
