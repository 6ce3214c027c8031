#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace fuzzyucs {

// The rules that match each row of a part, of some that are chosen.
class RuleLists {
  public:
    struct Entry {
        std::uint32_t variable;  // number among those chosen
        double degree;
    };

    // Forgets what was read before; its memory serves again.
    template <class Rules>
    void read(const Rules& rules, std::span<const std::size_t> chosen, std::size_t first,
              std::size_t last) {
        first_ = first;
        begin_.assign(last - first + 1, 0);
        parts_.clear();
        for (const std::size_t k : chosen) {
            const auto& rows = rules[k].rows;
            const auto low = std::lower_bound(rows.begin(), rows.end(), first);
            const auto high = std::lower_bound(low, rows.end(), last);
            parts_.emplace_back(low - rows.begin(), high - rows.begin());
            for (auto row = low; row != high; ++row) ++begin_[*row - first + 1];
        }
        for (std::size_t r = 1; r < begin_.size(); ++r) begin_[r] += begin_[r - 1];
        if (entries_.size() < begin_.back()) entries_.resize(begin_.back());
        next_.assign(begin_.begin(), begin_.end() - 1);
        for (std::uint32_t i = 0; i < chosen.size(); ++i) {
            const auto& rule = rules[chosen[i]];
            for (std::size_t j = parts_[i].first; j < parts_[i].second; ++j) {
                entries_[next_[rule.rows[j] - first]++] = {i, rule.degrees[j]};
            }
        }
    }
    std::span<const Entry> of_row(std::size_t r) const {
        const std::size_t from = begin_[r - first_];
        return std::span(entries_).subspan(from, begin_[r - first_ + 1] - from);
    }

  private:
    std::size_t first_ = 0;
    std::vector<std::size_t> begin_, next_;
    std::vector<Entry> entries_;
    std::vector<std::pair<std::size_t, std::size_t>> parts_;  // of the rows of each rule
};

}  // namespace fuzzyucs
