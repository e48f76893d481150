// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel.h"

namespace bochner {

#define BOCHNER_KERNEL(name) const Kernel& name##_kernel();
#include "kernels/kernels.def"
#undef BOCHNER_KERNEL

std::span<const Kernel* const> all_kernels() {
  static const Kernel* const table[] = {
#define BOCHNER_KERNEL(name) &name##_kernel(),
#include "kernels/kernels.def"
#undef BOCHNER_KERNEL
  };
  return table;
}

}  // namespace bochner
