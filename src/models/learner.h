// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bochner/features.h"
#include "bochner/gaussian_process.h"
#include "bochner/kernel_pca.h"
#include "bochner/kernel_ridge.h"
#include "bochner/linear_classifier.h"
#include "bochner/preprocessing.h"
#include "learners/searched_lengthscale.h"
#include "models/row_blocks.h"

namespace bochner {

/// What a learner gets.
struct LearnerRequest {
  const Features& features;
  std::size_t classes;  ///< 0 for regression
  bool single;          ///< features are float
  std::optional<double> alpha = {}, C = {};
  std::uint64_t rows = 0;  ///< as many as `each` goes through
  double row_memory = 0;   ///< bytes that rows may take where it saves time to keep them, and as many their features
  /// Goes through the training rows once, in order, as often as it is called.
  std::function<void(const RowBlock&, const Progress&)> each = {};
  Progress progress = {};
  bool balanced = false;       ///< all classes weigh the same
  std::size_t components = 0;  ///< of pca

  std::size_t functions() const { return classes == 0 ? 1 : classes; }
};

struct Learned {
  LinearModel model = {};
  std::map<std::string, double> facts = {};
  std::string note = {};                             ///< what was chosen and why
  std::vector<std::string> doubts = {};              ///< and what to know of the choice
  std::vector<double> class_weights = {};            ///< of nadaraya_watson
  std::optional<GaussianProcessFit> posterior = {};  ///< of gp, its mean moved to `model`
  std::optional<KernelPcaFit> components = {};       ///< of pca, its model moved to `model`
  std::vector<double> path = {}, errors = {};        ///< what alpha was chosen from; empty: from nothing
};

/// One line of the table of learners.
struct Learner {
  std::string_view name;
  bool regression, classification;
  std::string_view strength;  ///< which of alpha and C it takes, if any
  Learned (*fit)(const LearnerRequest& request);
  /// Bytes of memory beside those of features and blocks.
  double (*bytes)(double outputs, double functions);
  double row_bytes;  ///< and for each row
  /// The loss whose probabilities its scores have, if any.
  std::optional<ClassifierLoss> loss = {};
  bool one_for_two = false;  ///< two classes have one function, that of the second
  bool components = false;   ///< of the task of this name
  /// Finds the lengthscale by what the learner wants; nullptr where there is no such search.
  SearchedLengthscale (*search)(const SearchRequest& request) = nullptr;
  bool searches_columns = false;  ///< one lengthscale for each of them
};

}  // namespace bochner
