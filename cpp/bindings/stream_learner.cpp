#include "../stream_learner.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "checks.h"
#include "record_reader.h"

namespace fuzzyucs {

namespace {

using Ends = std::pair<double, double>;

// A learner that reads records, and widens the ranges of features.
class RecordLearner : public StreamLearner {
  public:
    // When a range has widened, of which feature, from where to where.
    using Change = std::tuple<std::int64_t, std::size_t, Ends, Ends>;

    RecordLearner(std::span<const std::uint32_t> n_terms, const LinguisticLearner& learner,
                  std::span<const double> steps, double fading, RecordReader reader, double margin)
        : StreamLearner(n_terms, learner, steps, fading),
          reader_(std::move(reader)),
          margin_(margin),
          probabilities_(n_classes()) {}

    const RecordReader& reader() const { return reader_; }
    const std::deque<Change>& changes() const { return changes_; }

    nb::typed<nb::dict, nb::any, nb::any> predict(const RecordReader::Record& record) {
        reader_.read(record);
        probabilities(reader_.positions().data(), probabilities_.data());
        return reader_.by_label(probabilities_.data());
    }

    // Learns from an example unless something in it is not known yet, which can be left out.
    bool learn(const RecordReader::Record& record, nb::handle y, bool leaves_out) {
        const std::optional<Class> label = reader_.class_of(y);
        if (!label) return false;
        const News news = reader_.read(record);
        if (news == News::kMore && !leaves_out) return false;
        if (news != News::kNothing) widen();
        StreamLearner::learn(reader_.positions().data(), *label);
        return true;
    }

    std::vector<double> positions(const RecordReader::Record& record) {
        reader_.read(record);
        return reader_.positions();
    }

  private:
    static constexpr std::size_t kMostChanges = 1000;

    void widen() {
        for (std::size_t f = 0; f < n_features(); ++f) {
            const std::optional<double> number = reader_.number_beyond(f);
            if (!number) continue;
            const RecordReader::Feature& feature = reader_.features()[f];
            const ValueRange old = feature.range, now = old.widened(*number, margin_);
            if (old.is_known()) {
                move_terms(f, MovedTerms(old, now, feature.n_terms));
                if (changes_.size() == kMostChanges) changes_.pop_front();
                changes_.emplace_back(learner().time(), f, Ends(old.minimum, old.maximum),
                                      Ends(now.minimum, now.maximum));
            }
            reader_.set_range(f, now);
        }
    }

