# SPDX-License-Identifier: Apache-2.0
# The demonstration as its user sees it: terminal, JSON, the page in a browser, pictures for the documentation.
if(TARGET bochner_cli)
  foreach(name page pictures)
    add_test(NAME demo/${name}
      COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/${name}_test.py $<TARGET_FILE:bochner_cli>)
    set_tests_properties(demo/${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900)
  endforeach()
endif()
