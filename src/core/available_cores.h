// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace bochner {

/// Cores this process may use: its affinity mask, cut down to the CPU quota of its control group (rounded up), >= 1.
int available_cores();

/// Cores allowed by a quota in the form that control groups use: "150000 100000" gives 2. "max 100000" and "-1 100000"
/// mean no limit; they give 0, as does text of any other form.
int quota_cores(std::string_view quota_and_period);

}  // namespace bochner
