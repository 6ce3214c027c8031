#pragma once

#include <nanobind/nanobind.h>

namespace fuzzyucs {

// One function for each file of this folder: it adds its classes and functions to the module. This
// folder alone knows Python.
void bind_shared_rows(nanobind::module_& m);
void bind_settings(nanobind::module_& m);
void bind_learners(nanobind::module_& m);
void bind_stream_learner(nanobind::module_& m);
void bind_locate(nanobind::module_& m);
void bind_encode(nanobind::module_& m);
void bind_stored_rows(nanobind::module_& m);
void bind_term_forest(nanobind::module_& m);
void bind_inference(nanobind::module_& m);
void bind_rule_degrees(nanobind::module_& m);
void bind_class_profiles(nanobind::module_& m);
void bind_evidence_weights(nanobind::module_& m);
void bind_rule_growth(nanobind::module_& m);
void bind_portable_math(nanobind::module_& m);

}  // namespace fuzzyucs
