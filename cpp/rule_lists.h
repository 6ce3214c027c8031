#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace fuzzyucs {

// The rules that match each row of a part, of some that are chosen.
struct RuleLists {
    struct Entry {
        std::uint32_t variable;  // number among those chosen
        double degree;
    };
    std::size_t first;
    std::vector<std::size_t> begin;
    std::vector<Entry> entries;

    template <class Rules>
    RuleLists(const Rules& rules, std::span<const std::size_t> chosen, std::size_t first_row,
              std::size_t last_row)
        : first(first_row), begin(last_row - first_row + 1) {
        std::vector<std::pair<std::size_t, std::size_t>> parts;
        for (const std::size_t k : chosen) {
            const auto& rows = rules[k].rows;
            const auto low = std::lower_bound(rows.begin(), rows.end(), first_row);
            const auto high = std::lower_bound(low, rows.end(), last_row);
            parts.emplace_back(low - rows.begin(), high - rows.begin());
            for (auto row = low; row != high; ++row) ++begin[*row - first + 1];
        }
        for (std::size_t r = 1; r < begin.size(); ++r) begin[r] += begin[r - 1];
        entries.resize(begin.back());
        std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
        for (std::uint32_t i = 0; i < chosen.size(); ++i) {
            const auto& rule = rules[chosen[i]];
            for (std::size_t j = parts[i].first; j < parts[i].second; ++j) {
                entries[next[rule.rows[j] - first]++] = {i, rule.degrees[j]};
            }
        }
    }
    std::span<const Entry> of_row(std::size_t r) const {
        const std::size_t from = begin[r - first];
        return std::span(entries).subspan(from, begin[r - first + 1] - from);
    }
};

}  // namespace fuzzyucs
