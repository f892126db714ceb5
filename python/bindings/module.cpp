// SPDX-License-Identifier: Apache-2.0
//
// credens._core: the C++ library for the package python/credens, which checks and converts what users give.

#include "module.hpp"

#include <credens/version.hpp>

#include <nanobind/stl/string_view.h>

NB_MODULE(_core, module) {
  module.doc() = "The C++ library behind the package credens; not for direct use.";
  credens::python::register_errors();
  credens::python::register_table(module);
  credens::python::register_dataset(module);
  credens::python::register_predictive(module);
  credens::python::register_classes(module);
  credens::python::register_ensemble(module);
  credens::python::register_fit(module);
  credens::python::register_scores(module);
  credens::python::register_explain(module);
  credens::python::register_suggest(module);
  credens::python::register_outputs(module);
  credens::python::register_promise(module);
  credens::python::register_trust(module);
  credens::python::register_page(module);
  credens::python::register_files(module);
  module.def("version", &credens::version, "Of the library, as `credens version` prints it.");
}
