#include "../settings.h"

#include "arrays.h"
#include "bindings.h"

namespace fuzzyucs {

void bind_settings(nb::module_& m) {
    nb::class_<Settings>(m, "Settings", "The hyperparameters of a learner.")
        .def(nb::init<>())
        .def_rw("population_size", &Settings::population_size)
        .def_rw("fitness_threshold", &Settings::fitness_threshold)
        .def_rw("fitness_exponent", &Settings::fitness_exponent)
        .def_rw("crossover_rate", &Settings::crossover_rate)
        .def_rw("mutation_rate", &Settings::mutation_rate)
        .def_rw("deletion_fraction", &Settings::deletion_fraction)
        .def_rw("ga_interval", &Settings::ga_interval)
        .def_rw("deletion_experience", &Settings::deletion_experience)
        .def_rw("subsumption_experience", &Settings::subsumption_experience)
        .def_rw("tournament_fraction", &Settings::tournament_fraction)
        .def_rw("dont_care_rate", &Settings::dont_care_rate)
        .def_rw("correct_set_subsumption", &Settings::correct_set_subsumption)
        .def_rw("ga_subsumption", &Settings::ga_subsumption)
        .def_rw("forgetting", &Settings::forgetting)
        .def_rw("as_published", &Settings::as_published)
        .def_rw("signed_fitness", &Settings::signed_fitness)
        .def_rw("membership_experience", &Settings::membership_experience)
        .def_rw("learning_rate", &Settings::learning_rate)
        .def_rw("mutation_step", &Settings::mutation_step)
        .def_rw("covering_range", &Settings::covering_range);
}

}  // namespace fuzzyucs
