// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace bochner::python {

/// The functions of bochner/theory.h.
void bind_theory(nanobind::module_& module);

}  // namespace bochner::python
