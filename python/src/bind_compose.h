// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace bochner::python {

/// scaled, concatenation, tensor_product, on_inputs, hybrid; the class Features must already be bound.
void bind_compose(nanobind::module_& module);

}  // namespace bochner::python
