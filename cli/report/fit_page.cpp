// SPDX-License-Identifier: Apache-2.0
#include "report/fit_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "bochner/version.h"
#include "model_option.h"
#include "report/page.h"

namespace bochner::cli {
namespace {

/// A table of more classes would be longer than anyone reads.
constexpr std::size_t kMostListed = 200, kMostPairs = 30;

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : std::string("none");
}

ReportTable choices(const ModelFit& result) {
  const Model& model = result.model;
  const auto& scale = model.spec.lengthscale;
  return {"The model",
          {"part", "value"},
          {{"learner", model.learner},
           {"kernel", model.spec.kernel},
           {"map", model.spec.map},
           {"coupling", model.spec.coupling},
           {"random directions m", fmt::format("{}", model.spec.m)},
           {"features", fmt::format("{} of {}", model.linear.weights.cols(), model.single ? "float32" : "float64")},
           {"lengthscale", scale.size() == 1 ? fmt::format("{:.6g}", scale[0]) : "one for each input"},
           {"inputs", fmt::format("{} columns, d = {}", model.preprocessing.inputs.size(), model.preprocessing.d())},
           {"rows that were fitted", fmt::format("{}", model.facts.at("rows"))},
           {"rows held out", fmt::format("{}", model.facts.at("held_out"))},
           {"seed", fmt::format("{}", model.spec.seed)}},
          2};
}

void add_choices(Page& page, const ModelFit& result) {
  std::string notes;
  for (const std::string& note : result.notes) notes += (notes.empty() ? "" : "<br>\n") + svg::escape(note) + ".";
  page.section("What was chosen, and why", notes);
  page.table(choices(result));
}

void add_residuals(Page& page, const ModelFit& result) {
  const Metrics& metrics = result.holdout;
  page.section("Rows held out",
               fmt::format("{} rows had no part in the fit. Root mean square error {:.6g}, mean absolute error {:.6g}, "
                           "R&#178; {:.4f}: the share of the variance of the target that is explained.",
                           metrics.rows, metrics.rmse, metrics.mae, metrics.r2));
  page.figure(
      svg::draw(residuals_of(*result.details)),
      fmt::format("<b>Predictions and residuals</b> of {} of these rows. Left: without error all dots would lie "
                  "on the dashed line. Right: what the model leaves over; a trend or a fan that opens says that "
                  "something in the rows is not yet used, or that the noise is not the same everywhere.",
                  result.details->truths.size()));
}

ReportTable classes_table(const ModelFit& result) {
  const Matrix<double>& confusion = result.holdout.confusion;
  const auto& classes = result.model.preprocessing.classes;
  ReportTable table{"Classes on the rows held out", {"class", "rows", "found", "right when predicted"}, {}, 1};
  for (std::size_t i = 0; i < std::min(classes.size(), kMostListed); ++i) {
    const auto row = confusion.view().row(i);
    const double rows = std::accumulate(row.begin(), row.end(), 0.0);
    double taken = 0;
    for (std::size_t k = 0; k < classes.size(); ++k) taken += confusion(k, i);
    table.rows.push_back(
        {classes[i], fmt::format("{:.0f}", rows), percent(confusion(i, i), rows), percent(confusion(i, i), taken)});
  }
  return table;
}

/// The wrong cells of the matrix that hold the most rows; cells with equally many rows keep its order.
ReportTable pairs_table(const ModelFit& result) {
  const Matrix<double>& confusion = result.holdout.confusion;
  const auto& classes = result.model.preprocessing.classes;
  struct Pair {
    double rows;
    std::size_t i, j;
  };
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < classes.size(); ++i)
    for (std::size_t j = 0; j < classes.size(); ++j)
      if (i != j && confusion(i, j) > 0) pairs.push_back({confusion(i, j), i, j});
  std::ranges::stable_sort(pairs, std::greater<>(), &Pair::rows);
  if (pairs.size() > kMostPairs) pairs.resize(kMostPairs);
  ReportTable table{"Classes that are confused most often", {"class", "taken for", "rows", "of the class"}, {}, 2};
  for (const Pair& pair : pairs) {
    const auto row = confusion.view().row(pair.i);
    table.rows.push_back({classes[pair.i], classes[pair.j], fmt::format("{:.0f}", pair.rows),
                          percent(pair.rows, std::accumulate(row.begin(), row.end(), 0.0))});
  }
  return table;
}

