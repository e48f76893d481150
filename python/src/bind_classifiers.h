// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace bochner::python {

/// Linear classifiers on features.
void bind_classifiers(nanobind::module_& module);

}  // namespace bochner::python