    RecordReader reader_;
    double margin_;
    std::vector<double> probabilities_;
    std::deque<Change> changes_;
};

OnlineProfiles& group_of(StreamLearner& self, std::size_t group) {
    require(group < self.groups().size(), "group is out of range");
    return self.groups()[group];
}

// Amounts of a group with one step after the other: of the fixed rules, and in the first group of
// the evolved rules, the oldest first. `move(amounts, array)` reads or writes them.
template <class Move>
void move_profiles(StreamLearner& self, std::size_t group, double* amounts, Move&& move) {
    const auto move_all = [&](std::span<double> part) {
        move(part, amounts);
        amounts += part.size();
    };
    OnlineProfiles& profiles = group_of(self, group);
    const auto& alive = self.learner().population().alive();
    for (std::size_t step = 0; step < profiles.n_steps(); ++step) {
        for (std::size_t k = 0; k < profiles.n_fixed(); ++k) move_all(profiles.of_fixed(step, k));
        for (std::size_t block = 0; group == 0 && block < alive.size(); ++block) {
            for_each_slot(alive[block], block,
                          [&](Slot slot) { move_all(profiles.of_rule(step, slot)); });
        }
    }
}

std::size_t n_rows(StreamLearner& self, std::size_t group) {
    const std::int64_t n_rules = group == 0 ? self.learner().population().n_rules() : 0;
    return self.n_steps() * (group_of(self, group).n_fixed() + static_cast<std::size_t>(n_rules));
}

Output2<double> export_profiles(RecordLearner& self, std::size_t group) {
    auto amounts = new_array<double>(n_rows(self, group), self.n_classes());
    move_profiles(self, group, amounts.data(), [](std::span<double> part, double* array) {
        std::copy(part.begin(), part.end(), array);
    });
    return amounts;
}

void restore_profiles(RecordLearner& self, std::size_t group, const Input2<double>& amounts) {
    require(amounts.shape(0) == n_rows(self, group) && amounts.shape(1) == self.n_classes(),
            "amounts has the wrong shape");
    std::vector<double> values(amounts.data(), amounts.data() + amounts.size());
    move_profiles(self, group, values.data(), [](std::span<double> part, const double* array) {
        std::copy_n(array, part.size(), part.begin());
    });
}

void set_merits(RecordLearner& self, const std::vector<double>& merits) {
    require(merits.size() == self.merits().size(), "merits has the wrong length");
    self.merits() = merits;
}

std::unique_ptr<RecordLearner> make_learner(const LinguisticLearner& learner,
                                            const RecordReader& reader, const Input1<double>& steps,
                                            double fading, double margin) {
    std::vector<std::uint32_t> n_terms;
    for (const auto& feature : reader.features()) n_terms.push_back(feature.n_terms);
    const auto expected = learner.representation().n_terms();
    require(std::ranges::equal(n_terms, expected), "the reader has other terms than the learner");
    require(reader.n_labels() == learner.population().n_classes(),
            "the reader has other classes than the learner");
    require(steps.size() > 0, "steps must not be empty");
    require(margin >= 0 && margin < 1, "margin is out of range");
    return std::make_unique<RecordLearner>(n_terms, learner, as_span(steps), fading, reader,
                                           margin);
}

std::vector<Ends> ranges(const RecordLearner& self) {
    std::vector<Ends> found;
    for (const auto& feature : self.reader().features()) {
        found.emplace_back(feature.range.minimum, feature.range.maximum);
    }
    return found;
}

// What conditions on a feature become when its range moves.
Output1<Terms> moved_conditions(const Input1<Terms>& conditions, Ends old, Ends now,
                                std::uint32_t n_terms) {
    check_n_terms(std::span(&n_terms, 1));
    const MovedTerms moved({old.first, old.second}, {now.first, now.second}, n_terms);
    auto rewritten = new_array<Terms>(conditions.size());
    for (std::size_t i = 0; i < conditions.size(); ++i) {
        require(is_condition(conditions.data()[i], n_terms), "conditions has a wrong entry");
        rewritten.data()[i] = moved.rewritten(conditions.data()[i]);
    }
    return rewritten;
}

}  // namespace

void bind_stream_learner(nb::module_& m) {
    nb::class_<RecordReader>(m, "RecordReader", "Features and classes of records.")
        .def(nb::init<>())
        .def("add", &RecordReader::add, "key"_a.none(), "terms"_a.none(), "minimum"_a, "maximum"_a,
             "n_terms"_a, "moves"_a, "Add a feature.")
        .def("add_label", &RecordReader::add_label, "label"_a.none(), "Add a class.");

    m.def("moved_conditions", &moved_conditions, "conditions"_a, "old"_a, "now"_a, "n_terms"_a,
          "Say with evenly spread terms of a range what conditions said with those of another.");

    nb::class_<RecordLearner>(m, "RecordLearner", "Fuzzy-UCS with profiles that learn online.")
        .def(nb::new_(&make_learner), "learner"_a, "reader"_a, "steps"_a, "fading"_a, "margin"_a)
        .def_prop_ro(
            "learner", [](RecordLearner& self) -> LinguisticLearner& { return self.learner(); },
            nb::rv_policy::reference_internal)
        .def_prop_rw(
            "merits", [](RecordLearner& self) { return std::vector<double>(self.merits()); },
            &set_merits, "Merits of all profiles, one group after the other.")
        .def_prop_ro("n_groups", [](RecordLearner& self) { return self.groups().size(); })
        .def_prop_ro("ranges", &ranges, "Least and greatest number of each feature.")
        .def_prop_ro(
            "range_changes",
            [](const RecordLearner& self) {
                return std::vector<RecordLearner::Change>(self.changes().begin(),
                                                          self.changes().end());
            },
            "Time, feature, old and new range of the latest changes.")
        .def("export_profiles", &export_profiles, "group"_a, "Amounts of a group of profiles.")
        .def("restore_profiles", &restore_profiles, "group"_a, "amounts"_a)
        .def(
            "positions",
            [](RecordLearner& self, const RecordReader::Record& record) {
                return to_array(std::span<const double>(self.positions(record)));
            },
            "record"_a, "Positions of the values of a record.")
        .def("predict", &RecordLearner::predict, "record"_a,
             "Probabilities by class, of one record.")
        .def("learn", &RecordLearner::learn, "record"_a, "y"_a.none(), "leaves_out"_a,
             "Learn from one record, unless something in it is new and not left out.");
}

}  // namespace fuzzyucs
