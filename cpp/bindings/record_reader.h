#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "../rule.h"
#include "../value_range.h"

namespace fuzzyucs {

// What a record has that is not known yet.
enum class News {
    kNothing,
    kNumbers,  // numbers beyond the ranges of their features, which may widen
    kMore,     // keys, categories, or what cannot be a value
};

// Reads records, which are dicts, into positions on linguistic variables, and labels into classes.
class RecordReader {
  public:
    using Record = nanobind::typed<nanobind::dict, nanobind::any, nanobind::any>;

    struct Feature {
        nanobind::object key;
        nanobind::object terms;  // a dict from categories to terms, or None
        ValueRange range;
        std::uint32_t n_terms;
        bool moves;

        bool is_beyond(double number) const { return moves && !range.holds(number); }
    };

    void add(nanobind::object key, nanobind::object terms, double minimum, double maximum,
             std::uint32_t n_terms, bool moves);
    void add_label(nanobind::object label);

    // Missing values are NaN; so is what is not known.
    News read(const Record& record);

    std::optional<Class> class_of(nanobind::handle label) const;
    nanobind::dict by_label(const double* probabilities) const;

    // The number of a feature in the record read last, if its range has to widen for it.
    std::optional<double> number_beyond(std::size_t feature) const;
    void set_range(std::size_t feature, const ValueRange& range);

    const std::vector<Feature>& features() const { return features_; }
    const std::vector<double>& positions() const { return positions_; }
    std::size_t n_labels() const { return labels_.size(); }

  private:
    static constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

    News read_value(std::size_t feature, PyObject* value);

    std::vector<Feature> features_;
    std::vector<nanobind::object> labels_;
    nanobind::dict classes_;       // by label
    std::vector<double> numbers_;  // NaN of categories
    std::vector<double> positions_;
};

}  // namespace fuzzyucs
