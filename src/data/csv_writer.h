// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bochner/table.h"
#include "data/atomic_file.h"

namespace bochner::data {

/// Appends a word as a cell, in quotes where it needs them.
void append_word(std::string& line, const std::string& word);
/// Appends a finite number; others are refused with their row and column.
void append_number(std::string& line, double value, const std::filesystem::path& file, std::size_t row,
                   std::size_t column);
void append_number(std::string& line, float value, const std::filesystem::path& file, std::size_t row,
                   std::size_t column);
/// The line of column names. Names that the reader would refuse, or take for something else, are refused.
std::string header_line(const std::filesystem::path& file, const std::vector<std::string>& names);

/// Lines end in LF. A double is written in the shortest form that reads back to its bits, a float in 9 significant
/// digits: the decimal is then within 5e-9 of it, relative, and half the gap to its neighbours is at least 2^-25 =
/// 3e-8, so that reading as double and rounding to float gives its bits.
void write_csv(const std::filesystem::path& file, const Table& table);

}  // namespace bochner::data
