#include <nanobind/nanobind.h>

#include "bindings.h"

NB_MODULE(_core, m) {
    m.doc() = "The native engine of fuzzyucs. Arguments are validated by the Python classes.";
    fuzzyucs::bind_settings(m);
    fuzzyucs::bind_shared_rows(m);
    fuzzyucs::bind_learners(m);
    fuzzyucs::bind_stream_learner(m);
    fuzzyucs::bind_locate(m);
    fuzzyucs::bind_encode(m);
    fuzzyucs::bind_stored_rows(m);
    fuzzyucs::bind_term_forest(m);
    fuzzyucs::bind_inference(m);
    fuzzyucs::bind_rule_degrees(m);
    fuzzyucs::bind_class_profiles(m);
    fuzzyucs::bind_evidence_weights(m);
    fuzzyucs::bind_rule_growth(m);
    fuzzyucs::bind_portable_math(m);
}
