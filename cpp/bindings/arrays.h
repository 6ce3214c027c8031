#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

namespace fuzzyucs {

// Arrays in, arrays out: what all bindings share.

namespace nb = nanobind;
using namespace nb::literals;

template <class T>
using Input1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Input2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Output1 = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using Output2 = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

template <class T>
T* allocate(std::size_t size, nb::capsule& owner) {
    T* data = new T[std::max<std::size_t>(size, 1)]();
    owner = nb::capsule(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return data;
}

template <class T>
Output1<T> new_array(std::size_t n) {
    nb::capsule owner;
    T* data = allocate<T>(n, owner);
    return Output1<T>(data, {n}, owner);
}

template <class T>
Output2<T> new_array(std::size_t n, std::size_t m) {
    nb::capsule owner;
    T* data = allocate<T>(n * m, owner);
    return Output2<T>(data, {n, m}, owner);
}

template <class T>
Output1<T> to_array(std::span<const T> values) {
    auto array = new_array<T>(values.size());
    std::copy(values.begin(), values.end(), array.data());
    return array;
}

template <class T>
std::span<const T> as_span(const Input1<T>& array) {
    return {array.data(), array.size()};
}

template <class T>
std::vector<T> to_vector(const Input1<T>& array) {
    return {array.data(), array.data() + array.size()};
}

inline void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

// Handles Ctrl-C several times a second if it is called often, by a thread without the GIL.
class SignalCheck {
  public:
    void operator()() {
        if (Clock::now() - last_ <= kInterval) return;
        nb::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        last_ = Clock::now();
    }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr auto kInterval = std::chrono::milliseconds(50);
    Clock::time_point last_ = Clock::now();
};

// Calls work(0), ..., work(n - 1) without the GIL, and handles Ctrl-C several times a second.
template <class Work>
void run_interruptibly(std::size_t n, Work&& work) {
    nb::gil_scoped_release release;
    SignalCheck check;
    for (std::size_t i = 0; i < n; ++i) {
        work(i);
        if (i % 16 == 0) check();
    }
}

}  // namespace fuzzyucs
