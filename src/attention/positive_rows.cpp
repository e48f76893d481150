// SPDX-License-Identifier: Apache-2.0
#include "attention/positive_rows.h"

#include <fmt/format.h>

#include <stdexcept>

namespace bochner {
namespace {

/// Refuses a row that the map has refused for the reason `why`.
template <class T>
[[noreturn]] void refuse_row(const HeadFeatures& head, std::span<const T> row, std::string_view name,
                             const RowPlace& place, std::string_view why) {
  std::size_t lowest = 0;
  const auto gap = [&](std::size_t c) { return static_cast<double>(row[c]) - head.blank[c]; };
  for (std::size_t c = 1; c < head.blank.size(); ++c) lowest = gap(c) < gap(lowest) ? c : lowest;
  if (head.blank.empty() || gap(lowest) >= 0)
    throw std::invalid_argument(fmt::format("{} has a row at [{}, {}, {}] that map '{}' does not take: {}", name,
                                            place.batch, place.head, place.first, head.features->spec().map, why));
  throw std::invalid_argument(fmt::format(
      "{} has {:.6g} at [{}, {}, {}, {}], below the shift {:.6g} of that coordinate; expected an entry at or above it",
      name, static_cast<double>(row[lowest]), place.batch, place.head, place.first, lowest, head.blank[lowest]));
}

}  // namespace

template <class T>
void positive_rows(const HeadFeatures& head, MatrixView<const T> rows, Side side, std::string_view name,
                   const RowPlace& place, MatrixView<T> Z, std::span<double> log_factor) {
  try {
    head.features->transform_log(rows, Z, log_factor, side);
  } catch (const std::invalid_argument& refusal) {
    if (rows.rows() == 1) refuse_row<T>(head, rows.row(0), name, place, refusal.what());
    for (std::size_t i = 0; i < rows.rows(); ++i)
      positive_rows<T>(head, rows.row_range(i, i + 1), side, name,
                       {place.batch, place.head, place.first + i, place.first + i + 1}, Z.row_range(i, i + 1),
                       log_factor.subspan(i, 1));
    throw;
  }
}

template void positive_rows(const HeadFeatures&, MatrixView<const float>, Side, std::string_view, const RowPlace&,
                            MatrixView<float>, std::span<double>);
template void positive_rows(const HeadFeatures&, MatrixView<const double>, Side, std::string_view, const RowPlace&,
                            MatrixView<double>, std::span<double>);

}  // namespace bochner
