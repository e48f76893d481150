// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace bochner::python {

/// Gaussian processes on features.
void bind_processes(nanobind::module_& module);

}  // namespace bochner::python
