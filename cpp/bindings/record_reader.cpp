#include "record_reader.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "../even_terms.h"
#include "arrays.h"
#include "checks.h"

namespace nb = nanobind;

namespace fuzzyucs {

namespace {

// None, or a dict whose values are numbers of terms; those are read without a check.
void check_terms(nb::handle terms, std::uint32_t n_terms) {
    if (terms.is_none()) return;
    require(PyDict_Check(terms.ptr()), "terms must be a dict or None");
    for (const auto [category, term] : nb::borrow<nb::dict>(terms)) {
        require(PyFloat_Check(term.ptr()), "terms must hold floats");
        const double number = PyFloat_AS_DOUBLE(term.ptr());
        require(number >= 0 && number < n_terms, "terms is out of range");
    }
}

}  // namespace

void RecordReader::add(nb::object key, nb::object terms, double minimum, double maximum,
                       std::uint32_t n_terms, bool moves) {
    check_n_terms(std::span(&n_terms, 1));
    check_terms(terms, n_terms);
    features_.push_back({std::move(key), std::move(terms), {minimum, maximum}, n_terms, moves});
    numbers_.push_back(kMissing);
    positions_.push_back(kMissing);
}

void RecordReader::add_label(nb::object label) {
    classes_[label] = labels_.size();
    labels_.push_back(std::move(label));
}

News RecordReader::read(const Record& record) {
    News news = News::kNothing;
    Py_ssize_t n_found = 0;
    for (std::size_t f = 0; f < features_.size(); ++f) {
        PyObject* value = PyDict_GetItemWithError(record.ptr(), features_[f].key.ptr());
        if (value == nullptr && PyErr_Occurred()) throw nb::python_error();
        n_found += value != nullptr;
        positions_[f] = numbers_[f] = kMissing;
        if (value != nullptr && value != Py_None) news = std::max(news, read_value(f, value));
    }
    return n_found == PyDict_GET_SIZE(record.ptr()) ? news : News::kMore;
}

News RecordReader::read_value(std::size_t f, PyObject* value) {
    const Feature& feature = features_[f];
    if (!feature.terms.is_none()) {
        PyObject* term = PyDict_GetItemWithError(feature.terms.ptr(), value);
        if (term == nullptr) {
            PyErr_Clear();  // what cannot be a key is no category
            const bool is_missing = PyFloat_Check(value) && std::isnan(PyFloat_AS_DOUBLE(value));
            return is_missing ? News::kNothing : News::kMore;
        }
        positions_[f] = PyFloat_AS_DOUBLE(term);
        return News::kNothing;
    }
    const double number = PyFloat_AsDouble(value);
    if (number == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        return News::kMore;
    }
    if (std::isnan(number)) return News::kNothing;
    const ValueRange& range = feature.range;
    positions_[f] = EvenTerms(range.minimum, range.maximum, feature.n_terms).locate(number);
    if (std::isinf(number)) return News::kMore;
    numbers_[f] = number;
    return feature.is_beyond(number) ? News::kNumbers : News::kNothing;
}

std::optional<Class> RecordReader::class_of(nb::handle label) const {
    PyObject* found = PyDict_GetItemWithError(classes_.ptr(), label.ptr());
    if (found == nullptr) {
        PyErr_Clear();  // what cannot be a key is no label
        return std::nullopt;
    }
    return static_cast<Class>(PyLong_AsUnsignedLong(found));
}

nb::dict RecordReader::by_label(const double* probabilities) const {
    nb::dict found;
    for (const nb::object& label : labels_) {
        found[label] = nb::steal(PyFloat_FromDouble(*probabilities++));
    }
    return found;
}

std::optional<double> RecordReader::number_beyond(std::size_t feature) const {
    const double number = numbers_[feature];
    if (std::isnan(number) || !features_[feature].is_beyond(number)) return std::nullopt;
    return number;
}

void RecordReader::set_range(std::size_t f, const ValueRange& range) {
    features_[f].range = range;
    const EvenTerms terms(range.minimum, range.maximum, features_[f].n_terms);
    positions_[f] = terms.locate(numbers_[f]);
}

}  // namespace fuzzyucs
