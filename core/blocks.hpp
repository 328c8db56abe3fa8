// A file cut into blocks of whole lines, worked on by several threads, put together in file order.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "fault.hpp"
#include "file.hpp"
#include "parallel.hpp"
#include "poll.hpp"
#include "text.hpp"

namespace rankmark {

struct ReadOptions {
  int threads = 1;
  std::size_t block_size = std::size_t{1} << 19;
  Poll poll;                                      // told how many bytes are done
  std::uint64_t memory = std::uint64_t{1} << 29;  // in bytes, for the rows of interleaved queries
};

// The lines whose first byte lies in one stretch of the file. `text` is empty or ends with a newline,
// whether or not the file does, and kPadding readable bytes stand behind it.
struct Block {
  std::uint64_t offset = 0;  // of the text's first byte in the file
  std::span<char> text;
  std::optional<std::uint64_t> endless{};  // where a line begins that is longer than kLongestLine

  // Where a piece of the text stands in the file.
  std::uint64_t offset_of(std::string_view piece) const noexcept {
    return offset + static_cast<std::uint64_t>(piece.data() - text.data());
  }
};

// Loads blocks into a buffer that it keeps; one for each thread.
class BlockLoader {
 public:
  BlockLoader(const File& file, std::size_t block_size) : file_(file), block_size_(block_size) {}

  // None behind the last block.
  std::optional<Block> load(std::uint64_t index);

 private:
  const File& file_;
  std::size_t block_size_;
  std::vector<char> buffer_;
};

// The 1-based number of the line that holds the byte at `offset`.
std::uint64_t line_number(const File& file, std::uint64_t offset, const Poll& poll);

// Calls `parse(block)` for each block, on `threads` threads, and `merge(part)` with what it returned:
// one at a time and in file order, so that the outcome cannot depend on the threads. What either
// throws stops the work; of several faults the first in file order is the one thrown. `make_parser`
// makes one parser a thread.
template <class MakeParser, class Merge>
void read_blocks(const File& file, const ReadOptions& options, MakeParser make_parser, Merge merge) {
  using Part = decltype(make_parser()(Block{}));
  // Of a stream, it is known only when one behind the last is asked for.
  std::uint64_t blocks = file.size() / options.block_size + (file.size() % options.block_size > 0 ? 1 : 0);
  const std::uint64_t threads = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::max(options.threads, 1)), 1,
                                                          std::max<std::uint64_t>(blocks, 1));
  file.begin();
  const auto release = [&](std::uint64_t done) { file.release(done * options.block_size - 1); };
  const auto read_alone = [&] {
    BlockLoader loader(file, options.block_size);
    auto parse = make_parser();
    Polling polling(options.poll);
    for (std::uint64_t i = 0; i < blocks; ++i) {
      const std::optional<Block> block = loader.load(i);
      if (!block) break;
      merge(parse(*block));
      release(i + 1);
      polling(i * options.block_size);
    }
  };
  if (threads == 1) return read_alone();

  struct Slot {
    std::optional<Part> part;
    std::exception_ptr fault;
    bool ready = false;
  };
  // Nobody runs further ahead of the slowest than this: what waits to be merged stays small.
  const std::uint64_t window = 4 * threads;
  std::vector<Slot> slots(window);
  std::mutex mutex;
  std::condition_variable moved, ended;  // what workers wait for, and what the caller does, who need not wake as often
  std::uint64_t taken = 0, merged = 0;
  bool merging = false, stop = false;
  std::exception_ptr fault;

  const auto work = [&] {
    std::exception_ptr own_fault;
    try {
      BlockLoader loader(file, options.block_size);
      auto parse = make_parser();
      std::unique_lock lock(mutex);
      for (;;) {
        moved.wait(lock, [&] { return stop || taken >= blocks || taken < merged + window; });
        if (stop || taken >= blocks) return;
        const std::uint64_t mine = taken++;
        lock.unlock();
        Slot done;
        bool behind = false;
        try {
          const std::optional<Block> block = loader.load(mine);
          behind = !block;
          if (block) done.part.emplace(parse(*block));
        } catch (...) {
          done.fault = std::current_exception();
        }
        done.ready = true;
        lock.lock();
        if (behind) {
          blocks = std::min(blocks, mine);
          moved.notify_all();
          if (merged >= blocks) ended.notify_all();
          continue;
        }
        slots[mine % window] = std::move(done);
        // Whoever finds the next part ready merges, and goes on while there is more.
        while (!merging && !stop && merged < blocks && slots[merged % window].ready) {
          merging = true;
          Slot next = std::move(slots[merged % window]);
          slots[merged % window] = Slot{};
          lock.unlock();
          std::exception_ptr merge_fault = next.fault;
          if (!merge_fault) {
            try {
              merge(std::move(*next.part));
            } catch (...) {
              merge_fault = std::current_exception();
            }
          }
          lock.lock();
          merging = false;
          ++merged;
          release(merged);
          if (merge_fault) {
            fault = merge_fault;
            stop = true;
          }
          moved.notify_all();
          if (stop || merged >= blocks) ended.notify_all();
        }
      }
    } catch (...) {
      own_fault = std::current_exception();
    }
    const std::scoped_lock lock(mutex);
    if (!fault) fault = own_fault;
    stop = true;
    moved.notify_all();
    ended.notify_all();
  };

  std::vector<std::thread> workers = started(threads, work);
  if (workers.empty()) return read_alone();
  const auto join = [&] {
    {
      const std::scoped_lock lock(mutex);
      stop = stop || merged < blocks;
      if (stop) file.stop();
    }
    moved.notify_all();
    for (std::thread& worker : workers) worker.join();
  };
  try {
    std::unique_lock lock(mutex);
    while (!stop && merged < blocks) {
      ended.wait_for(lock, kPollInterval, [&] { return stop || merged >= blocks; });
      if (options.poll && !stop && merged < blocks) {
        const std::uint64_t done = merged * options.block_size;
        lock.unlock();
        options.poll(done);
        lock.lock();
      }
    }
  } catch (...) {
    join();
    throw;
  }
  join();
  if (fault) std::rethrow_exception(fault);
}

}  // namespace rankmark
