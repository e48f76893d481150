// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace bochner::python {

/// Binary codes and the sampler of classes.
void bind_codes(nanobind::module_& module);

}  // namespace bochner::python
