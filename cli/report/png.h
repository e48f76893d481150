// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace bochner::cli {

using Colour = std::array<std::uint8_t, 3>;

/// A PNG of width x height palette indices as a data URI. The pixels are stored, not compressed.
std::string png_data_uri(std::size_t width, std::size_t height, std::span<const std::uint8_t> pixels,
                         std::span<const Colour> palette);

}  // namespace bochner::cli
