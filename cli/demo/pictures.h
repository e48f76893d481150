// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "demo/study.h"
#include "report/svg.h"

/// The pictures of `bochner demo`: each takes a finished study and gives an <svg> element or what draws one.
namespace bochner::cli {

/// The exact matrix above the points it belongs to, then the approximations, each above its error.
std::string draw_gram(const GramStudy& study);

/// The kernels of a study, in its order.
std::vector<std::string> kernels_of(const ErrorStudy& study);
/// The maps measured with a kernel, in the order of the study.
std::vector<std::string> maps_of(const ErrorStudy& study, const std::string& kernel);

/// One chart per map of a kernel, one curve per coupling.
svg::Picture errors_by_map(const ErrorStudy& study, const std::string& kernel);
/// One chart of a kernel: the error of one map, all couplings.
svg::Picture errors_of_map(const ErrorStudy& study, const std::string& kernel, const std::string& map);
/// One chart of a kernel: the error of one coupling, all maps.
svg::Picture errors_of_coupling(const ErrorStudy& study, const std::string& kernel, const std::string& coupling);
/// Each map with its best coupling, against the number of outputs; one chart per kernel.
svg::Picture errors_by_outputs(const ErrorStudy& study, const std::vector<std::string>& kernels);

/// Error relative to independent directions against distance: one chart per map.
svg::Picture errors_by_distance(const DistanceStudy& study);
/// The same for one coupling, one chart for all maps.
svg::Picture distance_of_coupling(const DistanceStudy& study, const std::string& coupling);

svg::Picture ridge_fits(const RidgeStudy& study);
svg::Picture ridge_costs(const RidgeStudy& study);

}  // namespace bochner::cli
