// SPDX-License-Identifier: Apache-2.0
#include "features/hybrids/hybrid_parts.h"

#include <utility>
#include <vector>

#include "core/parameter.h"
#include "core/stream.h"
#include "features/lookup.h"

namespace bochner {
namespace {

class RegisteredHybrid final : public Features {
 public:
  RegisteredHybrid(Spec spec, FeaturesPart composition)
      : spec_(std::move(spec)), composition_(std::move(composition)) {}

  void transform(MatrixView<const float> X, MatrixView<float> Z, Side side) const override {
    composition_->transform(X, Z, side);
  }
  void transform(MatrixView<const double> X, MatrixView<double> Z, Side side) const override {
    composition_->transform(X, Z, side);
  }
  Matrix<double> directions() const override { return composition_->directions(); }
  std::size_t outputs() const override { return composition_->outputs(); }
  bool symmetric() const override { return composition_->symmetric(); }
  const Spec& spec() const override { return spec_; }

 private:
  Spec spec_;
  FeaturesPart composition_;
};

}  // namespace

std::uint64_t part_seed(std::uint64_t seed, std::uint64_t part) {
  return part == 0 ? seed : Stream(seed, Purpose::hybrid_parts).bits(part, 0);
}

Spec part_spec(const Spec& hybrid, std::string kernel, std::string map, std::size_t m, std::uint64_t part) {
  Spec spec = hybrid;
  spec.kernel = std::move(kernel);
  spec.map = std::move(map);
  spec.m = m;
  spec.seed = part_seed(hybrid.seed, part);
  const Entry& coupling = find_coupling(hybrid.coupling).entry;
  std::erase_if(spec.parameters, [&](const auto& entry) { return find_parameter(coupling, entry.first) == nullptr; });
  return spec;
}

FeaturesPart make_part(const Spec& spec) { return make_features(spec); }

std::vector<Spec> bipolar_specs(const Spec& hybrid) {
  const bool shared = flag(hybrid.parameters, "shared");
  return {part_spec(hybrid, hybrid.kernel, "positive_paired", hybrid.m, 0),
          part_spec(hybrid, hybrid.kernel, "trigonometric", hybrid.m, shared ? 0 : 1)};
}

BipolarBases bipolar_bases(const Spec& hybrid) {
  const std::vector<Spec> specs = bipolar_specs(hybrid);
  return {make_part(specs[0]), make_part(specs[1])};
}

Spec gaussian_coefficient_spec(const Spec& hybrid, double width, std::uint64_t part) {
  Spec spec =
      part_spec(hybrid, "gaussian", word(hybrid.parameters, "lambda_map"), count(hybrid.parameters, "lambda_m"), part);
  for (double& length : spec.lengthscale) length *= width;
  return spec;
}

std::size_t lambda_width(const Parameters& parameters) { return find_map(word(parameters, "lambda_map")).width({}); }

std::unique_ptr<Features> registered(Spec spec, FeaturesPart composition) {
  return std::make_unique<RegisteredHybrid>(std::move(spec), std::move(composition));
}

}  // namespace bochner
