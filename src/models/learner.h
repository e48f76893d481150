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

/// The input of a learner.
struct LearnerRequest {
  const Features& features;
  std::size_t classes;  ///< 0 for regression
  bool single;          ///< features are float
  std::optional<double> alpha = {}, C = {};
  std::uint64_t rows = 0;  ///< the number of rows that `each` goes through
  double row_memory = 0;   ///< bytes for keeping rows, if that saves time, and as many for their features
  /// Each call goes through the training rows once, in order.
  std::function<void(const RowBlock&, const Progress&)> each = {};
  Progress progress = {};
  bool balanced = false;       ///< all classes get the same weight
  std::size_t components = 0;  ///< pca

  std::size_t functions() const { return classes == 0 ? 1 : classes; }
};

struct Learned {
  LinearModel model = {};
  std::map<std::string, double> facts = {};
  std::string note = {};                             ///< what was chosen and why
  std::vector<std::string> doubts = {};              ///< what to know about the choice
  std::vector<double> class_weights = {};            ///< nadaraya_watson
  std::optional<GaussianProcessFit> posterior = {};  ///< gp; its mean is moved to `model`
  std::optional<KernelPcaFit> components = {};       ///< pca; its model is moved to `model`
  std::vector<double> path = {}, errors = {};        ///< the alphas to choose from; empty: there was no choice
};

/// One entry of the table of learners.
struct Learner {
  std::string_view name;
  bool regression, classification;
  std::string_view strength;  ///< which of alpha and C it takes, if any
  Learned (*fit)(const LearnerRequest& request);
  /// Bytes of memory besides those of features and blocks.
  double (*bytes)(double outputs, double functions);
  double row_bytes;  ///< more bytes for each row
  /// The loss by which its scores give probabilities, if any.
  std::optional<ClassifierLoss> loss = {};
  bool one_for_two = false;  ///< two classes share one function, that of the second
  bool components = false;   ///< serves the task of this name
  /// Finds the lengthscale by the learner's own criterion; nullptr if there is no such search.
  SearchedLengthscale (*search)(const SearchRequest& request) = nullptr;
  bool searches_columns = false;  ///< one lengthscale for each column
};

}  // namespace bochner
