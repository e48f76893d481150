// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "bochner/version.h"
#include "demo/pictures.h"
#include "demo/report.h"
#include "report/fit_page.h"

namespace bochner::cli {
namespace {

void add_gram(Page& page, const DemoReport& report) {
  const GramStudy& study = report.gram;
  page.section(
      "The Gram matrix, exact and approximated",
      fmt::format(
          "The data are {} points of the S-curve, a sheet bent into an S in three dimensions, in their order along "
          "the curve. The exact matrix holds <i>k</i>(<i>x<sub>i</sub></i>, <i>x<sub>j</sub></i>) of the Gaussian "
          "kernel with lengthscale {}; the others are inner products of feature vectors.",
          study.n, study.lengthscale));
  page.figure(
      draw_gram(study),
      fmt::format("With four directions the matrix is hardly more than noise around the diagonal; with {} the eye "
                  "finds no difference and the errors below have faded. Colours at the border of the exact matrix "
                  "are those of the points.",
                  study.approximations.back().m));
  page.table(gram_table(report));
  page.paragraph(
      "The errors of all entries come from one draw of <i>W</i> and go together, so that the measured value of a "
      "single "
      "draw scatters around the predicted one. Many draws follow in the next section.");
}

void add_errors(Page& page, const DemoReport& report) {
  const ErrorStudy& study = report.errors;
  page.section(
      "Error against the number of directions, measured and known beforehand",
      fmt::format(
          "Every kernel, map and coupling that compose, on the same {} pairs of points of the S-curve (lengthscale "
          "{}; root mean squares |<i>x</i>+<i>y</i>| = {:.2f} and |<i>x</i>&#8722;<i>y</i>| = {:.2f} "
          "lengthscales). Marks are measured over {} independent draws of <i>W</i>; bars are two standard errors. "
          "Lines are not fitted: they are the closed-form errors, known before anything is drawn.",
          study.pairs, study.lengthscale, study.sum_norm, study.difference_norm, study.draws));
  for (const std::string& kernel : kernels_of(study))
    page.figure(
        svg::draw(errors_by_map(study, kernel)),
        fmt::format("<b>The {} kernel.</b> Each mark should lie on its line. All lines fall like 1/&#8730;<i>m</i>; "
                    "a coupling moves a line down. Orthogonal directions serve the trigonometric and the paired "
                    "map best, the simplex the single positive map; the random phase of the cosine map adds an "
                    "error that no coupling removes.",
                    kernel));
  page.table(error_table(report));
  page.folded_table(full_error_table(report));
  page.figure(
      svg::draw(errors_by_outputs(study, kernels_of(study))),
      "<b>At equal cost.</b> Some maps make two numbers of one direction. Against the length of the feature vector, "
      "each map with the coupling that suits it best: lower is better.");
  page.folded_table(equal_outputs_table(report));
}

void add_distance(Page& page, const DemoReport& report) {
  const DistanceStudy& study = report.distance;
  page.section("What a coupling gains, and where",
               fmt::format("In {0} dimensions with {0} directions the gain is larger. The squared error is divided by "
                           "that of independent directions, so that 1 means no gain.",
                           study.d));
  page.figure(
      svg::draw(errors_by_distance(study)),
      "The gain is greatest for near points and fades with distance. Left, the error of the trigonometric map "
      "against |<i>x</i>&#8722;<i>y</i>|: orthogonal directions lead. Right, the error of the positive map against "
      "|<i>x</i>+<i>y</i>|: only the simplex removes the error of small sums.");
  page.folded_table(distance_table(report));
}

void add_ridge(Page& page, const DemoReport& report) {
  const RidgeStudy& study = report.ridge;
  page.section(
      "Ridge regression: linear instead of cubic time",
      fmt::format("{} noisy values of a function of one variable. Exact kernel ridge (Gaussian kernel, lengthscale {}, "
                  "&#945; = {:.2g}) solves {} equations; ridge on random features solves as many as there are outputs.",
                  study.n, study.lengthscale, study.alpha, study.n));
  page.figure(svg::draw(ridge_fits(study)),
              "<b>The fit.</b> Too few directions cannot follow the function; with sixty-four the dashed line covers "
              "the exact one. A part of the data is shown.");
  page.figure(
      svg::draw(ridge_costs(study)),
      fmt::format(
          "<b>Error and seconds.</b> Left: the distance from the true function reaches that of exact ridge "
          "(median of {} draws, bars to the quartiles). Middle: seconds to fit and predict. Right: with growing "
          "<i>n</i> the exact line climbs about with the third power, the other with the first.",
          study.draws));
  page.table(ridge_table(report));
  page.table(sizes_table(report));
}

void add_model(Page& page, const DemoReport& report) {
  const ModelStudy& study = report.model;
  std::string notes;
  for (const std::string& note : study.notes) notes += "<br>\n" + svg::escape(note) + ".";
  page.section(
      "The same for your files",
      fmt::format(
          "In the folder <code>model</code> beside this page lie <code>rows.csv</code>, {} points of the S-curve with "
          "a word and their noisy place along the curve, and <code>new.csv</code>, others. The command line learns "
          "from the one and predicts the other, and tells what it chose:{}",
          study.rows, notes));
  page.table(model_table(report));
  page.figure(svg::draw(residuals_of(study.shown)),
              "<b>Predictions for <code>new.csv</code>.</b> Left: without error all dots would lie on the dashed line. "
              "Right: what is left has no trend; it is the noise of the places. <code>bochner fit --report "
              "page.html</code> makes a page with this and more for any file.");
}

}  // namespace

std::string demo_page(const DemoReport& report) {
  Page page("Random features at work",
            "A kernel is replaced by an inner product of short random vectors, so that kernel methods cost linear "
            "instead of quadratic or cubic time. This page shows, on data made by the program itself, how good the "
            "replacement is, that its error is known beforehand, and what it saves.");
  page.formula(
      "<i>k</i>(<i>x</i>, <i>y</i>) &#8776; &#966;(<i>x</i>) &#183; &#966;(<i>y</i>), &#8195; "
      "&#966;(<i>x</i>) = <i>f</i>(<i>W x</i>), &#8195; <i>W</i> ~ coupling(law)");
  page.paragraph(
      "<i>W</i> has <i>m</i> random rows, the directions. The <b>map</b> <i>f</i> decides what is computed from each "
      "of "
      "them, the <b>coupling</b> how they depend on each other.");
  add_gram(page, report);
  add_errors(page, report);
  add_distance(page, report);
  add_ridge(page, report);
  add_model(page, report);
  page.footer(
      fmt::format("Bochner {}. Made by <code>bochner demo --seed {}</code> on {} thread{}; all numbers except "
                  "seconds are the same in every run.",
                  kVersion, report.seed, report.threads, report.threads == 1 ? "" : "s"));
  return page.html();
}

}  // namespace bochner::cli
