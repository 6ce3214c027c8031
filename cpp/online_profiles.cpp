#include "online_profiles.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "portable_math.h"

namespace fuzzyucs {

OnlineProfiles::OnlineProfiles(std::span<const std::uint32_t> n_terms, std::size_t n_classes,
                               double step)
    : n_classes_(n_classes),
      step_(step),
      sizes_(n_terms.begin(), n_terms.end()),
      of_all_(n_classes),
      of_terms_(std::accumulate(n_terms.begin(), n_terms.end(), std::size_t{0}) * n_classes),
      error_(n_classes) {}

template <class Visit>
void OnlineProfiles::visit_terms(const double* x, Visit&& visit) const {
    std::size_t first = 0;
    for (std::size_t f = 0; f < sizes_.size(); first += sizes_[f], ++f) {
        if (std::isnan(x[f])) continue;
        const double top = sizes_[f] - 1.0;
        const double position = std::clamp(x[f], 0.0, top);
        const std::size_t segment =
            std::min(static_cast<std::size_t>(position), static_cast<std::size_t>(sizes_[f]) - 2);
        const double share = position - static_cast<double>(segment);
        if (share < 1) visit((first + segment) * n_classes_, 1 - share);
        if (share > 0) visit((first + segment + 1) * n_classes_, share);
    }
}

void OnlineProfiles::probabilities(const double* x, const MatchedRules& rules,
                                   double* result) const {
    std::copy(of_all_.begin(), of_all_.end(), result);
    const auto add = [&](const double* amounts, double degree) {
        for (std::size_t c = 0; c < n_classes_; ++c) result[c] += degree * amounts[c];
    };
    visit_terms(x, [&](std::size_t row, double degree) { add(&of_terms_[row], degree); });
    for (std::size_t k = 0; k < rules.size; ++k) {
        const std::size_t row = rules.slots[k] * n_classes_;
        if (row < of_rules_.size()) add(&of_rules_[row], rules.degrees[k]);
    }
    const double greatest = *std::max_element(result, result + n_classes_);
    double total = 0;
    for (std::size_t c = 0; c < n_classes_; ++c) {
        result[c] = portable_exp(result[c] - greatest);
        total += result[c];
    }
    for (std::size_t c = 0; c < n_classes_; ++c) result[c] /= total;
}

void OnlineProfiles::learn(const double* x, const MatchedRules& rules, Class y,
                           const double* said) {
    double length = 1;
    visit_terms(x, [&](std::size_t, double degree) { length += degree * degree; });
    for (std::size_t k = 0; k < rules.size; ++k) length += rules.degrees[k] * rules.degrees[k];
    for (std::size_t c = 0; c < n_classes_; ++c) {
        error_[c] = step_ / length * ((c == y ? 1 : 0) - said[c]);
    }
    const auto change = [&](double* amounts, double degree) {
        for (std::size_t c = 0; c < n_classes_; ++c) amounts[c] += degree * error_[c];
    };
    change(of_all_.data(), 1);
    visit_terms(x, [&](std::size_t row, double degree) { change(&of_terms_[row], degree); });
    for (std::size_t k = 0; k < rules.size; ++k) {
        change(of_rule(rules.slots[k]).data(), rules.degrees[k]);
    }
}

void OnlineProfiles::move(Slot from, Slot to, Slot n_rules) {
    const double* first = of_rule(from + n_rules - 1).data() - (n_rules - 1) * n_classes_;
    std::copy(first, first + n_rules * n_classes_, of_rule(to).data());
}

void OnlineProfiles::clear(Slot slot) {
    const auto row = of_rule(slot);
    std::fill(row.begin(), row.end(), 0.0);
}

std::span<double> OnlineProfiles::of_rule(Slot slot) {
    const std::size_t end = (slot + std::size_t{1}) * n_classes_;
    if (of_rules_.size() < end) of_rules_.resize(end);
    return {&of_rules_[end - n_classes_], n_classes_};
}

}  // namespace fuzzyucs
