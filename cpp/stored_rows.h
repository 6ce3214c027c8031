#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "ordered_terms.h"

namespace fuzzyucs {

// Rows whose columns stay as they came: their values are read and located among terms in blocks,
// whenever somebody asks.
class StoredRows {
  public:
    static constexpr std::size_t kRows = OrderedTerms::kRows;  // of a block
    using Column = OrderedTerms::Column;
    using Read = std::function<void(std::size_t first, std::size_t n_rows, Column& values)>;
    using Locate = std::function<void(Column& values)>;

    explicit StoredRows(std::size_t n_rows) : n_rows_(n_rows) {}

    // Adds a feature: how to read its values, NaN where they are missing, and how to replace them
    // by positions.
    void add(Read read, Locate locate) {
        features_.push_back({std::move(read), std::move(locate)});
    }

    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_features() const { return features_.size(); }

    // Writes the positions of up to kRows rows of a feature.
    void locate(std::size_t feature, std::size_t first, std::size_t n_rows, Column& column) const {
        features_[feature].read(first, n_rows, column);
        features_[feature].locate(column);
    }

  private:
    struct Feature {
        Read read;
        Locate locate;
    };

    std::size_t n_rows_;
    std::vector<Feature> features_;
};

}  // namespace fuzzyucs
