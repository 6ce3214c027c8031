#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "../learner.h"
#include "../online_profiles.h"
#include "../portable_math.h"
#include "arrays.h"
#include "bindings.h"
#include "checks.h"

namespace fuzzyucs {

namespace {

// Fuzzy-UCS evolves rules, and several profiles learn what they say, with steps of other sizes. The
// profiles count as much as they were right about the latest examples.
class StreamLearner {
  public:
    StreamLearner(std::span<const std::uint32_t> n_terms, const LinguisticLearner& learner,
                  std::span<const double> steps, double fading)
        : learner_(learner),
          fading_(fading),
          merits_(steps.size()),
          shares_(steps.size()),
          said_(steps.size() * learner.population().n_classes()) {
        for (const double step : steps) {
            profiles_.emplace_back(n_terms, learner.population().n_classes(), step);
        }
        learner_.note_slot_changes();
    }

    LinguisticLearner& learner() { return learner_; }
    std::vector<OnlineProfiles>& profiles() { return profiles_; }
    std::vector<double>& merits() { return merits_; }
    std::size_t n_classes() const { return profiles_[0].n_classes(); }

    void probabilities(const double* x, double* result) {
        say(x);
        std::fill_n(result, n_classes(), 0.0);
        for (std::size_t j = 0; j < profiles_.size(); ++j) {
            for (std::size_t c = 0; c < n_classes(); ++c) {
                result[c] += shares_[j] * said_[j * n_classes() + c];
            }
        }
    }

    void learn(const double* x, Class y) {
        say(x);
        for (std::size_t j = 0; j < profiles_.size(); ++j) {
            const double* said = &said_[j * n_classes()];
            merits_[j] = fading_ * merits_[j] + portable_log(std::max(said[y], kLeast));
            profiles_[j].learn(x, matched_, y, said);
        }
        learner_.step(x, y);
        const auto& changes = learner_.slot_changes();
        for (OnlineProfiles& profiles : profiles_) {
            for (const auto& run : changes.moved) profiles.move(run.from, run.to, run.size);
            for (const Slot slot : changes.inserted) profiles.clear(slot);
        }
        has_said_ = false;
    }

  private:
    static constexpr double kLeast = 1e-12;

    // What the profiles say of an example; often it is learned right after a prediction.
    void say(const double* x) {
        const std::size_t n_features = learner_.representation().n_features();
        if (has_said_ && std::memcmp(x, last_.data(), n_features * sizeof(double)) == 0) return;
        last_.assign(x, x + n_features);
        has_said_ = true;
        const MatchedRules& found = learner_.match(x);
        matched_.reserve(learner_.population().n_slots());
        matched_.size = found.size;
        std::copy_n(found.slots.begin(), found.size, matched_.slots.begin());
        std::copy_n(found.degrees.begin(), found.size, matched_.degrees.begin());
        const double greatest = *std::max_element(merits_.begin(), merits_.end());
        double total = 0;
        for (std::size_t j = 0; j < profiles_.size(); ++j) {
            profiles_[j].probabilities(x, matched_, &said_[j * n_classes()]);
            shares_[j] = portable_exp(merits_[j] - greatest);
            total += shares_[j];
        }
        for (double& share : shares_) share /= total;
    }

    LinguisticLearner learner_;
    std::vector<OnlineProfiles> profiles_;
    double fading_;
    std::vector<double> merits_;  // logarithms of probabilities, the older the less
    std::vector<double> shares_;
    std::vector<double> said_;
    std::vector<double> last_;  // the example that it was said of
    MatchedRules matched_;
    bool has_said_ = false;
};

void check_row(StreamLearner& self, const Input1<double>& x) {
    require(x.size() == self.learner().representation().n_features(), "x has the wrong length");
}

// Amounts of one profile after the other: of the rule without conditions, of the terms, and of the
// evolved rules, the oldest first. `move(amounts, array)` reads or writes them.
template <class Move>
void move_profiles(StreamLearner& self, double* amounts, Move&& move) {
    const auto move_all = [&](std::span<double> part) {
        move(part, amounts);
        amounts += part.size();
    };
    const auto& alive = self.learner().population().alive();
    for (OnlineProfiles& profiles : self.profiles()) {
        move_all(profiles.of_all());
        move_all(profiles.of_terms());
        for (std::size_t block = 0; block < alive.size(); ++block) {
            for_each_slot(alive[block], block,
                          [&](Slot slot) { move_all(profiles.of_rule(slot)); });
        }
    }
}

std::size_t n_rows(StreamLearner& self) {
    const auto n_rules = static_cast<std::size_t>(self.learner().population().n_rules());
    return 1 + self.profiles()[0].n_terms() + n_rules;
}

Output2<double> export_profiles(StreamLearner& self) {
    auto amounts = new_array<double>(self.profiles().size() * n_rows(self), self.n_classes());
    move_profiles(self, amounts.data(), [](std::span<double> part, double* array) {
        std::copy(part.begin(), part.end(), array);
    });
    return amounts;
}

void restore_profiles(StreamLearner& self, const Input2<double>& amounts,
                      const Input1<double>& merits) {
    require(amounts.shape(0) == self.profiles().size() * n_rows(self) &&
                amounts.shape(1) == self.n_classes(),
            "amounts has the wrong shape");
    require(merits.size() == self.merits().size(), "merits has the wrong length");
    std::vector<double> values(amounts.data(), amounts.data() + amounts.size());
    move_profiles(self, values.data(), [](std::span<double> part, const double* array) {
        std::copy_n(array, part.size(), part.begin());
    });
    std::copy_n(merits.data(), merits.size(), self.merits().begin());
}

// Values of a record, which is a dict, as positions on linguistic variables.
class RecordReader {
  public:
    struct Feature {
        nb::object name;
        nb::object terms;  // a dict from categories to terms, or None
        double minimum, maximum, n_terms;
        bool moves;
    };

