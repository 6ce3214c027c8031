#include "workers.h"

#include <system_error>
#include <utility>

namespace fuzzyucs {

Workers::Workers(std::size_t n_threads) {
    threads_.reserve(n_threads);
    try {
        for (std::size_t i = 1; i < n_threads; ++i) {
            threads_.emplace_back([this, i] { wait_for_work(i); });
        }
    } catch (const std::system_error&) {
        // The machine has no more of them: those that there are do the work.
    }
}

Workers::~Workers() {
    {
        const std::lock_guard lock(mutex_);
        is_over_ = true;
    }
    begun_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void Workers::wait_for_work(std::size_t thread) {
    std::unique_lock lock(mutex_);
    while (true) {
        begun_.wait(lock, [&] { return is_over_ || next_ < end_; });
        if (is_over_) return;
        ++n_busy_;
        take_part(thread, lock);
        if (--n_busy_ == 0) ended_.notify_one();
    }
}

// Does pieces while there are any; the lock is held in between.
void Workers::take_part(std::size_t thread, std::unique_lock<std::mutex>& lock) {
    while (next_ < end_) {
        const std::size_t piece = next_++;
        const Work& work = *work_;
        lock.unlock();
        std::exception_ptr failure;
        try {
            work(piece, thread);
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();
        if (failure) {
            next_ = end_;
            if (!failure_) failure_ = std::move(failure);
        }
    }
}

void Workers::share(std::size_t n, const Work& work) {
    if (threads_.empty() || n < 2) {
        for (std::size_t i = 0; i < n; ++i) work(i, 0);
        return;
    }
    std::unique_lock lock(mutex_);
    work_ = &work;
    next_ = 0;
    end_ = n;
    begun_.notify_all();
    take_part(0, lock);
    ended_.wait(lock, [&] { return n_busy_ == 0; });
    work_ = nullptr;
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace fuzzyucs
