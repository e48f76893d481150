// SPDX-License-Identifier: Apache-2.0
#include "data/file_error.h"

#include <fmt/format.h>

#include <system_error>

namespace bochner::data {

std::string counted(std::size_t number, std::string_view thing) {
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

void fail(const std::filesystem::path& file, std::string_view sentence) {
  throw FileError(fmt::format("{}: {}", file.string(), sentence));
}

void fail_at(const std::filesystem::path& file, std::size_t line, std::size_t column, std::string_view sentence) {
  const std::string place = column == 0 ? "" : fmt::format(", column {}", column);
  throw FileError(fmt::format("{}, line {}{}: {}", file.string(), line, place, sentence));
}

void fail_byte(const std::filesystem::path& file, std::uint64_t byte, std::string_view sentence) {
  throw FileError(fmt::format("{}, byte {}: {}", file.string(), byte, sentence));
}

void fail_errno(const std::filesystem::path& file, std::string_view action, int error_number) {
  fail(file, fmt::format("{}: {}", action, std::system_category().message(error_number)));
}

}  // namespace bochner::data
