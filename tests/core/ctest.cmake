# SPDX-License-Identifier: Apache-2.0
# The golden vectors against a second, plain Python implementation of the random stream.
find_program(BOCHNER_PYTHON3 python3 REQUIRED)
add_test(NAME core/stream_oracle
  COMMAND ${BOCHNER_PYTHON3} ${CMAKE_CURRENT_LIST_DIR}/stream_oracle.py ${CMAKE_CURRENT_LIST_DIR}/golden_stream.txt)
