// Growth of rules by histograms, with any table, settings and order of calls; another growth that
// goes on from its state must have the same rules, and several threads must find what one does.

#include <algorithm>
#include <memory>
#include <utility>

#include "../cpp/rule_growth.h"
#include "../cpp/terms.h"
#include "input.h"

namespace {

using namespace fuzzyucs;
using fuzz::Input;

CodeTable read_table(Input& in) {
    CodeTable table;
    table.n_classes = in.flag() ? 2 : in.between(2, 40);
    const std::size_t n_rows = in.flag() ? in.between(1, 12) : in.between(1, 150);
    table.features.resize(in.between(1, 6));
    for (CodedFeature& feature : table.features) {
        feature.is_nominal = in.flag();
        feature.n_terms =
            static_cast<std::uint32_t>(in.flag() ? in.between(2, 5) : in.between(2, kMaxFineTerms));
        feature.steps = static_cast<std::uint32_t>(in.between(1, 254 / (feature.n_terms - 1)));
        for (std::uint32_t t = 0; t < feature.n_terms; ++t) {
            feature.shares.push_back(in.flag() ? in.unit() : 1.0 / feature.n_terms);
        }
        const std::size_t last = (feature.is_nominal ? 1 : feature.steps) * (feature.n_terms - 1);
        for (std::size_t r = 0; r < n_rows; ++r) {
            const std::size_t code = in.between(0, last + 1);
            table.codes.push_back(code > last ? kMissingCode : static_cast<std::uint8_t>(code));
        }
    }
    const bool is_weighted = in.flag();
    double total = 0;
    for (std::size_t r = 0; r < n_rows; ++r) {
        table.labels.push_back(static_cast<Class>(in.between(0, table.n_classes - 1)));
        double weight = is_weighted ? in.amount() : 1;
        if (!(weight > 0) || total + weight > ClassProfiles::kGreatestTotalWeight) weight = 1;
        total += weight;
        table.sample_weights.push_back(weight);
    }
    return table;
}

void check_rules(const RuleGrowth& growth) {
    CHECK(growth.rules().size() == growth.profiles().n_rules());
    for (std::size_t k = 0; k < growth.rules().size(); ++k) {
        CHECK(!growth.rules()[k].empty());
        for (const double entry : growth.profiles().profile(k)) CHECK(std::isfinite(entry));
        const double neutral = growth.profiles().neutral(k);
        CHECK(neutral >= 0 && neutral <= 1);
    }
}

bool agree(const RuleGrowth& a, const RuleGrowth& b) {
    if (!std::ranges::equal(a.rules(), b.rules())) return false;
    for (std::size_t k = 0; k < a.rules().size(); ++k) {
        if (!std::ranges::equal(a.profiles().profile(k), b.profiles().profile(k))) return false;
    }
    return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input in(data, size);
    GrowthSettings settings;
    settings.condition_cost = in.flag() ? 0.6 : in.amount();
    settings.least_experience = in.flag() ? 0 : in.amount();
    settings.max_conditions = in.flag() ? 0xffffffff : static_cast<std::uint32_t>(in.between(1, 6));
    const CodeTable table = read_table(in);
    const std::size_t n_threads = in.between(1, 2);
    auto growth = std::make_unique<RuleGrowth>(table, settings, n_threads);
    auto twin = std::make_unique<RuleGrowth>(table, settings, 3 - n_threads);
    for (std::size_t calls = 0; calls < 12 && !in.is_over(); ++calls) {
        switch (in.between(0, 5)) {
            case 0: {
                const double penalty = in.amount();
                growth->set_penalty(penalty);
                twin->set_penalty(penalty);
                break;
            }
            case 1: {
                const double tolerance = in.amount(), relaxed = in.amount();
                const std::size_t most = in.between(0, 5);
                growth->settle(tolerance, most, relaxed);
                twin->settle(tolerance, most, relaxed);
                break;
            }
            case 2: {
                growth->settle(1e-3, 5, 1);
                twin->settle(1e-3, 5, 1);
                auto other = std::make_unique<RuleGrowth>(table, settings, n_threads);
                other->go_on_from(growth->state());
                CHECK(agree(*growth, *other));
                growth = std::move(other);
                break;
            }
            case 3: {
                const auto scores = growth->scores(table.codes.data(), table.n_rows());
                for (const double score : scores) CHECK(!std::isnan(score));
                break;
            }
            default: {
                const std::size_t most = in.between(0, 6);
                CHECK(growth->grow(most) == twin->grow(most));
            }
        }
        check_rules(*growth);
        CHECK(agree(*growth, *twin));
    }
    return 0;
}
