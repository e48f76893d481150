// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace bochner::python {

/// Model files.
void bind_models(nanobind::module_& module);

}  // namespace bochner::python
