// SPDX-License-Identifier: Apache-2.0
// The closed forms against known answers of 60 digits.
#include "support/golden.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "bochner/matrix.h"
#include "bochner/registry.h"
#include "bochner/theory.h"
#include "support/given_rows.h"
#include "theory/angle.h"
#include "theory/blocks.h"
#include "theory/conformity.h"
#include "theory/variance.h"

namespace bochner::theory {
namespace {

using testing::golden_cases;
using testing::GoldenCase;

/// Differences of order-one quantities are known to 1e-13 d; everything else to the relative tolerance of the case.
void expect_close(double actual, const GoldenCase& known, double absolute = 0.0) {
  const double value = known.value.get<double>();
  EXPECT_LE(std::abs(actual - value), std::max(known.rtol * std::abs(value), absolute))
      << known.fn << known.args << " is " << value << ", not " << actual;
}

double simplex_cosine(std::size_t rows) { return -1.0 / (static_cast<double>(rows) - 1.0); }

double cosine_of(const GoldenCase& known) {
  return known.args.at("coupling") == "orthogonal" ? 0.0 : simplex_cosine(known.args.at("d"));
}

/// Blocks of d rows and a partial last one whose rows are taken from the same d-simplex (or are orthogonal).
BlockStructure known_blocks(const GoldenCase& known) {
  const std::size_t m = known.args.at("m");
  const std::size_t d = known.args.at("d");
  BlockStructure blocks = iid_blocks(m, d);
  if (known.args.at("coupling") == "iid") return blocks;
  blocks.groups = {{m / d, d, cosine_of(known)}, {1, m % d, cosine_of(known)}};
  if (m % d == 0) blocks.groups.pop_back();
  return blocks;
}

PairGeometry known_pair(const GoldenCase& known) {
  return pair_geometry(known.args.at("nx"), known.args.at("ny"), known.args.at("dot"));
}

struct Face {
  const char* fn;
  const char* map;
  double (*variance)(const PairGeometry&, double, const BlockStructure&);
};

double trigonometric(const PairGeometry& pair, double log_factor, const BlockStructure& blocks) {
  return mse_trigonometric(gaussian_terms(pair.z2, blocks.d), log_factor, blocks);
}

double cosine(const PairGeometry& pair, double log_factor, const BlockStructure& blocks) {
  return mse_cosine(gaussian_terms(pair.z2, blocks.d), log_factor, blocks);
}

const Face kFaces[] = {{"mse_trig", "trigonometric", trigonometric},
                       {"mse_cosbias", "cosine", cosine},
                       {"mse_prf", "positive", mse_positive},
                       {"mse_prf_pp", "positive_paired", mse_positive_paired}};

double absolute_tolerance(const Face& face, const GoldenCase& known) {
  return std::string(face.fn) == "mse_trig" ? 1e-13 * known.args.at("d").get<double>() : 0.0;
}

TEST(Golden, Conformity) {
  for (const GoldenCase& known : golden_cases("theory", "rho")) {
    expect_close(std::exp(log_rho(known.args.at("v2"), known.args.at("d"), cosine_of(known))), known);
  }
  for (const GoldenCase& known : golden_cases("theory", "rho_pp")) {
    expect_close(std::exp(log_rho_paired(known.args.at("v2"), known.args.at("d"), cosine_of(known))), known);
  }
  for (const GoldenCase& known : golden_cases("theory", "rff_conf")) {
    expect_close(conf(known.args.at("z2"), known.args.at("d"), cosine_of(known)), known,
                 1e-13 * known.args.at("d").get<double>());
  }
}

TEST(Golden, DifferencesAgreeWithConformities) {
  for (const GoldenCase& known : golden_cases("theory", "rho")) {
    const double v2 = known.args.at("v2");
    expect_close(rho_difference(v2, known.args.at("d"), cosine_of(known)) + std::exp(v2), known);
  }
  for (const GoldenCase& known : golden_cases("theory", "rho_pp")) {
    const double v2 = known.args.at("v2");
    expect_close(rho_paired_difference(v2, known.args.at("d"), cosine_of(known)) + std::exp(v2), known);
  }
}

TEST(Golden, SameBlockPairs) {
  for (const GoldenCase& known : golden_cases("theory", "same_block_pairs")) {
    for (const auto blocks_of : {orthogonal_blocks, simplex_blocks}) {
      double pairs = 0.0;
      for (const BlockGroup& group : blocks_of(known.args.at("m"), known.args.at("B")).groups) pairs += group.pairs();
      EXPECT_EQ(pairs, known.value.get<double>()) << known.args;
    }
  }
}

TEST(Golden, SmallArgumentPrefactorOfTheSimplex) {
  const PairGeometry pair{.nx = 1.0, .ny = 1.0, .dot = -1.0, .v2 = 1e-12, .z2 = 4.0};
  for (const GoldenCase& known : golden_cases("theory", "simrf_v2_prefactor")) {
    const std::size_t d = known.args.at("d");
    const std::size_t m = known.args.value("m", d);
    ASSERT_EQ(m % d, m == d ? 0 : 1) << "a last block of one row has no pairs, so both readings of it agree";
    const double mse = mse_positive(pair, 0.0, simplex_blocks(m, d));
    expect_close(static_cast<double>(m) * std::exp(4.0) * mse / pair.v2, known);
  }
}

TEST(Golden, MeanSquaredErrorByBlocks) {
  for (const Face& face : kFaces) {
    for (const GoldenCase& known : golden_cases("theory", face.fn)) {
      const PairGeometry pair = known_pair(known);
      const double log_factor = known.args.at("kernel") == "softmax" ? pair.nx + pair.ny : 0.0;
      expect_close(face.variance(pair, log_factor, known_blocks(known)), known, absolute_tolerance(face, known));
    }
  }
}

TEST(Golden, MeanSquaredErrorOfASpec) {
  for (const Face& face : kFaces) {
    for (const GoldenCase& known : golden_cases("theory", face.fn)) {
      const std::string coupling = known.args.at("coupling");
      Spec spec;
      spec.d = known.args.at("d");
      spec.m = known.args.at("m");
      // The known answer takes the rows of a partial block from the d-simplex, a spec from the simplex of r vertices.
      if (coupling == "simplex" && spec.m % spec.d > 1) continue;
      spec.map = face.map;
      spec.kernel = known.args.at("kernel") == "softmax" ? "softmax" : "gaussian";
      spec.coupling = coupling == "iid" ? "iid" : coupling == "orthogonal" ? "orthogonal" : "simplex";
      const PairGeometry pair = known_pair(known);
      std::vector<double> x(spec.d, 0.0), y(spec.d, 0.0);
      x[0] = std::sqrt(pair.nx);
      y[0] = pair.dot / x[0];
      y[1] = std::sqrt(std::max(0.0, pair.ny - y[0] * y[0]));
      expect_close(mse(spec, x, y), known, absolute_tolerance(face, known));
    }
  }
}

TEST(Golden, PartialBlocksHaveTheirOwnSimplex) {
  for (const GoldenCase& known : golden_cases("theory", "mse_prf_blocks")) {
    BlockStructure listed = iid_blocks(0, known.args.at("d"));
    for (const auto& block : known.args.at("blocks")) {
      listed.m += block[0].get<std::size_t>();
      listed.groups.push_back({1, block[0], block[1]});
    }
    expect_close(mse_positive(known_pair(known), 0.0, listed), known);
    expect_close(mse_positive(known_pair(known), 0.0, simplex_blocks(listed.m, listed.d)), known);
  }
}

TEST(Golden, PaddedBlocks) {
  for (const GoldenCase& known : golden_cases("theory", "mse_prf_padded")) {
    expect_close(mse_positive(known_pair(known), 0.0, known_blocks(known)), known);
  }
}

TEST(Golden, OrthogonalityStopsHelpingAtTheCriticalDistance) {
  for (const GoldenCase& known : golden_cases("theory", "rff_zcrit")) {
    const std::size_t d = known.args.at("d");
    const auto difference = [&](double z) { return conf_difference(z * z, d, 0.0); };
    double low = known.value.get<double>() - 0.1;
    double high = known.value.get<double>() + 0.1;
    ASSERT_LT(difference(low), 0.0) << d;
    ASSERT_GT(difference(high), 0.0) << d;
    for (int i = 0; i < 60; ++i) {
      const double middle = (low + high) / 2.0;
      (difference(middle) < 0.0 ? low : high) = middle;
    }
    expect_close(low, known);
  }
}

/// The variance of fixed norms is known to 1e-13 d absolutely, as a difference of order-one quantities.
TEST(Golden, FixedNorms) {
  for (const GoldenCase& known : golden_cases("theory", "orfp_rff_mean")) {
    const double z2 = known.args.at("z2");
    expect_close(fixed_norm_terms(z2, known.args.at("d")).bias + std::exp(-z2 / 2.0), known, 1e-14);
  }
  for (const GoldenCase& known : golden_cases("theory", "orfp_rff_var")) {
    const BlockStructure blocks = orthogonal_blocks(known.args.at("m"), known.args.at("d"));
    FourierTerms terms = fixed_norm_terms(known.args.at("z2"), blocks.d);
    terms.bias = 0.0;
    expect_close(mse_trigonometric(terms, 0.0, blocks), known, 1e-15);
  }
}

/// Why positive maps refuse rows of norm sqrt(d): E phi(x).phi(y) / k(x, y) = 0F1(; d/2; d v2 / 4) e^{-v2/2} is not 1.
TEST(Golden, FixedNormsBiasPositiveFeatures) {
  for (const GoldenCase& known : golden_cases("theory", "orfp_prf_mean_ratio")) {
    const double v2 = known.args.at("v2");
    Matrix<double> halves(2, known.args.at("d"), 0.0);  // their sum has norm sqrt(d)
    halves(0, 0) = halves(1, 0) = std::sqrt(static_cast<double>(halves.cols())) / 2;
    expect_close(conformity_of_rows(halves.view(), v2) * std::exp(-v2 / 2), known);
    EXPECT_FALSE(misfit("gaussian", "positive", "orthogonal_fixed", halves.cols()).empty());
  }
}

TEST(Golden, SignFeatures) {
  const std::vector<double> x = {1.0, 0.0};
  for (const GoldenCase& known : golden_cases("theory", "sgn_var")) {
    const double theta = known.args.at("theta");
    const std::vector<double> y = {std::cos(theta), std::sin(theta)};
    expect_close(mse_sign(x, y, known.args.at("n")), known, 1e-15);
  }
}

}  // namespace
}  // namespace bochner::theory
