#include <algorithm>
#include <array>

#include "class_profiles.h"
#include "portable_math.h"
#include "vector_clones.h"

namespace fuzzyucs {

namespace {

constexpr double kGreatestExponent = 700;
constexpr double kGreatestScore = 600;  // above the reference of its row, before it is lifted
constexpr double kToBeTaken = -1;       // instead of a sum of odds

// Shifts scores, and lets odds and their sums follow. Where little of a sum is left, it is to be
// taken anew. Returns whether there is such a row.
FUZZYUCS_VECTOR_CLONES
bool follow_scores(double* scores, const double* reference, double* odds, double* totals,
                   std::size_t n, double shift) {
    FourIntegers is_any{};
    std::size_t r = 0;
    for (; r + 4 <= n; r += 4) {
        const FourDoubles score = four(scores + r).values + shift, before = four(odds + r).values,
                          total = four(totals + r).values;
        FourDoubles x = score - four(reference + r).values;
        x = x > kGreatestExponent ? FourDoubles{} + kGreatestExponent : x;
        portable_exp(x);
        const FourDoubles sum = total - before + x;
        const FourIntegers is_little = ~(sum > 0.5 * total);
        is_any |= is_little;
        four(scores + r).values = score;
        four(odds + r).values = x;
        four(totals + r).values = is_little ? FourDoubles{} + kToBeTaken : sum;
    }
    bool is_found = (is_any[0] | is_any[1] | is_any[2] | is_any[3]) != 0;
    for (; r < n; ++r) {
        const double before = odds[r], total = totals[r];
        scores[r] += shift;
        odds[r] = portable_exp(std::min(scores[r] - reference[r], kGreatestExponent));
        totals[r] = total - before + odds[r];
        if (totals[r] > 0.5 * total) continue;
        totals[r] = kToBeTaken;
        is_found = true;
    }
    return is_found;
}

}  // namespace

// Odds of a class from its scores, which are shifted. The sum of the odds of a row follows them; if
// little of it is left, it is taken anew, so that rounding stays small beside it.
void ClassProfiles::update_class(Class c, double shift) {
    const std::size_t n = n_rows();
    double *scores = scores_.data() + c * n, *odds = odds_.data() + c * n;
    share(n, [&](std::size_t first, std::size_t last, std::size_t) {
        if (!follow_scores(scores + first, &reference_[first], odds + first, &total_[first],
                           last - first, shift)) {
            return;
        }
        for (std::size_t r = first; r < last; ++r) {
            if (total_[r] != kToBeTaken) continue;
            total_[r] = 0;
            for (Class d = 0; d < n_classes_; ++d) total_[r] += odds_[d * n + r];
        }
    });
}

// Scores are in range after `update_scores`.
void ClassProfiles::update_objective() {
    update_objective(1, 0);
    is_in_range_ = true;
}

// The same after scores of some classes moved, of which some may have gone too far.
void ClassProfiles::update_objective(Class first_class, Class last_class) {
    const std::size_t n = n_rows();
    Sum loss = sum_over(n, [&](std::size_t first, std::size_t last) {
        constexpr std::size_t block = 256;
        std::array<double, block> logs;
        Sum sum = 0;
        for (std::size_t from = first; from < last; from += block) {
            const std::size_t to = std::min(from + block, last);
            take_logs(&total_[from], to - from, logs.data());
            for (std::size_t r = from; r < to; ++r) {
                const double own = scores_[labels_[r] * n + r] - reference_[r];
                const double loss = std::min(logs[r - from] - own, kGreatestLoss);
                sum += losses_(sample_weights_[r] * loss);
            }
        }
        return sum;
    });
    Sum n_out_of_range = 0;
    for (Class c = first_class; c <= last_class; ++c) {
        const double* scores = scores_.data() + c * n;
        for (std::size_t r = 0; r < n; ++r) {
            n_out_of_range += !(scores[r] - reference_[r] < kGreatestScore);
        }
    }
    combine(shared_, {{&loss, 1}, {&n_out_of_range, 1}});
    is_in_range_ = n_out_of_range == 0;
    objective_ = losses_.value(loss);
    for (const Rule& rule : rules_) objective_ += rule.penalty * rule.size;
}

}  // namespace fuzzyucs
