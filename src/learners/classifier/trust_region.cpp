// SPDX-License-Identifier: Apache-2.0
#include "learners/classifier/trust_region.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "simd/arrays.h"

namespace bochner {
namespace {

/// The most products with H for one step; each costs as much as an evaluation of the function.
constexpr std::size_t kMostProducts = 1000;
/// Decreases below this fraction of the value are rounding; the gradient then decides whether a step is an improvement.
constexpr double kNoise = 1e-13;

/// Lengths to which a poor step may be shortened, as fractions of its own.
constexpr std::array<double, 12> kLengths = {0x1p-1, 0x1p-2, 0x1p-3, 0x1p-4,  0x1p-5,  0x1p-6,
                                             0x1p-7, 0x1p-8, 0x1p-9, 0x1p-10, 0x1p-11, 0x1p-12};

/// A finer grid around the best of them. Close to the least value along the line, rows whose losses begin there have
/// just come in, and the next step takes them into account; short of it, steps would stay as blind as the first.
constexpr std::array<double, 12> kFiner = {0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.45, 1.6, 1.75, 1.9};

using Vector = std::vector<double>;

double dot(std::span<const double> x, std::span<const double> y) { return simd::dot<double>(x, y); }
double norm(std::span<const double> x) { return std::sqrt(dot(x, x)); }

void add(double factor, std::span<const double> x, std::span<double> to) {
  for (std::size_t i = 0; i < x.size(); ++i) to[i] += factor * x[i];
}

/// x' M y.
double scaled_dot(std::span<const double> x, std::span<const double> scale, std::span<const double> y) {
  Vector product(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) product[i] = scale[i] * y[i];
  return dot(x, product);
}

/// z = M^-1 r.
void precondition(std::span<const double> r, std::span<const double> scale, std::span<double> z) {
  for (std::size_t i = 0; i < r.size(); ++i) z[i] = r[i] / scale[i];
}

/// t >= 0 with |s + t d|_M = radius.
double way_to_boundary(std::span<const double> s, std::span<const double> d, std::span<const double> scale,
                       double radius) {
  const double a = scaled_dot(d, scale, d), b = scaled_dot(s, scale, d);
  const double c = std::max(radius * radius - scaled_dot(s, scale, s), 0.0);
  const double root = std::sqrt(b * b + a * c);
  return b > 0 ? c / (b + root) : (root - b) / a;
}

/// The state of the method for one part of the vector.
struct Part {
  double first = 0, gradient = 0;  ///< norms of the gradient at the start and now
  double radius = 0;
  bool done = false;      ///< the tolerance is reached, or no more progress is possible
  bool boundary = false;  ///< the last step ended at the boundary
  bool open = false;      ///< conjugate gradients go on
  bool poor = false;      ///< the last step gained too little
  double rz = 0, enough = 0;
};

class Method {
 public:
  using Told = std::function<void(std::size_t, std::size_t, double)>;

  Method(const SmoothFunction& function, Vector start, std::span<const double> tolerances, const Told& progress)
      : function_(function),
        tolerances_(tolerances),
        progress_(progress),
        parts_(function.parts()),
        width_(start.size() / parts_.size()) {
    result_.x = std::move(start);
    here_ = function.at(result_.x);
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      Part& part = parts_[k];
      Vector z(width_);
      precondition(of(here_.gradient, k), of(here_.scale, k), z);
      part.first = norm(of(here_.gradient, k));
      part.radius = std::sqrt(dot(of(here_.gradient, k), z));
      if (!std::isfinite(here_.values[k]) || !std::isfinite(part.first))
        throw std::invalid_argument(
            "X has rows whose features times C and the weights are so large that the gradient is not finite; expected "
            "shorter rows beside the lengthscale, a smaller C, or a bounded map");
      measure(k);
    }
    count();
  }

