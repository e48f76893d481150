// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace bochner::data {

enum class CellKind { finite, not_finite, out_of_range, not_a_number };

/// Reads a decimal number with a point, in any locale: an optional sign, digits, an optional exponent; blanks around it
/// are skipped. `value` is set only for CellKind::finite. Numbers that round to infinity, or to 0 without being 0, are
/// out of range.
CellKind parse_number(std::string_view text, double& value);

/// Whether a cell is written like a number, as parse_number or others write it: "1,5", "1,010.50", "1.2.3", "1e",
/// "0x1.5p3", but not "2nd", "5more", "3-door" or "2020-01-01".
bool looks_like_number(std::string_view text);

/// Why a cell that is not a finite number is refused, as the end of a sentence: "'1;2' is not a number (...)".
std::string refusal(std::string_view text, CellKind kind);

/// Whether a cell means that there is no value: empty, NA, N/A, NaN, null (in any case) or ?.
bool is_missing(std::string_view text);

std::string_view trimmed(std::string_view text);
bool valid_utf8(std::string_view text);

}  // namespace bochner::data
