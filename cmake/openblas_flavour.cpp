// SPDX-License-Identifier: Apache-2.0
// Exits with 3 when the linked OpenBLAS was built without threads, and so without the locks that callers' threads need.

#include <cstring>

extern "C" char* openblas_get_config();

int main() { return std::strstr(openblas_get_config(), "SINGLE_THREADED") != nullptr ? 3 : 0; }
