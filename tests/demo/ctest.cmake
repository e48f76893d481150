# SPDX-License-Identifier: Apache-2.0
# The demonstration as its user sees it: terminal, JSON and the page in a browser.
if(TARGET bochner_cli)
  find_program(BOCHNER_PYTHON3 python3 REQUIRED)
  add_test(NAME demo/page
    COMMAND ${BOCHNER_PYTHON3} ${CMAKE_CURRENT_LIST_DIR}/demo_test.py $<TARGET_FILE:bochner_cli>)
  add_test(NAME demo/pictures
    COMMAND ${BOCHNER_PYTHON3} ${CMAKE_CURRENT_LIST_DIR}/pictures_test.py $<TARGET_FILE:bochner_cli>)
  set_tests_properties(demo/page demo/pictures PROPERTIES TIMEOUT 600 RUN_SERIAL ON)
  set_tests_properties(demo/page PROPERTIES SKIP_RETURN_CODE 77)
endif()
