#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace fuzzyucs {

// Range of the numbers of a feature; NaN before the first one.
struct ValueRange {
    double minimum = std::numeric_limits<double>::quiet_NaN();
    double maximum = std::numeric_limits<double>::quiet_NaN();

    bool is_known() const { return !std::isnan(minimum); }
    bool holds(double x) const { return x >= minimum && x <= maximum; }

    // A range that holds a number, too, and ends beyond it by a share of its new width. The first
    // number is a range by itself.
    ValueRange widened(double x, double margin) const {
        if (!is_known()) return {x, x};
        const double share = margin / (1 - margin);
        if (x < minimum) return {limited(x - part(share, maximum - x)), maximum};
        if (x > maximum) return {minimum, limited(x + part(share, x - minimum))};
        return *this;
    }

  private:
    // The width may be infinite, of which no share is nothing.
    static double part(double share, double width) { return share > 0 ? share * width : 0; }
    static double limited(double x) {
        constexpr double largest = std::numeric_limits<double>::max();
        return std::clamp(x, -largest, largest);
    }
};

}  // namespace fuzzyucs
