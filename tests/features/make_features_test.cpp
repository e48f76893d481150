// SPDX-License-Identifier: Apache-2.0
// make_features: names in any form, and a sentence for everything that cannot be made.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "bochner/features.h"
#include "bochner/kernel_matrix.h"
#include "bochner/registry.h"
#include "support/refusal.h"

namespace bochner {
namespace {

using test::refusal;

struct BadSpec {
  std::string name;
  std::function<void(Spec&)> spoil;
  std::vector<std::string> said;  ///< what the sentence must contain
};

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr std::size_t kHuge = std::numeric_limits<std::size_t>::max();

std::vector<BadSpec> bad_names_and_sizes() {
  return {
      {"no_directions", [](Spec& s) { s.m = 0; }, {"m is 0", ">= 1"}},
      {"no_columns", [](Spec& s) { s.d = 0; }, {"d is 0", ">= 1"}},
      {"no_columns_by_default", [](Spec& s) { s = Spec{}; }, {"d is 0"}},
      {"too_many_directions", [](Spec& s) { s.m = std::size_t{1} << 60; }, {"m is 1152921504606846976", "at most"}},
      {"more_than_memory",
       [](Spec& s) { s.m = std::size_t{1} << 45; },
       {"m is 35184372088832", "at most", "GiB", "structured"}},
      {"most_directions", [](Spec& s) { s.m = kHuge; }, {"m is 18446744073709551615", "at most"}},
      {"wide_and_many", [](Spec& s) { s.d = s.m = std::size_t{1} << 32; }, {"m is 4294967296", "at most"}},
      {"kernel_misspelt",
       [](Spec& s) { s.kernel = "gausian"; },
       {"unknown kernel 'gausian'", "did you mean 'gaussian'?"}},
      {"kernel_far_off", [](Spec& s) { s.kernel = "polynomial"; }, {"unknown kernel 'polynomial'", "known: gaussian"}},
      {"kernel_empty", [](Spec& s) { s.kernel = ""; }, {"unknown kernel ''", "known:"}},
      {"kernel_with_space",
       [](Spec& s) { s.kernel = "gaussian "; },
       {"unknown kernel 'gaussian '", "did you mean 'gaussian'?"}},
      {"map_misspelt",
       [](Spec& s) { s.map = "trigonometrc"; },
       {"unknown map 'trigonometrc'", "did you mean 'trigonometric'?"}},
      {"map_swapped", [](Spec& s) { s.map = "psoitive"; }, {"unknown map 'psoitive'", "did you mean 'positive'?"}},
      {"map_empty", [](Spec& s) { s.map = ""; }, {"unknown map ''"}},
      {"map_in_wrong_place", [](Spec& s) { s.map = "orthogonal"; }, {"unknown map 'orthogonal'"}},
      {"two_aliases_at_once", [](Spec& s) { s.map = "rff trigrf"; }, {"unknown map 'rff trigrf'"}},
      {"coupling_misspelt",
       [](Spec& s) { s.coupling = "ortogonal"; },
       {"unknown coupling 'ortogonal'", "did you mean 'orthogonal'?"}},
      {"coupling_shortened", [](Spec& s) { s.coupling = "simplx"; }, {"unknown coupling", "did you mean 'simplex'?"}},
      {"coupling_of_kilobytes", [](Spec& s) { s.coupling = std::string(5000, 'x'); }, {"unknown coupling 'xxx"}},
      {"simplex_on_a_line",
       [](Spec& s) { s.d = 1, s.coupling = "simplex"; },
       {"coupling 'simplex' needs d >= 2", "d is 1", "orthogonal"}},
  };
}

std::vector<BadSpec> bad_lengthscales() {
  return {
      {"lengthscale_missing",
       [](Spec& s) { s.lengthscale = {}; },
       {"lengthscale is a list of 0 numbers", "3 coordinates"}},
      {"lengthscale_too_few",
       [](Spec& s) {
         s.lengthscale = {1, 2};
       },
       {"lengthscale is a list of 2 numbers", "3 coordinates"}},
      {"lengthscale_too_many",
       [](Spec& s) {
         s.lengthscale = {1, 2, 3, 4};
       },
       {"lengthscale is a list of 4 numbers"}},
      {"lengthscale_zero", [](Spec& s) { s.lengthscale = {0.0}; }, {"lengthscale is 0", "> 0"}},
      {"lengthscale_minus_zero", [](Spec& s) { s.lengthscale = {-0.0}; }, {"lengthscale is -0", "> 0"}},
      {"lengthscale_negative", [](Spec& s) { s.lengthscale = {-1.5}; }, {"lengthscale is -1.5", "> 0"}},
      {"lengthscale_negative_last",
       [](Spec& s) {
         s.lengthscale = {1, 1, -2};
       },
       {"lengthscale is -2", "> 0"}},
      {"lengthscale_nan", [](Spec& s) { s.lengthscale = {kNan}; }, {"lengthscale is nan", "finite"}},
      {"lengthscale_nan_inside",
       [](Spec& s) {
         s.lengthscale = {1, kNan, 1};
       },
       {"lengthscale is nan"}},
      {"lengthscale_infinite", [](Spec& s) { s.lengthscale = {kInf}; }, {"lengthscale is inf", "finite"}},
      {"lengthscale_minus_infinite", [](Spec& s) { s.lengthscale = {-kInf}; }, {"lengthscale is -inf"}},
      {"lengthscale_subnormal", [](Spec& s) { s.lengthscale = {5e-324}; }, {"lengthscale is 5e-324", "1e-307"}},
  };
}

class Refusal : public ::testing::TestWithParam<BadSpec> {};

TEST_P(Refusal, NamesWhatIsWrong) {
  Spec spec{.d = 3, .m = 8};
  GetParam().spoil(spec);
  const std::string sentence = refusal([&] { make_features(spec); });
  ASSERT_FALSE(sentence.empty()) << "accepted";
  EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
  for (const std::string& part : GetParam().said) EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
}

std::string name_of(const ::testing::TestParamInfo<BadSpec>& test) { return test.param.name; }

INSTANTIATE_TEST_SUITE_P(NamesAndSizes, Refusal, ::testing::ValuesIn(bad_names_and_sizes()), name_of);
INSTANTIATE_TEST_SUITE_P(Lengthscales, Refusal, ::testing::ValuesIn(bad_lengthscales()), name_of);

TEST(MakeFeatures, SmallestSizesWork) {
  for (const Entry& coupling : couplings())
    for (const Entry& map : maps())
      for (const std::size_t d : {1, 2}) {
        if (!misfit("gaussian", map.name, coupling.name, d).empty()) continue;
        const auto features =
            make_features({.d = d, .map = std::string(map.name), .coupling = std::string(coupling.name), .m = 1});
        if (width(map.name) != 0) {
          EXPECT_EQ(features->outputs(), width(map.name));
        }
      }
}

TEST(MakeFeatures, ExtremeLengthscalesWork) {
  for (const double sigma : {1e-300, 1e-30, 1e30, 1e300}) {
    const auto features = make_features({.d = 2, .m = 3, .lengthscale = {sigma}});
    const Matrix<double> X(1, 2, 0.5 * sigma);
    Matrix<double> Z(1, 6);
    features->transform(X.view(), Z.view());
    const auto plain = make_features({.d = 2, .m = 3});
    const Matrix<double> Y(1, 2, 0.5);
    Matrix<double> expected(1, 6);
    plain->transform(Y.view(), expected.view());
    for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(Z(0, j), expected(0, j), 1e-14) << sigma;
  }
}

TEST(MakeFeatures, LengthscaleOfEqualEntriesIsOneNumber) {
  const auto scalar = make_features({.d = 3, .m = 7, .lengthscale = {0.3}});
  const auto vector = make_features({.d = 3, .m = 7, .lengthscale = {0.3, 0.3, 0.3}});
  const Matrix<double> X(2, 3, 0.7);
  Matrix<double> a(2, 14), b(2, 14);
  scalar->transform(X.view(), a.view());
  vector->transform(X.view(), b.view());
  for (std::size_t i = 0; i < 28; ++i) EXPECT_EQ(a.data()[i], b.data()[i]);
}

TEST(MakeFeatures, SpecComesBackWithCanonicalNames) {
  const Spec asked{
      .d = 4, .kernel = "RBF", .map = "Favor+", .coupling = "SimRF", .m = 9, .seed = 3, .lengthscale = {2.5}};
  Spec expected = asked;
  expected.kernel = "gaussian", expected.map = "positive", expected.coupling = "simplex";
  expected.parameters = {{"block", 4.0}};
  EXPECT_EQ(make_features(asked)->spec(), expected);
}

TEST(MakeFeatures, AliasesGiveTheSameBits) {
  const auto by_alias = make_features({.d = 4, .kernel = "rbf", .map = "PRF", .coupling = "orf", .m = 6, .seed = 5});
  const auto by_name =
      make_features({.d = 4, .kernel = "gaussian", .map = "positive", .coupling = "orthogonal", .m = 6, .seed = 5});
  const Matrix<double> a = by_alias->directions(), b = by_name->directions();
  for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(a.data()[i], b.data()[i]);
}

TEST(KernelMatrixRefusal, NamesWhatIsWrong) {
  const Matrix<double> X(2, 3, 1.0), narrow(2, 2, 1.0), none(2, 0);
  Matrix<double> broken(2, 3, 1.0);
  broken(1, 2) = kNan;
  const std::vector<double> one = {1.0}, two = {1.0, 2.0}, negative = {-1.0};
  const auto says = [&](MatrixView<const double> A, MatrixView<const double> B, const char* kernel,
                        const std::vector<double>& sigma, const char* part) {
    const std::string sentence = refusal([&] { kernel_matrix<double>(A, B, kernel, sigma); });
    EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
  };
  says(X.view(), X.view(), "gausian", one, "did you mean 'gaussian'");
  says(X.view(), narrow.view(), "gaussian", one, "Y is 2 x 2; expected n x 3");
  says(none.view(), none.view(), "gaussian", one, "X is 2 x 0");
  says(X.view(), X.view(), "gaussian", two, "lengthscale is a list of 2 numbers");
  says(X.view(), X.view(), "softmax", negative, "lengthscale is -1");
  says(broken.view(), X.view(), "gaussian", one, "X has nan at row 1, column 2");
  says(X.view(), broken.view(), "gaussian", one, "Y has nan at row 1, column 2");
}

}  // namespace
}  // namespace bochner
