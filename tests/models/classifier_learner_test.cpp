// SPDX-License-Identifier: Apache-2.0
#include "models/classifier_learner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "bochner/linear_classifier.h"
#include "bochner/threads.h"
#include "learners/single_rows.h"
#include "support/normal_rows.h"

namespace bochner {
namespace {

/// Three classes by the sector of a point; more rows than one part of a pass has.
struct Data {
  Data() : X(test::normal_rows(9000, 3, 1, 1)), labels(9000), y(9000) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      labels[i] = static_cast<std::int64_t>((std::atan2(X(i, 1), X(i, 0)) / 6.2832 + 0.5) * 2.999);
      y[i] = static_cast<double>(labels[i]);
    }
  }
  /// In blocks that have nothing to do with those of the method.
  void each(const RowBlock& use, std::size_t most) const {
    for (std::size_t first = 0; first < y.size(); first += 777) {
      const std::size_t last = std::min({first + 777, y.size(), most});
      if (first < last) use({X.view().row_range(first, last), std::span(y).subspan(first, last - first)});
    }
  }
  Matrix<double> X;
  std::vector<std::int64_t> labels;
  std::vector<double> y;
};

LearnerRequest request(const Features& features, const Data& data, bool single, double row_memory) {
  return {.features = features,
          .classes = 3,
          .single = single,
          .C = 5.0,
          .rows = 9000,
          .row_memory = row_memory,
          .each = [&](const RowBlock& use, const Progress&) { data.each(use, 9000); }};
}

std::vector<double> numbers(const LinearModel& model) {
  std::vector<double> all(model.weights.data(), model.weights.data() + model.weights.rows() * model.weights.cols());
  all.insert(all.end(), model.intercept.begin(), model.intercept.end());
  return all;
}

TEST(ClassifierLearner, RowsKeptReadAgainOrInMemoryGiveTheSameBits) {
  const Data data;
  const auto features = make_features({.d = 3, .m = 6});
  const int threads = num_threads();
  for (const bool single : {false, true})
    for (const auto loss : {ClassifierLoss::multinomial, ClassifierLoss::logistic, ClassifierLoss::squared_hinge}) {
      const LinearClassifierOptions options{.loss = loss, .C = 5};
      const LinearClassifierFit whole =
          single ? fit_linear_classifier(*features, single_rows(data.X).view(), data.labels, 3, {}, options)
                 : fit_linear_classifier(*features, data.X.view(), data.labels, 3, {}, options);
      ASSERT_TRUE(whole.reached);
      set_num_threads(single ? 1 : 3);
      const Learned kept = fit_classifier(request(*features, data, single, 1e9), loss);
      const Learned again = fit_classifier(request(*features, data, single, 0), loss);
      set_num_threads(threads);
      EXPECT_EQ(numbers(kept.model), numbers(whole.model));
      EXPECT_EQ(numbers(again.model), numbers(whole.model));
      EXPECT_EQ(again.facts, kept.facts);
      EXPECT_EQ(again.facts.at("objective"), whole.objective);
      EXPECT_NE(kept.note.find("kept in memory"), std::string::npos) << kept.note;
      EXPECT_NE(again.note.find("read again"), std::string::npos) << again.note;
    }
}

TEST(ClassifierLearner, TellsEveryPassAndNeverGoesBack) {
  const Data data;
  const auto features = make_features({.d = 3, .m = 6});
  for (const double row_memory : {0.0, 1e9}) {
    std::vector<double> shares;
    std::vector<std::string> texts;
    LearnerRequest told = request(*features, data, false, row_memory);
    told.progress = [&](double share, std::string_view what) {
      shares.push_back(share);
      texts.emplace_back(what);
    };
    told.each = [&](const RowBlock& use, const Progress& progress) {
      data.each(use, 9000);
      progress(0.5, "fitting");
    };
    const Learned found = fit_classifier(told, ClassifierLoss::multinomial);
    // The first pass is told as it is, those of the method by how far that is.
    EXPECT_EQ(texts[0], "fitting");
    EXPECT_TRUE(std::is_sorted(shares.begin() + 1, shares.end()));
    const auto passes =
        std::ranges::count_if(texts, [](const std::string& text) { return text.ends_with("tolerance"); });
    EXPECT_EQ(static_cast<double>(passes), found.facts.at("passes"));
    EXPECT_GT(shares.back(), 0.5);
    EXPECT_EQ(texts.size() > static_cast<std::size_t>(passes) + 1, row_memory == 0);
  }
}

TEST(ClassifierLearner, RowsThatComeAndGoAreNoticed) {
  const Data data;
  const auto features = make_features({.d = 3, .m = 6});
  for (const double row_memory : {0.0, 1e9})
    for (const std::size_t promised : {std::size_t{8999}, std::size_t{9001}}) {
      LearnerRequest changed = request(*features, data, false, row_memory);
      changed.rows = promised;
      EXPECT_THROW(fit_classifier(changed, ClassifierLoss::multinomial), std::runtime_error);
    }
  for (const std::size_t second : {100, 8000}) {
    std::size_t passes = 0;
    LearnerRequest changed = request(*features, data, false, 0);
    changed.each = [&](const RowBlock& use, const Progress&) { data.each(use, passes++ == 0 ? 9000 : second); };
    EXPECT_THROW(fit_classifier(changed, ClassifierLoss::multinomial), std::runtime_error);
  }
}

}  // namespace
}  // namespace bochner
