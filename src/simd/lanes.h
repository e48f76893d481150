// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every file of this folder includes this before any Highway header, so that all compile for the same targets.
// AVX-512 sub-variants beyond AVX3 add nothing that this folder uses and would lengthen the build by a third. SVE
// vectors have no size at compile time, so they cannot be kept in arrays and structures as this folder does; processors
// with SVE have NEON too. Memory errors show on the widest lanes and on lanes without masks; compiling the older
// targets with AddressSanitizer takes minutes.
#define BOCHNER_NEVER_TARGETS (HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#if defined(__SANITIZE_ADDRESS__)
#define HWY_DISABLED_TARGETS (BOCHNER_NEVER_TARGETS | HWY_SSE4 | HWY_SSSE3)
#else
#define HWY_DISABLED_TARGETS BOCHNER_NEVER_TARGETS
#endif
