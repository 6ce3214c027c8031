#include "portable_math.h"

namespace fuzzyucs {

FUZZYUCS_VECTOR_CLONES
void take_logs(const double* numbers, std::size_t n, double* logs) {
    std::size_t r = 0;
    for (; r + 4 <= n; r += 4) {
        FourDoubles x = four(numbers + r).values;
        portable_log(x);
        four(logs + r).values = x;
    }
    for (; r < n; ++r) logs[r] = portable_log(numbers[r]);
}

}  // namespace fuzzyucs
