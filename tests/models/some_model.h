// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bochner/model.h"

namespace bochner::test {

/// A regression model of d numbers with m trigonometric directions; weights follow `salt`.
inline Model some_model(std::size_t d = 3, std::size_t m = 4, std::size_t salt = 0) {
  Model model;
  Preprocessing& made = model.preprocessing;
  for (std::size_t j = 0; j < d; ++j)
    made.inputs.push_back({.name = "x" + std::to_string(j), .position = j, .fill = 0.5});
  made.columns = d + 1;
  made.target = "y";
  made.target_position = d;
  made.mean.assign(d, 0.25);
  made.scale.assign(d, 2.0);
  model.spec = make_features({.d = d, .m = m, .seed = 7, .lengthscale = {1.5}})->spec();
  model.learner = "ridge";
  model.linear.weights = Matrix<double>(1, 2 * m);
  for (std::size_t j = 0; j < 2 * m; ++j) model.linear.weights(0, j) = static_cast<double>((j + salt) % 17) / 3 - 2.5;
  model.linear.intercept = {0.125};
  model.facts = {{"rows", 100}, {"alpha", 0.1}};
  return model;
}

/// Two classes, a column of words, float features.
inline Model some_classifier() {
  Model model = some_model(1, 2);
  Preprocessing& made = model.preprocessing;
  made.inputs.push_back({.name = "w", .position = 2, .categories = {"a", "b", "\xc3\xb6 \""}, .fill = 2});
  made.columns = 4;
  made.target_position = 1;
  made.mean = {0.1, 0, 0, 0};
  made.scale = {3, 1, 1, 1};
  made.impute = true;
  made.header = Header::absent;
  made.task = Task::classification;
  made.classes = {"no", "yes"};
  model.single = true;
  model.learner = "nadaraya_watson";
  model.spec = make_features({.d = 4, .kernel = "matern", .m = 2, .parameters = {{"nu", 1.5}}})->spec();
  model.linear.weights = Matrix<double>(2, 4, 0.5);
  model.linear.weights(1, 2) = -1e-300;
  model.linear.intercept = {0, 1};
  return model;
}

/// Two classes and one function.
inline Model some_logistic() {
  Model model = some_model(2, 3);
  model.preprocessing.task = Task::classification;
  model.preprocessing.classes = {"-1", "1"};
  model.preprocessing.number_classes = true;
  model.learner = "logistic";
  return model;
}

/// A posterior along two directions.
inline Model some_process() {
  Model model = some_model();
  model.learner = "gp";
  GaussianProcessFit& posterior = model.posterior.emplace();
  posterior.directions = Matrix<double>(2, 8, 0.0);
  posterior.directions(0, 1) = posterior.directions(1, 6) = 1;
  posterior.shrinkage = {0.125, 1};
  posterior.noise_variance = 0.1;
  posterior.signal_variance = 3;
  posterior.y_scale = {2.5};
  return model;
}

/// Two components of the features of all columns; there is no target.
inline Model some_components() {
  Model model = some_model();
  model.preprocessing.task = Task::components;
  model.preprocessing.columns = model.preprocessing.target_position = 3;
  model.preprocessing.target = "";
  model.learner = "pca";
  model.linear = {Matrix<double>(2, 8, 0.25), {0.5, -0.125}};
  model.components = {
      .model = {}, .mean = std::vector<double>(8, 0.1), .explained_variance = {2, 1}, .total_variance = 4};
  return model;
}

}  // namespace bochner::test
