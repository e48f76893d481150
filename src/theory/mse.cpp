// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "bochner/theory.h"
#include "core/errors.h"
#include "theory/blocks.h"
#include "theory/variance.h"

namespace bochner::theory {
namespace {

template <class Value>
struct Named {
  std::string_view name;
  Value value;
};

using LogFactor = double (*)(const PairGeometry&);
using Variance = double (*)(const PairGeometry&, double log_factor, const BlockStructure&);
using Blocks = BlockStructure (*)(std::size_t m, std::size_t d);

constexpr std::array<Named<LogFactor>, 2> kKernels = {{
    {"gaussian", [](const PairGeometry&) { return 0.0; }},
    {"softmax", [](const PairGeometry& pair) { return pair.nx + pair.ny; }},
}};

constexpr std::array<Named<Variance>, 4> kMaps = {{
    {"trigonometric", mse_trigonometric},
    {"cosine", mse_cosine},
    {"positive", mse_positive},
    {"positive_paired", mse_positive_paired},
}};

constexpr std::array<Named<Blocks>, 3> kCouplings = {{
    {"iid", iid_blocks},
    {"orthogonal", orthogonal_blocks},
    {"simplex", simplex_blocks},
}};

template <class Value, std::size_t size>
Value find(std::string_view what, std::string_view name, const std::array<Named<Value>, size>& table) {
  std::array<std::string_view, size> known;
  for (std::size_t i = 0; i < size; ++i) {
    if (table[i].name == name) return table[i].value;
    known[i] = table[i].name;
  }
  refuse_name(what, name, known);
}

std::string text(double value) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

void check_input(std::string_view what, std::span<const double> input, std::size_t d) {
  if (input.size() != d) {
    refuse(std::string(what) + ".size()", std::to_string(input.size()), "d = " + std::to_string(d));
  }
  for (std::size_t l = 0; l < d; ++l) {
    if (!std::isfinite(input[l])) {
      refuse(std::string(what) + "[" + std::to_string(l) + "]", text(input[l]), "a finite number");
    }
  }
}

void check_spec(const Spec& spec) {
  if (spec.d == 0) refuse("d", "0", "at least 1");
  if (spec.m == 0) refuse("m", "0", "at least 1");
  const std::size_t size = spec.lengthscale.size();
  if (size != 1 && size != spec.d) {
    refuse("lengthscale.size()", std::to_string(size), "1 or d = " + std::to_string(spec.d));
  }
  for (const double sigma : spec.lengthscale) {
    if (!(std::isfinite(sigma) && sigma > 0.0)) refuse("lengthscale", text(sigma), "a finite number above 0");
  }
}

PairGeometry scaled_geometry(const Spec& spec, std::span<const double> x, std::span<const double> y) {
  PairGeometry pair{};
  for (std::size_t l = 0; l < spec.d; ++l) {
    const double sigma = spec.lengthscale.size() == 1 ? spec.lengthscale[0] : spec.lengthscale[l];
    const double a = x[l] / sigma;
    const double b = y[l] / sigma;
    pair.nx += a * a;
    pair.ny += b * b;
    pair.dot += a * b;
    pair.v2 += (a + b) * (a + b);
    pair.z2 += (a - b) * (a - b);
  }
  return pair;
}

}  // namespace

double mse(const Spec& spec, std::span<const double> x, std::span<const double> y) {
  const LogFactor log_factor = find("kernel", spec.kernel, kKernels);
  const Variance variance = find("map", spec.map, kMaps);
  const Blocks blocks = find("coupling", spec.coupling, kCouplings);
  check_spec(spec);
  check_input("x", x, spec.d);
  check_input("y", y, spec.d);
  const PairGeometry pair = scaled_geometry(spec, x, y);
  constexpr double kLargest = 1e300;  // the sums of squared norms above stay finite
  const double norms = pair.nx + pair.ny;
  if (!(norms <= kLargest)) refuse("|x/lengthscale|^2 + |y/lengthscale|^2", text(norms), "at most 1e300");
  return variance(pair, log_factor(pair), blocks(spec.m, spec.d));
}

}  // namespace bochner::theory
