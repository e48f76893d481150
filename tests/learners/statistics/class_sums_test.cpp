// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "bochner/gram.h"
#include "bochner/model.h"
#include "bochner/threads.h"
#include "support/normal_rows.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using test::refusal;

struct Data {
  explicit Data(std::size_t n) : X(test::normal_rows(n, 3, 1, 1)), labels(n), weights(n) {
    for (std::size_t i = 0; i < n; ++i) {
      labels[i] = static_cast<std::int64_t>(i * i % 3);
      weights[i] = 0.5 * static_cast<double>(i % 4);
    }
  }
  Matrix<double> X;
  std::vector<std::int64_t> labels;
  std::vector<double> weights;
};

/// Key features of an asymmetric map are summed.
TEST(ClassSums, AreSumsOfKeysOverRows) {
  const std::size_t n = 1100;
  const Data data(n);
  const auto features = make_features({.d = 3,
                                       .kernel = "softmax",
                                       .map = "complex_exponential",
                                       .coupling = "iid",
                                       .m = 140,
                                       .parameters = {{"A", std::vector<double>{0.5, 0.5, 0.5}}}});
  const std::size_t outputs = features->outputs();
  Matrix<double> Z(n, outputs);
  features->transform(data.X, Z, Side::key);
  ClassSums sums(outputs, 3), head(outputs, 3), tail(outputs, 3);
  sums.add(*features, data.X, data.labels, data.weights);
  head.add(*features, data.X.view().row_range(0, 300), std::span(data.labels).first(300),
           std::span(data.weights).first(300));
  tail.add(*features, data.X.view().row_range(300, n), std::span(data.labels).subspan(300),
           std::span(data.weights).subspan(300));
  head.merge(tail);
  for (std::size_t c = 0; c < 3; ++c) {
    double weight = 0;
    std::vector<double> want(outputs, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      if (data.labels[i] != static_cast<std::int64_t>(c)) continue;
      weight += data.weights[i];
      for (std::size_t j = 0; j < outputs; ++j) want[j] += data.weights[i] * Z(i, j);
    }
    EXPECT_DOUBLE_EQ(sums.weights()[c], weight);
    EXPECT_DOUBLE_EQ(head.weights()[c], weight);
    for (std::size_t j = 0; j < outputs; ++j) {
      ASSERT_DOUBLE_EQ(sums.sums()(c, j), want[j]);
      ASSERT_NEAR(head.sums()(c, j), want[j], 1e-11);
    }
  }
}

TEST(ClassSums, SameBitsForAnyNumberOfThreads) {
  const int before = num_threads();
  const Data data(1500);
  const auto features = make_features({.d = 3, .map = "positive", .coupling = "iid", .m = 600});
  std::vector<std::byte> first;
  for (const int threads : {1, 2, 3, 8}) {
    set_num_threads(threads);
    ClassSums sums(600, 3);
    sums.add(*features, data.X, data.labels, data.weights);
    if (threads == 1) first = sums.to_bytes();
    EXPECT_EQ(sums.to_bytes(), first) << threads << " threads";
  }
  set_num_threads(before);
}

