#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace fuzzyucs {

// Threads that share pieces of work. They live as long as the object and sleep in between.
class Workers {
  public:
    // A piece of work, and the number of the thread that does it; 0 is the one that calls `share`.
    using Work = std::function<void(std::size_t piece, std::size_t thread)>;

    explicit Workers(std::size_t n_threads = 1);
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    // Threads, the calling one included; fewer than asked for if the machine has no more.
    std::size_t size() const { return threads_.size() + 1; }

    // Calls work(0, ...), ..., work(n - 1, ...) in any order and waits for all of them. After an
    // exception no other piece is begun, and the first exception is thrown.
    void share(std::size_t n, const Work& work);

    // How rows are divided into parts.
    static std::size_t n_parts(std::size_t n_rows) { return (n_rows + kRows - 1) / kRows; }
    static std::size_t part_of(std::size_t row) { return row / kRows; }

    // Calls work(first, last, thread) for rows in parts of about the same size.
    template <class RowWork>
    void share_rows(std::size_t n, const RowWork& work) {
        share(n_parts(n), [&](std::size_t part, std::size_t thread) {
            work(part * kRows, std::min(n, (part + 1) * kRows), thread);
        });
    }

    // Called now and then by thread 0 while nothing is half done; throws if work is to end.
    std::function<void()> pause = [] {};

  private:
    static constexpr std::size_t kRows = 16384;  // of a part

    void wait_for_work(std::size_t thread);
    void take_part(std::size_t thread, std::unique_lock<std::mutex>& lock);

    std::mutex mutex_;
    std::condition_variable begun_, ended_;
    const Work* work_ = nullptr;
    std::size_t next_ = 0, end_ = 0;  // pieces
    std::size_t n_busy_ = 0;          // threads, the calling one left out
    std::exception_ptr failure_;
    bool is_over_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace fuzzyucs
