// SPDX-License-Identifier: Apache-2.0
#include "transform_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

#include "progress_bar.h"

namespace bochner::cli {

void transform_by_model(const ModelOptions& options, const std::string& output) {
  check_output(output);
  const ModelPredictor predictor = open_model(options, "transform");
  check_other_file("--out", output, options.input);
  check_other_file("--out", output, options.model);
  const Model& model = predictor.model();
  const auto rows = open_rows(options.input, read_options(model.preprocessing, options.header.asked()));
  PreparedRows prepared(model.preprocessing, *rows, false, model.single);
  const bool scores = model.components.has_value();
  const std::size_t outputs = scores ? model.linear.weights.rows() : predictor.features().outputs();
  std::vector<RowWriter::Column> columns;
  for (std::size_t j = 0; j < outputs; ++j) columns.push_back({fmt::format("{}{}", scores ? "score" : "phi", j)});
  RowWriter writer(output, std::move(columns), model.single);
  const std::size_t widest = std::max({model.preprocessing.d(), rows->columns(), predictor.features().outputs()});
  Matrix<double> X(rows_per_block(widest), model.preprocessing.d());
  ProgressBar bar;
  std::uint64_t done = 0;
  while (const std::size_t count = prepared.next(X)) {
    const MatrixView<const double> block = X.view().row_range(0, count);
    writer.write(scores ? predictor.scores(block) : predictor.transform(block));
    done += count;
    bar.show(rows->share(), "transform");
    if (count < X.rows()) break;
  }
  writer.commit();
  const char* const dtype = model.single ? "float32" : "float64";
  if (options.json)
    std::cout << nlohmann::ordered_json{{"spec", nlohmann::ordered_json::parse(to_json(model.spec))},
                                        {"n", done},
                                        {"outputs", outputs},
                                        {"dtype", dtype},
                                        {"out", output}}
                     .dump(2)
              << "\n";
  else
    std::cout << fmt::format("{}: {} x {} {}\n", output, done, outputs, dtype);
}

}  // namespace bochner::cli