void add_confusion(Page& page, const ModelFit& result) {
  const auto& classes = result.model.preprocessing.classes;
  const bool drawn = classes.size() <= kMostDrawn;
  std::string text = fmt::format("{} rows had no part in the fit: {}.", result.holdout.rows,
                                 metrics_text(result.holdout, result.model.preprocessing));
  if (!drawn)
    text += fmt::format(" Of {} classes the pairs that are confused most often, at most {}, then the first {}.",
                        classes.size(), kMostPairs, std::min(classes.size(), kMostListed));
  page.section("Rows held out", text);
  if (drawn)
    page.figure(
        draw_confusion(result.holdout.confusion, classes),
        "<b>Which classes are taken for which.</b> A line of the matrix holds the rows of one class, a column those "
        "that were taken for it; on the diagonal they are the same. The darker a cell, the larger its share of the "
        "line.");
  else
    page.table(pairs_table(result));
  page.table(classes_table(result));
}

void add_errors(Page& page, const ModelFit& result) {
  const svg::Picture picture = errors_of(result);
  if (picture.charts.empty()) return;
  const bool path = !result.details->alphas.empty(), tried = !result.details->Cs.empty();
  page.section(
      fmt::format("Error against the {}number of directions", path || tried ? "penalty and the " : ""),
      fmt::format("Kernel, lengthscale and draws stay as they are{}. Where the error still falls at the largest "
                  "<i>m</i>, more directions are worth their time.",
                  path                     ? "; alpha is chosen anew for every <i>m</i>"
                  : result.model.posterior ? "; the variances of gp are chosen anew for every <i>m</i>"
                                           : ""));
  std::string caption =
      "<b>Fewer directions.</b> The same learner with fewer random directions, tested on the rows held out.";
  if (path)
    caption =
        "<b>Penalty and directions.</b> Left: too small a penalty follows the noise, too large a one does not "
        "follow the function; the largest within a thousandth of the least error over five folds of the fitted rows "
        "is taken. Right: the same learner with fewer directions, tested on the rows held out.";
  if (tried)
    caption =
        "<b>Penalty and directions.</b> Both tested on the rows held out. Left: the larger <i>C</i>, the smaller the "
        "penalty; if another <i>C</i> has the least error, fit with it, and test it on rows that had no part in the "
        "choice. Right: the same learner with fewer directions.";
  page.figure(svg::draw(picture), caption);
}

void add_components(Page& page, const ModelFit& result) {
  const KernelPcaFit& found = *result.model.components;
  page.section("Principal components",
               fmt::format("{} components hold {:.1f} % of the variance of the features. <code>bochner transform "
                           "--model</code> writes the scores of rows along them.",
                           found.explained_variance.size(), 100 * result.model.facts.at("explained_share")));
  page.figure(svg::draw(components_of(found)),
              "<b>Variance.</b> Left: along each component. Right: the share that the first of them hold together.");
}

std::size_t holding(const std::vector<double>& values, double share) {
  const double total = std::accumulate(values.begin(), values.end(), 0.0);
  double sum = 0;
  for (std::size_t k = 0; k < values.size(); ++k)
    if ((sum += values[k]) >= share * total) return k + 1;
  return values.size();
}

void add_spectrum(Page& page, const ModelFit& result) {
  const FitDetails& details = *result.details;
  page.section(
      "The spectrum of the kernel",
      fmt::format("Eigenvalues of the kernel on {} of the rows: the faster they fall, the simpler the functions "
                  "that are easily learned. {} of them hold 99 % of their sum.",
                  details.kernel_spectrum.size(), holding(details.kernel_spectrum, 0.99)));
  page.figure(
      svg::draw(spectrum_of(details)),
      "<b>Exact and approximated.</b> The dashed line is that of the inner products of features, and has no more "
      "eigenvalues than features. Where it leaves the other one, directions are missing; a small lengthscale "
      "makes both fall later.");
}

}  // namespace

std::string fit_page(const std::string& input, const ModelFit& result, double seconds) {
  const Model& model = result.model;
  const std::string target = model.preprocessing.target.empty() ? "the target" : model.preprocessing.target;
  Page page(model.components ? "Principal components" : fmt::format("A model of {}", target),
            fmt::format("<code>bochner fit</code> on <code>{}</code>: {} on {} random features, in {:.2f} s.",
                        svg::escape(input), model.learner, model.linear.weights.cols(), seconds));
  add_choices(page, result);
  if (result.holdout.rows > 0) {
    if (model.preprocessing.task == Task::regression)
      add_residuals(page, result);
    else
      add_confusion(page, result);
  }
  if (model.components)
    add_components(page, result);
  else
    add_errors(page, result);
  add_spectrum(page, result);
  page.footer(fmt::format("Bochner {}. All numbers except seconds are the same in every run.", kVersion));
  return page.html();
}

}  // namespace bochner::cli
