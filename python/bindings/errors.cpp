// SPDX-License-Identifier: Apache-2.0
//
// From the code of an error to the class of a Python exception: credens._errors has the table.

#include <credens/error.hpp>

#include "module.hpp"

namespace credens::python {

namespace nb = nanobind;

namespace {

void translate(const std::exception_ptr& thrown, void* /*unused*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    const nb::object classes = nb::module_::import_("credens._errors").attr("CLASSES");
    const nb::object kind = classes[nb::int_(error.exit_status())];
    PyErr_SetObject(kind.ptr(), nb::str(error.what()).ptr());
  }
}

}  // namespace

void register_errors() {
  nb::register_exception_translator(translate);
}

}  // namespace credens::python
