// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Marks what a shared build of the library shows; everything else is hidden.
#if defined(_WIN32)
#define BOCHNER_EXPORT
#else
#define BOCHNER_EXPORT __attribute__((visibility("default")))
#endif