  Minimum run(std::size_t max_iterations) {
    while (result_.iterations < max_iterations && !all_done()) {
      Vector step = steps();
      try_steps(step);
      if (std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.poor; })) shorten(step);
      ++result_.iterations;
    }
    result_.reached = true;
    for (std::size_t k = 0; k < parts_.size(); ++k) result_.reached = result_.reached && reached(k);
    for (const double value : here_.values) result_.value += value;
    result_.gradient = norm(here_.gradient);
    return std::move(result_);
  }

 private:
  std::span<double> of(Vector& vector, std::size_t k) const { return {vector.data() + k * width_, width_}; }
  std::span<const double> of(const Vector& vector, std::size_t k) const { return {vector.data() + k * width_, width_}; }
  bool all_done() const {
    return std::all_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.done; });
  }
  void count() {
    ++result_.evaluations;
    if (!progress_) return;
    double excess = 0;
    for (std::size_t k = 0; k < parts_.size(); ++k)
      if (!parts_[k].done) excess = std::max(excess, parts_[k].gradient / (tolerances_[k] * parts_[k].first));
    progress_(result_.iterations, result_.evaluations, excess);
  }
  bool reached(std::size_t k) const { return parts_[k].gradient <= tolerances_[k] * parts_[k].first; }
  void measure(std::size_t k) {
    parts_[k].gradient = norm(of(here_.gradient, k));
    parts_[k].done = parts_[k].done || reached(k);
  }

  /// The steps of all parts, by conjugate gradients side by side; zero for parts that are done. residual_ is -g - H s.
  Vector steps() {
    Vector s(result_.x.size(), 0.0), d(s.size(), 0.0);
    residual_.assign(s.size(), 0.0);
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      Part& part = parts_[k];
      part.boundary = false;
      part.open = !part.done;
      if (part.done) continue;
      add(-1, of(here_.gradient, k), of(residual_, k));
      precondition(of(residual_, k), of(here_.scale, k), of(d, k));
      part.rz = dot(of(residual_, k), of(d, k));
      const double wanted = std::min(0.1, std::sqrt(part.gradient / part.first));
      part.enough = wanted * wanted * part.rz;
    }
    const auto open = [](const Part& part) { return part.open; };
    for (std::size_t products = 0; products < kMostProducts && std::any_of(parts_.begin(), parts_.end(), open);
         ++products) {
      const Vector Hd = function_.curvature(result_.x, here_, d);
      count();
      for (std::size_t k = 0; k < parts_.size(); ++k)
        if (parts_[k].open) advance(k, of(Hd, k), of(s, k), of(d, k));
    }
    return s;
  }

  void advance(std::size_t k, std::span<const double> Hd, std::span<double> s, std::span<double> d) {
    Part& part = parts_[k];
    const auto r = of(residual_, k), scale = of(here_.scale, k);
    const double bend = dot(d, Hd), limit = way_to_boundary(s, d, scale, part.radius);
    part.boundary = !(bend > 0) || part.rz / bend >= limit;
    const double length = part.boundary ? limit : part.rz / bend;
    add(length, d, s);
    add(-length, Hd, r);
    Vector z(width_);
    precondition(r, scale, z);
    const double before = std::exchange(part.rz, dot(r, z));
    part.open = !part.boundary && part.rz > part.enough;
    for (std::size_t i = 0; i < width_; ++i) d[i] = part.open ? z[i] + part.rz / before * d[i] : 0.0;
  }

  void try_steps(const Vector& step) {
    Vector trial = result_.x;
    add(1, step, trial);
    SmoothFunction::Point there = function_.at(trial);
    count();
    for (std::size_t k = 0; k < parts_.size(); ++k)
      if (!parts_[k].done) judge(k, of(step, k), trial, there);
  }

  /// Takes the step of a part and sets its radius, or marks the step as poor.
  void judge(std::size_t k, std::span<const double> step, const Vector& trial, SmoothFunction::Point& there) {
    Part& part = parts_[k];
    const double predicted = 0.5 * (dot(step, of(residual_, k)) - dot(step, of(here_.gradient, k)));
    const double actual = here_.values[k] - there.values[k];
    const bool rounding = std::max(std::fabs(actual), predicted) <= kNoise * std::fabs(here_.values[k]);
    part.poor = !rounding && !(actual >= 0.25 * predicted);
    if (part.poor) return;
    if (rounding && norm(of(there.gradient, k)) >= part.gradient)
      part.done = true;
    else
      take(k, trial, there);
    if (part.boundary && actual > 0.75 * predicted) part.radius *= 4;
  }

  void take(std::size_t k, const Vector& trial, SmoothFunction::Point& there) {
    std::copy_n(trial.data() + k * width_, width_, result_.x.data() + k * width_);
    std::copy_n(there.gradient.data() + k * width_, width_, here_.gradient.data() + k * width_);
    std::copy_n(there.scale.data() + k * width_, width_, here_.scale.data() + k * width_);
    here_.values[k] = there.values[k];
    if (!there.marks.empty()) here_.marks[k] = std::move(there.marks[k]);
    if (!there.numbers.empty()) here_.numbers[k] = std::move(there.numbers[k]);
    measure(k);
  }

  /// Multiplies the step of each part by the length with the least value; returns these values.
  Vector scale_to_best(Vector& step, std::span<const double> lengths) {
    const Matrix<double> values = function_.along(result_.x, step, lengths);
    count();
    Vector least;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const auto row = values.view().row(k);
      const auto best = std::min_element(row.begin(), row.end());
      least.push_back(*best);
      for (double& number : of(step, k)) number *= lengths[static_cast<std::size_t>(best - row.begin())];
    }
    return least;
  }

  /// Takes every poor step at its best length.
  void shorten(Vector& step) {
    for (std::size_t k = 0; k < parts_.size(); ++k)
      if (!parts_[k].poor) std::fill_n(step.data() + k * width_, width_, 0.0);
    scale_to_best(step, kLengths);
    const Vector values = scale_to_best(step, kFiner);
    Vector trial = result_.x;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      if (!parts_[k].poor) continue;
      parts_[k].poor = values[k] < here_.values[k];
      parts_[k].done = !parts_[k].poor;
      add(1, of(step, k), of(trial, k));
    }
    SmoothFunction::Point there = function_.at(trial);
    count();
    for (std::size_t k = 0; k < parts_.size(); ++k)
      if (std::exchange(parts_[k].poor, false)) take(k, trial, there);
  }

  const SmoothFunction& function_;
  std::span<const double> tolerances_;
  const Told& progress_;
  std::vector<Part> parts_;
  std::size_t width_;
  SmoothFunction::Point here_;
  Vector residual_;
  Minimum result_;
};

}  // namespace

Minimum minimise(const SmoothFunction& function, std::vector<double> start, std::span<const double> tolerances,
                 std::size_t max_iterations, const std::function<void(std::size_t, std::size_t, double)>& progress) {
  return Method(function, std::move(start), tolerances, progress).run(max_iterations);
}

}  // namespace bochner
