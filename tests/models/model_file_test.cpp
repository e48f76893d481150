// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "bochner/model.h"
#include "data/expect_file_error.h"
#include "models/some_model.h"
#include "support/scale.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using test::expect_file_error;
using test::some_classifier;
using test::some_model;
using test::TemporaryFolder;
using Clock = std::chrono::steady_clock;

void expect_equal(const Model& a, const Model& b) {
  EXPECT_EQ(a.preprocessing, b.preprocessing);
  EXPECT_EQ(a.spec, b.spec);
  EXPECT_EQ(a.single, b.single);
  EXPECT_EQ(a.learner, b.learner);
  EXPECT_EQ(a.facts, b.facts);
  EXPECT_EQ(a.linear.intercept, b.linear.intercept);
  EXPECT_EQ(a.class_weights, b.class_weights);
  ASSERT_EQ(a.posterior.has_value(), b.posterior.has_value());
  if (a.posterior) {
    EXPECT_EQ(a.posterior->shrinkage, b.posterior->shrinkage);
    EXPECT_EQ(a.posterior->noise_variance, b.posterior->noise_variance);
    EXPECT_EQ(a.posterior->signal_variance, b.posterior->signal_variance);
    EXPECT_EQ(a.posterior->y_scale, b.posterior->y_scale);
  }
  ASSERT_EQ(a.components.has_value(), b.components.has_value());
  if (a.components) {
    EXPECT_EQ(a.components->mean, b.components->mean);
    EXPECT_EQ(a.components->explained_variance, b.components->explained_variance);
    EXPECT_EQ(a.components->total_variance, b.components->total_variance);
  }
  ASSERT_EQ(a.linear.weights.rows(), b.linear.weights.rows());
  ASSERT_EQ(a.linear.weights.cols(), b.linear.weights.cols());
  const std::size_t count = a.linear.weights.rows() * a.linear.weights.cols();
  EXPECT_TRUE(std::equal(a.linear.weights.data(), a.linear.weights.data() + count, b.linear.weights.data()));
}

TEST(ModelFile, ComesBackAsItWas) {
  const TemporaryFolder folder;
  Model models[] = {some_model(),         some_classifier(),     some_classifier(),
                    test::some_process(), test::some_logistic(), test::some_components()};
  models[1].class_weights = {30, 0.5};
  for (const Model& model : models) {
    save_model(folder / "m", model);
    expect_equal(load_model(folder / "m"), model);
    const std::string bytes = folder.read("m");
    save_model(folder / "again", load_model(folder / "m"));
    EXPECT_EQ(folder.read("again"), bytes);
  }
}

TEST(ModelFile, PredictsTheSameBits) {
  const TemporaryFolder folder;
  save_model(folder / "m", some_model());
  const ModelPredictor before(some_model()), after(load_model(folder / "m"));
  Matrix<double> X(50, 3);
  for (std::size_t i = 0; i < 150; ++i) X.data()[i] = static_cast<double>(i * 37 % 101) / 25 - 2;
  EXPECT_EQ(before.predict(X), after.predict(X));
}

TEST(ModelFile, HybridsAndProcessesPredictTheSameBits) {
  const TemporaryFolder folder;
  Matrix<double> X(40, 2);
  for (std::size_t i = 0; i < 80; ++i) X.data()[i] = static_cast<double>(i * 37 % 101) / 25 - 2;
  // Centres of clusters are found from data, and the number of outputs follows from them.
  const auto clustered = make_features({.d = 2, .map = "hybrid_clustered", .m = 3});
  clustered->fit(X.view());
  Model hybrid = some_model(2, 1);
  hybrid.spec = clustered->spec();
  hybrid.linear.weights = Matrix<double>(1, clustered->outputs());
  for (std::size_t j = 0; j < clustered->outputs(); ++j) hybrid.linear.weights(0, j) = std::sin(static_cast<double>(j));
  const Matrix<double> by_hand = predict(*clustered, hybrid.linear, MatrixView<const double>(X));
  save_model(folder / "hybrid", hybrid);
  EXPECT_EQ(ModelPredictor(load_model(folder / "hybrid")).predict(X),
            std::vector<double>(by_hand.data(), by_hand.data() + 40));

  const ModelPredictor before(test::some_process());
  save_model(folder / "gp", before.model());
  const ModelPredictor after(load_model(folder / "gp"));
  Matrix<double> wide(20, 3, 0.25);
  EXPECT_EQ(before.predict(wide), after.predict(wide));
  const auto values = [&](const ModelPredictor& predictor, bool noise) {
    const Matrix<double> found = predictor.variances(wide, noise).values;
    return std::vector<double>(found.data(), found.data() + found.rows());
  };
  EXPECT_EQ(values(before, true), values(after, true));
  EXPECT_NEAR(values(before, true)[0] - values(before, false)[0], 2.5 * 2.5 * 0.1, 1e-12);
  EXPECT_THROW(ModelPredictor(some_model()).variances(wide), std::invalid_argument);
}