TEST(ClassSums, BytesAndRefusals) {
  const Data data(5);
  const auto features = make_features({.d = 3, .map = "cosine", .coupling = "iid", .m = 4});
  ClassSums sums(4, 3);
  sums.add(*features, data.X, data.labels);
  const auto good = sums.to_bytes();
  EXPECT_EQ(ClassSums::from_bytes(good).to_bytes(), good);
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(refusal([&] { ClassSums::from_bytes(std::span(good).first(length)); }).empty()) << length;
  const auto changed = [&](std::size_t at, auto value) {
    auto bytes = good;
    std::memcpy(bytes.data() + at, &value, sizeof(value));
    return refusal([&] { ClassSums::from_bytes(bytes); });
  };
  EXPECT_NE(changed(0, char{2}).find("they do not start as class sums do"), std::string::npos);
  EXPECT_NE(changed(8, ~std::uint64_t{0}).find("and 3 classes"), std::string::npos);
  EXPECT_NE(changed(24, std::numeric_limits<double>::infinity()).find("number 0 is not finite"), std::string::npos);
  EXPECT_NE(changed(good.size() - 8, -1.0).find("a class has the weight -1"), std::string::npos);
  const std::vector<std::int64_t> high = {0, 1, 2, 3, 0}, few = {0};
  EXPECT_EQ(refusal([&] { sums.add(*features, data.X, high); }),
            "labels has 3 at row 3; expected a number from 0 to 2");
  EXPECT_EQ(refusal([&] { sums.add(*features, data.X, few); }),
            "labels is a list of 1 numbers; expected 5, one for each row of X");
  EXPECT_EQ(refusal([&] { ClassSums(5, 3).add(*features, data.X, data.labels); }),
            "features is a map with 4 outputs; expected 5");
  EXPECT_EQ(refusal([&] { sums.merge(ClassSums(4, 2)); }),
            "other is sums of 4 outputs and 2 classes; expected 4 and 3");
  EXPECT_EQ(sums.to_bytes(), good);
}

/// Far from every row all scores are 0, and what is predicted is what the shares of the classes say.
TEST(ClassSums, PredictionsAgreeWithProbabilitiesWhereAllScoresAreZero) {
  const test::TemporaryFolder folder;
  const auto rows = open_rows(folder.write("x.csv", "a,y\n0,u\n0.1,v\n0.2,v\n"), {.words = true});
  ModelRequest request;
  request.preprocessing.target = "y";
  request.preprocessing.holdout = 0;
  request.preprocessing.standardise = false;
  request.learner = "nadaraya_watson";
  request.spec = {.map = "positive", .coupling = "iid", .m = 16, .lengthscale = {0.1}};
  request.lengthscale_rule = "";
  const ModelPredictor predictor(fit_model(*rows, request).model);
  const Matrix<double> far(1, 1, 1e3);
  EXPECT_EQ(predictor.scores(far)(0, 0), 0);
  EXPECT_EQ(predictor.scores(far)(0, 1), 0);
  EXPECT_NEAR(predictor.probabilities(far)(0, 1), 2.0 / 3, 1e-15);
  EXPECT_EQ(predictor.predict(far), std::vector<double>{1});
}

/// Features of e^{37^2 / 2} = 1e297, a weight of 1e20.
TEST(ClassSums, ThatLeaveTheRangeOfDoubleAreRefusedAndChangeNothing) {
  const auto features = make_features({.d = 1, .kernel = "softmax", .m = 1});
  Matrix<double> X(2, 1);
  X(0, 0) = 1.0;
  X(1, 0) = 37.0;
  const std::vector<std::int64_t> labels = {0, 0};
  ClassSums sums(features->outputs(), 1);
  sums.add(*features, X.view().row_range(0, 1), std::span(labels).first(1), {});
  const std::vector<std::byte> before = sums.to_bytes();
  const std::vector<double> weights = {1.0, 1e20};
  EXPECT_TRUE(test::refusal([&] { sums.add(*features, X, labels, weights); }).starts_with("X has rows whose features"));
  EXPECT_EQ(sums.to_bytes(), before);

  ClassSums large(features->outputs(), 1), all(features->outputs(), 1);
  const std::vector<double> most = {1.0, 5e10};  // 7e307 to 9e307: four of them are too many
  large.add(*features, X, labels, most);
  const auto add_four = [&] {
    for (int k = 0; k < 4; ++k) all.merge(large);
  };
  EXPECT_TRUE(test::refusal(add_four).starts_with("other is sums; expected"));
  EXPECT_NO_THROW(ClassSums::from_bytes(all.to_bytes()));
}

}  // namespace
}  // namespace bochner
