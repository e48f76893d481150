// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bochner/features.h"
#include "bochner/kernel_ridge.h"
#include "bochner/preprocessing.h"

namespace bochner {

/// Called with a block of prepared rows and their targets: numbers, or numbers of classes.
using RowBlock = std::function<void(MatrixView<const double> X, std::span<const double> y)>;

/// What a learner gets.
struct LearnerRequest {
  const Features& features;
  std::size_t functions;  ///< 1, or the number of classes
  Task task;
  bool single;  ///< features are float
  std::optional<double> alpha;
  /// Goes through the training rows once, in order, as often as it is called.
  std::function<void(const RowBlock&)> each;
};

struct Learned {
  LinearModel model;
  std::map<std::string, double> facts;
  std::string note;  ///< what was chosen and why
};

/// One line of the table of learners.
struct Learner {
  std::string_view name;
  bool regression, classification;
  Learned (*fit)(const LearnerRequest& request);
  /// Bytes of memory beside those of features and blocks.
  double (*bytes)(double outputs, double functions);
};

std::span<const Learner> learners();

/// Throws std::invalid_argument for a learner that does not exist or does not serve the task; an empty name is the
/// first that does.
const Learner& find_learner(std::string_view name, Task task);

}  // namespace bochner
