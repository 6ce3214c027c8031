#include "../portable_math.h"

#include <cmath>
#include <limits>

#include "arrays.h"
#include "bindings.h"

namespace fuzzyucs {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// For any number: infinite where e^x is beyond the largest double, 0 where it is hardly normal.
double any_exp(double x) {
    if (std::isnan(x)) return x;
    if (x > 710) return kInfinity;
    if (x <= 700) return portable_exp(x);
    const double half = portable_exp(x / 2);
    return half * half;
}

// For any number: minus infinity for 0, not a number below.
double any_log(double x) {
    if (std::isnan(x) || x == kInfinity) return x;
    if (x <= 0) return x == 0 ? -kInfinity : std::numeric_limits<double>::quiet_NaN();
    if (x >= std::numeric_limits<double>::min()) return portable_log(x);
    return portable_log(x * 0x1p54) - 54 * portable_log(2.0);
}

// log(1 + x) and e^x - 1 without the loss of digits near 0: what rounding did to 1 + x, or to
// e^x, cancels out (W. Kahan).
double any_log1p(double x) {
    const double u = 1 + x;
    if (u == 1) return x;
    if (!(u > 0) || u == kInfinity) return any_log(u);
    return any_log(u) * (x / (u - 1));
}

double any_expm1(double x) {
    const double u = any_exp(x);
    if (u == 1) return x;
    const double less = u - 1;
    if (less == -1 || u == kInfinity || std::isnan(u)) return less;
    return less * (x / any_log(u));
}

template <double (*function)(double)>
Output1<double> of_all(const Input1<double>& numbers) {
    auto results = new_array<double>(numbers.size());
    std::transform(numbers.data(), numbers.data() + numbers.size(), results.data(), function);
    return results;
}

}  // namespace

void bind_portable_math(nb::module_& m) {
    m.def("exp", &of_all<any_exp>, "x"_a);
    m.def("log", &of_all<any_log>, "x"_a);
    m.def("log1p", &of_all<any_log1p>, "x"_a);
    m.def("expm1", &of_all<any_expm1>, "x"_a);
}

}  // namespace fuzzyucs
