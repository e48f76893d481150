// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included before any Highway header by every file of this folder, so that all compile for the same targets.
// AVX-512 sub-variants beyond AVX3 add nothing that this folder uses and would lengthen the build by a third. Memory
// errors show on the widest lanes and on those without masks; compiling the older ones with AddressSanitizer takes
// minutes.
#if defined(__SANITIZE_ADDRESS__)
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSE4 | HWY_SSSE3)
#else
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL)
#endif
