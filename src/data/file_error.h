// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "bochner/table.h"
#include "core/format.h"

namespace bochner::data {

using bochner::shown;

/// A number with its noun: "1 column", "3 columns".
std::string counted(std::size_t number, std::string_view thing);

/// Throws FileError "<file>: <sentence>".
[[noreturn]] void fail(const std::filesystem::path& file, std::string_view sentence);
/// Throws FileError "<file>, line 3, column 2: <sentence>", both counted from 1; column 0 means the whole line.
[[noreturn]] void fail_at(const std::filesystem::path& file, std::size_t line, std::size_t column,
                          std::string_view sentence);
/// Throws FileError "<file>, byte 12: <sentence>", counted from 0.
[[noreturn]] void fail_byte(const std::filesystem::path& file, std::uint64_t byte, std::string_view sentence);
/// Throws FileError "<file>: <action>: <what the system says about `error_number`>".
[[noreturn]] void fail_errno(const std::filesystem::path& file, std::string_view action, int error_number);

}  // namespace bochner::data
