// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "bochner/preprocessing.h"
#include "core/errors.h"
#include "data/file_error.h"
#include "models/column_map.h"
#include "models/known_header.h"

namespace bochner {

namespace {

struct Places {
  std::vector<std::size_t> inputs;
  std::optional<std::size_t> target;
};

/// Looks at each name of the file only once: there may be a million of them.
Places places_by_name(const Preprocessing& preprocessing, const RowSource& rows, bool with_target) {
  std::unordered_map<std::string_view, std::optional<std::size_t>> column;
  for (const InputColumn& input : preprocessing.inputs) column[input.name];
  if (with_target) column[preprocessing.target];
  for (std::size_t j = 0; j < rows.names().size(); ++j)
    if (const auto found = column.find(rows.names()[j]); found != column.end()) found->second = j;
  const auto named = [&](const std::string& name) {
    if (!column.at(name))
      data::fail(rows.path(), fmt::format("has no column {}; the model was fitted with it", data::shown(name)));
    return *column.at(name);
  };
  Places places;
  for (const InputColumn& input : preprocessing.inputs) places.inputs.push_back(named(input.name));
  if (with_target) places.target = named(preprocessing.target);
  return places;
}

/// The column of the target in this file, if it has one. The file must have the columns of the file that was learned
/// from, or these without the target. If its format has a label, the label is the target, whatever the other file had.
std::optional<std::size_t> target_here(const Preprocessing& preprocessing, const RowSource& rows, bool with_target) {
  const std::size_t others = preprocessing.columns - (preprocessing.has_target() ? 1 : 0);
  const std::size_t expected = rows.label() ? others + 1 : preprocessing.columns;
  const bool may_lack = !with_target && !rows.label() && preprocessing.has_target();
  if (rows.columns() == others && may_lack) return {};
  if (rows.columns() != expected)
    data::fail(rows.path(), fmt::format("has {}; expected {}{}, those of the file that the model was fitted to",
                                        data::counted(rows.columns(), "column"), expected,
                                        may_lack ? fmt::format(", or {} without the target", others) : ""));
  if (rows.label()) return rows.label();
  return preprocessing.has_target() ? std::optional(preprocessing.target_position) : std::nullopt;
}

/// Inputs are the columns other than the target, in order.
Places places_by_position(const Preprocessing& preprocessing, const RowSource& rows, bool with_target) {
  const std::optional<std::size_t> target = target_here(preprocessing, rows, with_target);
  Places places;
  places.inputs.reserve(preprocessing.inputs.size());
  for (const InputColumn& input : preprocessing.inputs) {
    const std::size_t among_others = input.position - (input.position > preprocessing.target_position ? 1 : 0);
    places.inputs.push_back(among_others + (target && among_others >= *target ? 1 : 0));
  }
  if (with_target) places.target = target;
  return places;
}

Places places_of(const Preprocessing& preprocessing, const RowSource& rows, bool with_target) {
  const bool names = !rows.names().empty() && !preprocessing.inputs.empty() && !preprocessing.inputs[0].name.empty();
  return names ? places_by_name(preprocessing, rows, with_target)
               : places_by_position(preprocessing, rows, with_target);
}

ColumnKind target_kind(const Preprocessing& preprocessing) {
  const bool words = preprocessing.task == Task::classification && !preprocessing.number_classes;
  return words ? ColumnKind::word : ColumnKind::number;
}

}  // namespace

struct PreparedRows::State {
  RowSource& rows;
  std::optional<std::size_t> target;
  data::ColumnMap map;
  std::size_t d;
  std::optional<std::size_t> weight;
  Matrix<double> raw = {};
};

PreparedRows::PreparedRows(const Preprocessing& preprocessing, RowSource& rows, bool with_target, bool single,
                           std::optional<std::size_t> weight) {
  Places places = places_of(preprocessing, rows, with_target);
  for (std::size_t column = 0; column < rows.columns(); ++column) rows.expect(column, ColumnKind::ignored);
  for (std::size_t j = 0; j < places.inputs.size(); ++j)
    rows.expect(places.inputs[j], preprocessing.inputs[j].categories.empty() ? ColumnKind::number : ColumnKind::word);
  if (places.target) rows.expect(*places.target, target_kind(preprocessing));
  if (weight) rows.expect(*weight, ColumnKind::number);
  data::ColumnMap map(preprocessing, rows, std::move(places.inputs), places.target, single);
  state_.reset(new State{rows, places.target, std::move(map), preprocessing.d(), weight});
}

PreparedRows::~PreparedRows() = default;

std::size_t PreparedRows::next(MatrixView<double> X, std::span<double> y, std::span<double> weights) {
  State& state = *state_;
  if (X.cols() != state.d) refuse("X", fmt::format("{} columns", X.cols()), fmt::format("{} (d)", state.d));
  if (!y.empty() && (!state.target || y.size() < X.rows()))
    refuse("y", fmt::format("{} numbers", y.size()), "one for each row, and a file with a target");
  if (!weights.empty() && (!state.weight || weights.size() < X.rows()))
    refuse("weights", fmt::format("{} numbers", weights.size()), "one for each row, and a column of weights");
  if (state.raw.rows() != X.rows()) state.raw = Matrix<double>(X.rows(), state.rows.columns());
  const std::size_t count = state.rows.next(state.raw);
  state.map.learn_words();
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<const double> raw = state.raw.view().row(i);
    state.map.inputs(raw, i, X.row(i));
    if (!y.empty()) y[i] = state.map.target(raw, i);
    if (!weights.empty()) weights[i] = raw[*state.weight];
  }
  return count;
}

void PreparedRows::rewind() { state_->rows.rewind(); }

const RowSource& PreparedRows::reader() const { return state_->rows; }

ReadOptions read_options(const Preprocessing& preprocessing, Header header) {
  return {.header = header,
          .is_header = is_header_for,
          .model = &preprocessing,
          .words = true,
          .missing = preprocessing.impute,
          .inputs = preprocessing.columns - (preprocessing.has_target() ? 1 : 0)};
}

}  // namespace bochner
