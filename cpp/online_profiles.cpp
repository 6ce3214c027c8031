#include "online_profiles.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "portable_math.h"
#include "position.h"
#include "vector_clones.h"

namespace fuzzyucs {

namespace {

constexpr std::size_t kPanel = 4;  // vectors of a row that stay in registers

// Calls `work` with the first number of each panel of a row and the number of its vectors, which is
// known at compile time.
template <class Work>
[[gnu::always_inline]] inline void for_each_panel(std::size_t row_size, Work&& work) {
    for (std::size_t first = 0; first < row_size; first += 4 * kPanel) {
        switch (std::min(row_size - first, 4 * kPanel) / 4) {
            case 1:
                work(first, std::integral_constant<std::size_t, 1>());
                break;
            case 2:
                work(first, std::integral_constant<std::size_t, 2>());
                break;
            case 3:
                work(first, std::integral_constant<std::size_t, 3>());
                break;
            default:
                work(first, std::integral_constant<std::size_t, 4>());
        }
    }
}

// Adds rows of amounts, times the degrees to which they count.
FUZZYUCS_VECTOR_CLONES
void add_rows(const double* amounts, std::size_t row_size, const Slot* rows, const double* degrees,
              std::size_t n_rows, double* sums) {
    for_each_panel(row_size, [&](std::size_t first, auto n) __attribute__((always_inline)) {
        FourDoubles panel[n];
        for (std::size_t i = 0; i < n; ++i) panel[i] = four(sums + first + 4 * i).values;
        for (std::size_t k = 0; k < n_rows; ++k) {
            const double* row = amounts + rows[k] * row_size + first;
            for (std::size_t i = 0; i < n; ++i) panel[i] += degrees[k] * four(row + 4 * i).values;
        }
        for (std::size_t i = 0; i < n; ++i) four(sums + first + 4 * i).values = panel[i];
    });
}

// Adds errors to rows of amounts, times the degrees to which they count.
FUZZYUCS_VECTOR_CLONES
void change_rows(double* amounts, std::size_t row_size, const Slot* rows, const double* degrees,
                 std::size_t n_rows, const double* errors) {
    for_each_panel(row_size, [&](std::size_t first, auto n) __attribute__((always_inline)) {
        FourDoubles panel[n];
        for (std::size_t i = 0; i < n; ++i) panel[i] = four(errors + first + 4 * i).values;
        for (std::size_t k = 0; k < n_rows; ++k) {
            double* row = amounts + rows[k] * row_size + first;
            for (std::size_t i = 0; i < n; ++i) four(row + 4 * i).values += degrees[k] * panel[i];
        }
    });
}

FUZZYUCS_VECTOR_CLONES
void exponentiate(double* values, std::size_t n) {
    for (std::size_t i = 0; i < n; i += 4) {
        FourDoubles power = four(values + i).values;
        portable_exp(power);
        four(values + i).values = power;
    }
}

double sum_of_squares(const MatchedRules& rules, double sum) {
    for (std::size_t k = 0; k < rules.size; ++k) sum += rules.degrees[k] * rules.degrees[k];
    return sum;
}

}  // namespace

OnlineProfiles::OnlineProfiles(std::span<const std::uint32_t> n_terms, std::size_t n_classes,
                               std::span<const double> steps, bool has_pairs)
    : n_classes_(n_classes),
      steps_(steps.begin(), steps.end()),
      row_size_(in_fours(n_classes * steps.size())),
      has_pairs_(has_pairs),
      sizes_(n_terms.begin(), n_terms.end()),
      firsts_{1},
      ends_(n_terms.size() + 1),
      said_(row_size_),
      errors_(row_size_) {
    for (const std::uint32_t size : sizes_) firsts_.push_back(firsts_.back() + size);
    fixed_.resize((firsts_.back() + (has_pairs ? n_pairs(n_terms) : 0)) * row_size_);
    const std::size_t n = sizes_.size();
    active_.reserve(1 + 2 * n + (has_pairs ? 2 * n * (n - 1) : 0));
}

std::size_t OnlineProfiles::n_pairs(std::span<const std::uint32_t> n_terms) {
    std::size_t n = 0, n_before = 0;
    for (const std::uint32_t size : n_terms) {
        n += size * n_before;
        n_before += size;
    }
    return n;
}

// The rule without conditions matches always, and of each feature two terms or one.
void OnlineProfiles::find_fixed(const double* x) {
    active_.size = 0;
    active_.append(0, 1);
    ends_[0] = 1;
    for (std::size_t f = 0; f < sizes_.size(); ++f) {
        const Position position = Position::of(x[f], sizes_[f]);
        const Slot row = firsts_[f] + position.segment;
        if (!position.missing) {
            if (position.fraction < 1) active_.append(row, 1 - position.fraction);
            if (position.fraction > 0) active_.append(row + 1, position.fraction);
        }
        ends_[f + 1] = active_.size;
    }
    if (has_pairs_) find_pairs();
}

// Of two features the pairs of the terms that match. The terms of the later one count first.
void OnlineProfiles::find_pairs() {
    Slot first = firsts_.back();
    for (std::size_t f = 0; f < sizes_.size(); ++f) {
        for (std::size_t g = 0; g < f; first += sizes_[f] * sizes_[g], ++g) {
            for (std::size_t a = ends_[f]; a < ends_[f + 1]; ++a) {
                const Slot row = first + (active_.slots[a] - firsts_[f]) * sizes_[g];
                for (std::size_t b = ends_[g]; b < ends_[g + 1]; ++b) {
                    active_.append(row + (active_.slots[b] - firsts_[g]),
                                   active_.degrees[a] * active_.degrees[b]);
                }
            }
        }
    }
}

void OnlineProfiles::say(const double* x, const MatchedRules& rules) {
    find_fixed(x);
    std::fill(said_.begin(), said_.end(), 0.0);
    add_rows(fixed_.data(), row_size_, active_.slots.data(), active_.degrees.data(), active_.size,
             said_.data());
    add_rows(of_rules_.data(), row_size_, rules.slots.data(), rules.degrees.data(), rules.size,
             said_.data());
    for (std::size_t j = 0; j < steps_.size(); ++j) {
        double* sums = &said_[j * n_classes_];
        const double greatest = *std::max_element(sums, sums + n_classes_);
        for (std::size_t c = 0; c < n_classes_; ++c) sums[c] -= greatest;
    }
    exponentiate(said_.data(), row_size_);
    for (std::size_t j = 0; j < steps_.size(); ++j) {
        double* powers = &said_[j * n_classes_];
        double total = 0;
        for (std::size_t c = 0; c < n_classes_; ++c) total += powers[c];
        for (std::size_t c = 0; c < n_classes_; ++c) powers[c] /= total;
    }
}

void OnlineProfiles::learn(const MatchedRules& rules, Class y) {
    const double length = sum_of_squares(rules, sum_of_squares(active_, 0));
    for (std::size_t j = 0; j < steps_.size(); ++j) {
        for (std::size_t c = 0; c < n_classes_; ++c) {
            const std::size_t i = j * n_classes_ + c;
            errors_[i] = steps_[j] / length * ((c == y ? 1 : 0) - said_[i]);
        }
    }
    change_rows(fixed_.data(), row_size_, active_.slots.data(), active_.degrees.data(),
                active_.size, errors_.data());
    change_rows(of_rules_.data(), row_size_, rules.slots.data(), rules.degrees.data(), rules.size,
                errors_.data());
}

void OnlineProfiles::move(Slot from, Slot to, Slot n_rules) {
    reserve(from + std::size_t{n_rules});
    const double* first = &of_rules_[from * row_size_];
    std::copy(first, first + n_rules * row_size_, &of_rules_[to * row_size_]);
}

void OnlineProfiles::clear(Slot slot) {
    reserve(slot + std::size_t{1});
    std::fill_n(&of_rules_[slot * row_size_], row_size_, 0.0);
}

void OnlineProfiles::move_terms(std::size_t feature, const MovedTerms& moved) {
    move_line(firsts_[feature], 1, moved);
    std::size_t first = firsts_.back();
    for (std::size_t f = 0; has_pairs_ && f < sizes_.size(); ++f) {
        for (std::size_t g = 0; g < f; first += sizes_[f] * sizes_[g], ++g) {
            if (f == feature) {
                for (std::size_t t = 0; t < sizes_[g]; ++t) move_line(first + t, sizes_[g], moved);
            } else if (g == feature) {
                for (std::size_t t = 0; t < sizes_[f]; ++t) {
                    move_line(first + t * sizes_[g], 1, moved);
                }
            }
        }
    }
}

// Rules that differ in the term of one feature lie in every so many rows.
void OnlineProfiles::move_line(std::size_t first, std::size_t stride, const MovedTerms& moved) {
    const auto row = [&](std::size_t term) { return &fixed_[(first + term * stride) * row_size_]; };
    std::vector<double> before;
    for (std::size_t term = 0; term < moved.places().size(); ++term) {
        before.insert(before.end(), row(term), row(term) + row_size_);
    }
    for (std::size_t term = 0; term < moved.places().size(); ++term) {
        const Position& place = moved.places()[term];
        const double* below = &before[place.segment * row_size_];
        for (std::size_t i = 0; i < row_size_; ++i) {
            row(term)[i] = below[i] * (1 - place.fraction) + below[row_size_ + i] * place.fraction;
        }
    }
}

void OnlineProfiles::reserve(std::size_t n_slots) {
    if (of_rules_.size() < n_slots * row_size_) of_rules_.resize(n_slots * row_size_);
}

}  // namespace fuzzyucs
