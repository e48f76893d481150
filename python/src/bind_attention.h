// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace bochner::python {

/// Linear attention and its state.
void bind_attention(nanobind::module_& module);

}  // namespace bochner::python
