// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace bochner::python {

/// `plan` and `error_report`.
void bind_plan(nanobind::module_& module);

}  // namespace bochner::python