TEST(ModelFile, ComponentsThatDoNotFitAreRefused) {
  const TemporaryFolder folder;
  const auto refused = [&](const auto& change, const char* words) {
    Model model = test::some_components();
    change(model);
    try {
      save_model(folder / "m", model);
      ADD_FAILURE() << words;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  refused([](Model& model) { model.components.reset(); }, "learner 'pca' lacks components");
  refused([](Model& model) { model.components->mean.pop_back(); }, "2 variances and 7 means of features for 8");
  refused([](Model& model) { model.components->explained_variance.push_back(0); }, "2 components, 3 variances");
  refused([](Model& model) { model.preprocessing.target_position = 5; }, "beyond the columns");
  refused([](Model& model) { model.preprocessing.classes = {"a", "b"}; }, "2 classes for components");
  EXPECT_THROW(ModelPredictor(test::some_components()).predict(Matrix<double>(1, 3, 0.0)), std::invalid_argument);
}

TEST(ModelFile, IsSmall) {
  const TemporaryFolder folder;
  save_model(folder / "m", some_model(8, 8192));  // D = 16384
  const auto size = std::filesystem::file_size(folder / "m");
  EXPECT_GT(size, 16384u * 8);
  EXPECT_LT(size, 200'000u);
}

TEST(ModelFile, FittedParametersAreStored) {
  const auto features = make_features({.d = 2, .map = "optimal_positive", .m = 3});
  Matrix<double> X(4, 2);
  for (std::size_t i = 0; i < 8; ++i) X.data()[i] = 0.3 * static_cast<double>(i);
  ASSERT_FALSE(features->fitted());
  features->fit(X.view());
  Model model = some_model(2, 2);
  model.spec = features->spec();
  model.linear.weights = Matrix<double>(1, features->outputs(), 1.0);
  const TemporaryFolder folder;
  save_model(folder / "m", model);
  const ModelPredictor loaded(load_model(folder / "m"));
  EXPECT_TRUE(loaded.features().fitted());
  EXPECT_EQ(loaded.features().spec(), features->spec());
}

TEST(ModelFile, EveryPrefixIsRefused) {
  const TemporaryFolder folder;
  save_model(folder / "m", some_model());
  const std::string bytes = folder.read("m");
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THROW(load_model(folder.write("cut", bytes.substr(0, length))), FileError) << length;
  EXPECT_THROW(load_model(folder.write("more", bytes + '\0')), FileError);
}

TEST(ModelFile, EveryFlippedBitIsFoundOrHarmless) {
  const TemporaryFolder folder;
  save_model(folder / "m", some_classifier());
  const Model model = some_classifier();
  const std::string bytes = folder.read("m");
  const std::size_t header = 8 + static_cast<unsigned char>(bytes[0]) + 256 * static_cast<unsigned char>(bytes[1]);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    folder.write("bad", damaged);
    try {
      const Model read = load_model(folder / "bad");
      EXPECT_LT(bit / 8, header) << "a number changed unnoticed, byte " << bit / 8;
      expect_equal(read, model);
    } catch (const FileError& error) {
      EXPECT_NE(std::string(error.what()).find("bad"), std::string::npos);
    }
  }
}

TEST(ModelFile, PartsThatDoNotFitAreNotSaved) {
  const TemporaryFolder folder;
  const auto refused = [&](auto change, std::string_view word) {
    Model model = some_classifier();
    change(model);
    try {
      save_model(folder / "m", model);
      ADD_FAILURE() << "saved: " << word;
    } catch (const std::exception& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
    EXPECT_TRUE(folder.names().empty());
  };
  refused([](Model& model) { model.linear.weights = Matrix<double>(2, 3, 0.0); }, "3 weights for 4 outputs");
  refused([](Model& model) { model.linear.weights = Matrix<double>(1, 4, 0.0); }, "1 functions");
  refused([](Model& model) { model.linear.intercept.push_back(0); }, "3 intercepts");
  refused([](Model& model) { model.linear.intercept[0] = std::nan(""); }, "'intercept' is nan");
  refused([](Model& model) { model.linear.weights(0, 0) = INFINITY; }, "'weights' is inf");
  refused([](Model& model) { model.preprocessing.scale[0] = 0; }, "scale");
  refused([](Model& model) { model.preprocessing.mean.pop_back(); }, "3 means");
  refused([](Model& model) { model.preprocessing.classes.pop_back(); }, "1 classes");
  refused([](Model& model) { model.preprocessing.inputs[1].categories = {"b", "a", "c"}; }, "not in order");
  refused([](Model& model) { model.preprocessing.inputs[1].fill = 3; }, "fill of column 2");
  refused([](Model& model) { model.class_weights = {1, 2, 3}; }, "3 class weights");
  refused([](Model& model) { model.class_weights = {0, 0}; }, "all 0");
  refused([](Model& model) { model.posterior.emplace(); }, "has a posterior");
  refused([](Model& model) { model.spec.d = 5; }, "5 columns");
  refused([](Model& model) { model.spec.m = 0; }, "no outputs");
  refused([](Model& model) { model.preprocessing.target_position = 2; }, "column 2");
  refused([](Model& model) { model.preprocessing.inputs[0].name = std::string(2'000'000, 'n'); }, "at most 1048576");
}

/// A child saves two models in turn over each other; some time after its first save it is killed.
void kill_while_saving(const std::filesystem::path& file, const Model (&models)[2], std::chrono::microseconds after) {
  int saved[2];
  ASSERT_EQ(::pipe(saved), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    for (std::size_t i = 0;; ++i) {
      save_model(file, models[i % 2]);
      if (i == 0 && ::write(saved[1], "s", 1) != 1) ::_exit(1);
    }
  }
  char byte = 0;
  EXPECT_EQ(::read(saved[0], &byte, 1), 1);
  std::this_thread::sleep_for(after);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(saved[0]);
  ::close(saved[1]);
}

TEST(ModelFile, KilledAtAnyTimeTheOldOrTheNewOneLoads) {
  const TemporaryFolder folder;
  const Model models[2] = {some_model(3, 2000, 0), some_model(3, 2000, 1)};
  const auto start = Clock::now();
  for (const Model& model : models) save_model(folder / "m", model);
  // Up to about three saves more.
  const auto most = std::clamp(std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start) * 3 / 2,
                               std::chrono::microseconds(1000), std::chrono::microseconds(20'000));
  const std::size_t kills = test::scaled(200);
  std::uint64_t random = 1;
  std::size_t second = 0;
  for (std::size_t i = 0; i < kills; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    kill_while_saving(folder / "m", models, std::chrono::microseconds(random >> 33) % most);
    const Model model = load_model(folder / "m");
    second += model.linear.weights(0, 0) == models[1].linear.weights(0, 0) ? 1 : 0;
  }
  EXPECT_GT(second, 0u) << "kills came before anything was replaced";
  // Temporaries that were left do not outlive the next save.
  save_model(folder / "m", models[0]);
  EXPECT_EQ(folder.names().size(), 1u);
  expect_equal(load_model(folder / "m"), models[0]);
}

TEST(ModelFile, FullDiskLeavesTheOldModel) {
  const TemporaryFolder folder;
  save_model(folder / "m", some_model());
  const std::string old = folder.read("m");
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  rlimit whole{};
  ::getrlimit(RLIMIT_FSIZE, &whole);
  for (const rlim_t limit : {0, 8, 100, 700, 1000}) {
    const rlimit limited{limit, whole.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limited);
    expect_file_error([&] { save_model(folder / "m", some_model(3, 4, 1)); }, {"cannot be written"});
    ::setrlimit(RLIMIT_FSIZE, &whole);
    EXPECT_EQ(folder.read("m"), old);
    EXPECT_EQ(folder.names().size(), 1u);
  }
  ::signal(SIGXFSZ, handler);
}

}  // namespace
}  // namespace bochner
