// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "demo/study.h"
#include "report/page.h"

namespace bochner::cli {

/// Everything that one run of `bochner demo` found.
struct DemoReport {
  std::uint64_t seed = 0;
  int threads = 0;
  GramStudy gram;
  ErrorStudy errors;
  DistanceStudy distance;
  RidgeStudy ridge;
  ModelStudy model;
};

ReportTable gram_table(const DemoReport& report);
/// One line per mechanism: two sizes, and the ratio of measured to predicted error over all sizes.
ReportTable error_table(const DemoReport& report);
/// One line per mechanism and m.
ReportTable full_error_table(const DemoReport& report);
/// All mechanisms at one number of outputs, the best first.
ReportTable equal_outputs_table(const DemoReport& report);
ReportTable distance_table(const DemoReport& report);
ReportTable ridge_table(const DemoReport& report);
ReportTable sizes_table(const DemoReport& report);
/// One line per command.
ReportTable model_table(const DemoReport& report);

std::string demo_page(const DemoReport& report);
/// Every number of every study as one JSON object.
std::string demo_json(const DemoReport& report);

}  // namespace bochner::cli
