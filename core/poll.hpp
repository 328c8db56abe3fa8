// The caller's word in the middle of long work.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace rankmark {

// Told now and then, on the caller's thread, how much is done. May throw to stop the work.
using Poll = std::function<void(std::uint64_t done)>;

inline constexpr auto kPollInterval = std::chrono::milliseconds(20);

// Asked after each piece of work; polls where it is time to.
class Polling {
 public:
  explicit Polling(const Poll& poll) : poll_(poll) {}

  void operator()(std::uint64_t done) {
    if (!poll_ || Clock::now() - polled_ < kPollInterval) return;
    poll_(done);
    polled_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;

  const Poll& poll_;
  Clock::time_point polled_ = Clock::now();
};

}  // namespace rankmark
