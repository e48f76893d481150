// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

namespace bochner::data {

/// The bytes of a file from the first to the last, as often as needed. Everything that cannot be read throws FileError.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  virtual const std::filesystem::path& path() const = 0;
  /// Fills `out` from the current position; fewer bytes are returned only at the end.
  virtual std::size_t read(std::span<char> out) = 0;
  virtual void rewind() = 0;
  /// How many bytes there are; empty where only reading can tell.
  virtual std::optional<std::uint64_t> size() const = 0;
  /// The share of the file that was read, 0 to 1.
  virtual double share() const = 0;
};

}  // namespace bochner::data
