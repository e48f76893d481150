// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "demo/study.h"
#include "report/svg.h"

/// The pictures of `bochner demo`: each function takes a finished study and returns an <svg> element or what draws one.
namespace bochner::cli {

/// The exact matrix above the points it belongs to, then the approximations, each above its error.
std::string draw_gram(const GramStudy& study);

/// The kernels of a study, in its order.
std::vector<std::string> kernels_of(const ErrorStudy& study);
/// The maps measured with a kernel, in the order of the study.
std::vector<std::string> maps_of(const ErrorStudy& study, const std::string& kernel);

/// One chart per map of a kernel, one curve per coupling.
svg::Picture errors_by_map(const ErrorStudy& study, const std::string& kernel);
/// One chart for a kernel: the error of one map with all couplings.
svg::Picture errors_of_map(const ErrorStudy& study, const std::string& kernel, const std::string& map);
/// One chart for a kernel: the error of one coupling with all maps.
svg::Picture errors_of_coupling(const ErrorStudy& study, const std::string& kernel, const std::string& coupling);
/// Each map with its best coupling, against the number of outputs; one chart per kernel.
svg::Picture errors_by_outputs(const ErrorStudy& study, const std::vector<std::string>& kernels);

/// The error relative to independent directions, against distance: one chart per map.
svg::Picture errors_by_distance(const DistanceStudy& study);
/// The same for one coupling, with all maps in one chart.
svg::Picture distance_of_coupling(const DistanceStudy& study, const std::string& coupling);

svg::Picture ridge_fits(const RidgeStudy& study);
svg::Picture ridge_costs(const RidgeStudy& study);

}  // namespace bochner::cli
