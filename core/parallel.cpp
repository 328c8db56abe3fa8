// Threads that take the next piece of work until there is none, or one of them fails.
#include "parallel.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>

namespace rankmark {

std::vector<std::thread> started(std::uint64_t wanted, const std::function<void()>& run) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(wanted));
  try {
    while (threads.size() < wanted) threads.emplace_back(run);
  } catch (const std::exception&) {
    return threads;
  }
  return threads;
}

void share_out_pieces(std::uint64_t pieces, int threads, const Poll& poll, const MakeWorker& make_worker) {
  const auto wanted = std::min<std::uint64_t>(static_cast<std::uint64_t>(std::max(threads, 1)), pieces);
  const auto work_alone = [&] {
    const std::unique_ptr<Worker> worker = make_worker();
    Polling polling(poll);
    for (std::uint64_t i = 0; i < pieces; ++i) {
      worker->work(i);
      polling(i);
    }
  };
  if (wanted <= 1) return work_alone();

  std::atomic<std::uint64_t> next{0}, stop_at{pieces};
  std::mutex mutex;
  std::condition_variable ended;
  std::uint64_t working = wanted, first_fault = std::numeric_limits<std::uint64_t>::max();
  std::exception_ptr fault;
  const auto run = [&] {
    std::uint64_t mine = pieces;
    try {
      const std::unique_ptr<Worker> worker = make_worker();
      while ((mine = next.fetch_add(1)) < stop_at.load()) worker->work(mine);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!fault || mine < first_fault) {
        first_fault = mine;
        fault = std::current_exception();
      }
      stop_at.store(std::min(stop_at.load(), mine));
    }
    const std::scoped_lock lock(mutex);
    --working;
    ended.notify_all();
  };
  std::vector<std::thread> workers = started(wanted, run);
  if (workers.empty()) return work_alone();
  const auto join = [&] {
    for (std::thread& worker : workers) worker.join();
  };
  try {
    std::unique_lock lock(mutex);
    working -= wanted - workers.size();
    while (!ended.wait_for(lock, kPollInterval, [&] { return working == 0; })) {
      lock.unlock();
      if (poll) poll(next.load());
      lock.lock();
    }
  } catch (...) {
    stop_at.store(0);
    join();
    throw;
  }
  join();
  if (fault) std::rethrow_exception(fault);
}

}  // namespace rankmark
