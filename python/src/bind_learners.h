// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace bochner::python {

/// Statistics and models on features.
void bind_learners(nanobind::module_& module);

}  // namespace bochner::python
