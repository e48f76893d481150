// SPDX-License-Identifier: Apache-2.0
#include "bochner/compose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/errors.h"
#include "features/check.h"
#include "features/product_sum.h"

namespace bochner {
namespace {

/// Collects distinct parts and the sections made from them.
class Composition {
 public:
  /// Adds factor k_right, or factor k_left k_right where `left` is not null; adds nothing where the factor is 0.
  void add(double factor, const FeaturesPart& left, const FeaturesPart& right) {
    if (factor == 0) return;
    Section section{factor, std::nullopt, 0};
    if (left) section.left = number_of(left, section.factor);
    section.right = number_of(right, section.factor);
    sections_.push_back(section);
  }

  FeaturesPart finish(std::string name) && {
    if (sections_.empty()) throw std::invalid_argument(fmt::format("a {} of nothing; expected a part", name));
    return std::make_shared<ProductSum>(std::move(name), std::move(parts_), std::move(sections_));
  }

 private:
  /// The number of a part. Scaled features count as the features that they scale, and their scale goes into `factor`.
  std::size_t number_of(FeaturesPart part, double& factor) {
    check(part);
    while (const auto* sum = dynamic_cast<const ProductSum*>(part.get())) {
      if (sum->sections().size() != 1 || sum->sections()[0].left) break;
      factor *= sum->sections()[0].factor;
      part = FeaturesPart(sum->part(sum->sections()[0].right));
    }
    const auto found = std::ranges::find(parts_, part);
    if (found == parts_.end()) parts_.push_back(part);
    return static_cast<std::size_t>(std::ranges::find(parts_, part) - parts_.begin());
  }

  void check(const FeaturesPart& part) const {
    check_part(part.get());
    if (!parts_.empty() && parts_.front()->d() != part->d())
      throw std::invalid_argument(fmt::format("parts take inputs of d = {} and d = {}; expected one d for all",
                                              parts_.front()->d(), part->d()));
  }

  std::vector<FeaturesPart> parts_;
  std::vector<Section> sections_;
};

void check_finite(const char* name, double value) {
  if (!std::isfinite(value)) refuse(name, fmt::format("{}", value), "a finite number");
}

}  // namespace

FeaturesPart scaled(double c, FeaturesPart features) {
  check_finite("c", c);
  if (c == 0) refuse("c", "0", "a number other than 0");
  Composition composition;
  composition.add(c, nullptr, features);
  return std::move(composition).finish("scaled");
}

FeaturesPart concatenation(const std::vector<FeaturesPart>& parts) {
  Composition composition;
  for (const FeaturesPart& part : parts) composition.add(1, nullptr, part);
  return std::move(composition).finish("concatenation");
}

FeaturesPart tensor_product(FeaturesPart a, FeaturesPart b) {
  check_part(a.get());
  Composition composition;
  composition.add(1, a, b);
  return std::move(composition).finish("tensor_product");
}

FeaturesPart hybrid(const std::vector<HybridTerm>& terms, FeaturesPart rest) {
  if (terms.empty()) throw std::invalid_argument("a hybrid of no term; expected at least one base and its coefficient");
  Composition composition;
  double left_over = 1;
  for (const HybridTerm& term : terms) {
    check_finite("constant", term.constant);
    if (term.constant == 0 && !term.coefficient)
      throw std::invalid_argument("a term of a hybrid has neither a constant nor a coefficient");
    composition.add(term.constant, nullptr, term.base);
    left_over -= term.constant;
  }
  for (const HybridTerm& term : terms)
    if (term.coefficient) composition.add(1, term.coefficient, term.base);
  if (rest) {
    composition.add(left_over, nullptr, rest);
    for (const HybridTerm& term : terms)
      if (term.coefficient) composition.add(-1, term.coefficient, rest);
  }
  return std::move(composition).finish("hybrid");
}

}  // namespace bochner
