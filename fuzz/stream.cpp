// A stream: ranges that widen, terms that move, profiles that learn beside evolved rules.

#include <algorithm>

#include "../cpp/stream_learner.h"
#include "input.h"

using namespace fuzzyucs;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input in(data, size);
    Settings settings;
    settings.population_size = static_cast<std::int64_t>(in.between(1, 300));
    settings.ga_interval = static_cast<double>(in.between(0, 30));
    settings.mutation_rate = in.unit();
    settings.dont_care_rate = in.unit();
    settings.forgetting = in.flag() ? 0 : 0.01;
    settings.deletion_experience = settings.subsumption_experience = 3;
    const auto n_terms = in.term_counts(6, 64);
    const std::size_t n_classes = in.between(1, 9);
    std::vector<double> steps(in.between(1, 3));
    for (double& step : steps) step = in.unit();
    StreamLearner learner(n_terms,
                          LinguisticLearner(LinguisticMatcher(n_terms, settings), n_classes,
                                            settings, Rng(in.bits())),
                          steps, in.unit());
    const double margin = std::min(in.unit(), 0.99);
    std::vector<ValueRange> ranges(n_terms.size());
    std::vector<double> said(n_classes);
    while (!in.is_over()) {
        const std::size_t action = in.between(0, 7);
        if (action == 0) {  // a number beyond what was seen
            const std::size_t f = in.between(0, n_terms.size() - 1);
            const double number = in.any();
            if (!std::isfinite(number)) continue;
            const ValueRange old = ranges[f];
            ranges[f] = old.widened(number, margin);
            if (old.is_known() && !old.holds(number)) {
                learner.move_terms(f, MovedTerms(old, ranges[f], n_terms[f]));
            }
            continue;
        }
        std::vector<double> x;
        for (std::size_t f = 0; f < n_terms.size(); ++f) {
            if (in.flag() || !ranges[f].is_known()) {
                x.push_back(in.position(n_terms[f]));
            } else {
                const EvenTerms terms(ranges[f].minimum, ranges[f].maximum, n_terms[f]);
                x.push_back(terms.locate(in.any()));
            }
        }
        if (action < 3) {
            learner.probabilities(x.data(), said.data());
            double sum = 0;
            for (const double p : said) {
                CHECK(p >= 0 && p <= 1 + 1e-12);
                sum += p;
            }
            CHECK(std::abs(sum - 1) < 1e-9);
        } else {
            const auto y = static_cast<Class>(in.between(0, n_classes - 1));
            for (std::size_t i = action == 3 ? in.between(1, 40) : 1; i > 0; --i) {
                learner.learn(x.data(), y);
            }
        }
    }
    return 0;
}
