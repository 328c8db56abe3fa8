// Numbered pieces of work shared among threads, the outcome as if done in order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#include "poll.hpp"

namespace rankmark {

// Starts threads that each call `run`, as many as are wanted or as the system allows, which may be none.
std::vector<std::thread> started(std::uint64_t wanted, const std::function<void()>& run);

// The work of one thread, piece by piece.
class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  virtual ~Worker() = default;
  virtual void work(std::uint64_t piece) = 0;
};
using MakeWorker = std::function<std::unique_ptr<Worker>()>;

// How `share_out` goes about it.
void share_out_pieces(std::uint64_t pieces, int threads, const Poll& poll, const MakeWorker& make_worker);

// Calls `work(i)` for i from 0 to `pieces`, on up to `threads` threads; `make_work` makes the `work` of one thread.
// Pieces begin in order, and of several faults that of the lowest piece is thrown, so that which one it is cannot
// depend on the threads. `poll` is called on this thread now and then.
template <class MakeWork>
void share_out(std::uint64_t pieces, int threads, const Poll& poll, const MakeWork& make_work) {
  class Own : public Worker {
   public:
    explicit Own(const MakeWork& make_work) : work_(make_work()) {}
    void work(std::uint64_t piece) override { work_(piece); }

   private:
    std::invoke_result_t<const MakeWork&> work_;
  };
  share_out_pieces(pieces, threads, poll, [&] { return std::make_unique<Own>(make_work); });
}

}  // namespace rankmark