    void add(nb::object name, nb::object terms, double minimum, double maximum,
             std::uint32_t n_terms, bool moves) {
        features_.push_back({std::move(name), std::move(terms), minimum, maximum,
                             static_cast<double>(n_terms), moves});
        positions_.push_back(std::numeric_limits<double>::quiet_NaN());
    }

    // Tells whether all keys, categories and values are such as are known: nothing has to change to
    // learn from the record. Missing values are NaN; so is what is not known.
    bool read(const nb::typed<nb::dict, nb::any, nb::any>& record) {
        bool is_known = true;
        Py_ssize_t n_found = 0;
        for (std::size_t f = 0; f < features_.size(); ++f) {
            PyObject* value = PyDict_GetItemWithError(record.ptr(), features_[f].name.ptr());
            if (value == nullptr && PyErr_Occurred()) throw nb::python_error();
            n_found += value != nullptr;
            positions_[f] = std::numeric_limits<double>::quiet_NaN();
            if (value != nullptr && value != Py_None) is_known &= locate(features_[f], value, f);
        }
        return is_known && n_found == PyDict_Size(record.ptr());
    }

    const std::vector<double>& positions() const { return positions_; }

  private:
    bool locate(const Feature& feature, PyObject* value, std::size_t f) {
        if (!feature.terms.is_none()) {
            PyObject* term = PyDict_GetItemWithError(feature.terms.ptr(), value);
            if (term == nullptr) {
                PyErr_Clear();  // what cannot be a key is no category
                return PyFloat_Check(value) && std::isnan(PyFloat_AS_DOUBLE(value));
            }
            positions_[f] = PyFloat_AsDouble(term);
            return true;
        }
        const double x = PyFloat_AsDouble(value);
        if (x == -1 && PyErr_Occurred()) {
            PyErr_Clear();
            return false;
        }
        if (std::isnan(x)) return true;
        const double half = feature.maximum / 2 - feature.minimum / 2;
        const double unit = half > 0 ? (x / 2 - feature.minimum / 2) / half : 0.5;
        positions_[f] = std::clamp(unit, 0.0, 1.0) * (feature.n_terms - 1);
        return !feature.moves || (x >= feature.minimum && x <= feature.maximum);
    }

    std::vector<Feature> features_;
    std::vector<double> positions_;
};

}  // namespace

void bind_stream_learner(nb::module_& m) {
    nb::class_<RecordReader>(m, "RecordReader", "Reads records into positions.")
        .def(nb::init<>())
        .def("add", &RecordReader::add, "name"_a, "terms"_a.none(), "minimum"_a, "maximum"_a,
             "n_terms"_a, "moves"_a, "Add a feature.")
        .def("read", &RecordReader::read, "record"_a, "Tell whether nothing in a record is new.")
        .def("positions",
             [](const RecordReader& self) { return to_array(std::span(self.positions())); });

    nb::class_<StreamLearner>(m, "StreamLearner", "Fuzzy-UCS with profiles that learn online.")
        .def(nb::new_([](const Input1<std::uint32_t>& n_terms, const LinguisticLearner& learner,
                         const Input1<double>& steps, double fading) {
                 require(n_terms.size() == learner.representation().n_features(),
                         "n_terms has the wrong length");
                 check_n_terms(as_span(n_terms));
                 require(steps.size() > 0, "steps must not be empty");
                 return std::make_unique<StreamLearner>(as_span(n_terms), learner, as_span(steps),
                                                        fading);
             }),
             "n_terms"_a, "learner"_a, "steps"_a, "fading"_a)
        .def_prop_ro(
            "learner", [](StreamLearner& self) -> LinguisticLearner& { return self.learner(); },
            nb::rv_policy::reference_internal)
        .def_prop_ro("merits",
                     [](StreamLearner& self) { return std::vector<double>(self.merits()); })
        .def("export_profiles", &export_profiles, "Amounts of all profiles.")
        .def("restore_profiles", &restore_profiles, "amounts"_a, "merits"_a)
        .def(
            "probabilities",
            [](StreamLearner& self, const Input1<double>& x) {
                check_row(self, x);
                auto result = new_array<double>(self.n_classes());
                self.probabilities(x.data(), result.data());
                return result;
            },
            "x"_a, "Probabilities of the classes, for one row.")
        .def(
            "probabilities_of",
            [](StreamLearner& self, const RecordReader& reader) {
                require(reader.positions().size() == self.learner().representation().n_features(),
                        "the record has the wrong length");
                std::vector<double> result(self.n_classes());
                self.probabilities(reader.positions().data(), result.data());
                return result;
            },
            "reader"_a, "Probabilities of the classes, for the record read last.")
        .def(
            "learn",
            [](StreamLearner& self, const Input1<double>& x, std::uint32_t y) {
                check_row(self, x);
                require(y < self.n_classes(), "y is out of range");
                self.learn(x.data(), y);
            },
            "x"_a, "y"_a, "Learn from one row.")
        .def(
            "learn_from",
            [](StreamLearner& self, const RecordReader& reader, std::uint32_t y) {
                require(reader.positions().size() == self.learner().representation().n_features(),
                        "the record has the wrong length");
                require(y < self.n_classes(), "y is out of range");
                self.learn(reader.positions().data(), y);
            },
            "reader"_a, "y"_a, "Learn from the record read last.");
}

}  // namespace fuzzyucs
