// SPDX-License-Identifier: Apache-2.0
//
// The parts of credens._core, one file each.

#pragma once

#include <nanobind/nanobind.h>

namespace credens::python {

void register_errors();
void register_table(nanobind::module_& module);
void register_dataset(nanobind::module_& module);
void register_predictive(nanobind::module_& module);
void register_classes(nanobind::module_& module);
void register_ensemble(nanobind::module_& module);
void register_fit(nanobind::module_& module);
void register_scores(nanobind::module_& module);
void register_explain(nanobind::module_& module);
void register_suggest(nanobind::module_& module);
void register_outputs(nanobind::module_& module);
void register_promise(nanobind::module_& module);
void register_trust(nanobind::module_& module);
void register_page(nanobind::module_& module);
void register_files(nanobind::module_& module);

}  // namespace credens::python
