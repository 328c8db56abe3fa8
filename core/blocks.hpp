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
#include <utility>
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

// How `read_blocks` goes about it.
template <class MakeParser, class Merge>
class BlockReading {
 public:
  BlockReading(const File& file, const ReadOptions& options, MakeParser make_parser, Merge merge)
      : file_(file), options_(options), make_parser_(std::move(make_parser)), merge_(std::move(merge)) {
    const auto most = static_cast<std::uint64_t>(std::max(options.threads, 1));
    slots_.resize(kAhead * std::clamp<std::uint64_t>(blocks_, 1, most));
  }

  void operator()() {
    const std::uint64_t threads = slots_.size() / kAhead;
    file_.begin();
    if (threads == 1) return read_alone();
    std::vector<std::thread> workers = started(threads, [this] { work(); });
    if (workers.empty()) return read_alone();
    try {
      poll_until_over();
    } catch (...) {
      end(workers);
      throw;
    }
    end(workers);
    if (fault_) std::rethrow_exception(fault_);
  }

 private:
  using Parser = decltype(std::declval<MakeParser&>()());
  using Part = decltype(std::declval<Parser&>()(Block{}));

  struct Slot {
    std::optional<Part> part;
    std::exception_ptr fault;
    bool ready = false;
  };

  // Nobody runs further ahead of the slowest than so many blocks a thread: what waits to be merged stays small.
  static constexpr std::uint64_t kAhead = 4;

  Slot& slot(std::uint64_t block) noexcept { return slots_[block % slots_.size()]; }
  bool is_over() const noexcept { return stop_ || merged_ >= blocks_; }
  void release(std::uint64_t blocks) const { file_.release(blocks * options_.block_size - 1); }

  void read_alone() {
    BlockLoader loader(file_, options_.block_size);
    Parser parse = make_parser_();
    Polling polling(options_.poll);
    for (std::uint64_t i = 0; i < blocks_; ++i) {
      const std::optional<Block> block = loader.load(i);
      if (!block) break;
      merge_(parse(*block));
      release(i + 1);
      polling(i * options_.block_size);
    }
  }

  // What each thread does.
  void work() {
    std::exception_ptr fault;
    try {
      BlockLoader loader(file_, options_.block_size);
      Parser parse = make_parser_();
      std::unique_lock lock(mutex_);
      while (const std::optional<std::uint64_t> mine = take_block(lock)) {
        lock.unlock();
        Slot done = read_block(*mine, loader, parse);
        lock.lock();
        if (done.ready) {
          slot(*mine) = std::move(done);
          merge_ready(lock);
        } else {  // there is no such block
          blocks_ = std::min(blocks_, *mine);
          moved_.notify_all();
          if (is_over()) ended_.notify_all();
        }
      }
      return;
    } catch (...) {
      fault = std::current_exception();
    }
    const std::scoped_lock lock(mutex_);
    if (!fault_) fault_ = fault;
    stop_ = true;
    moved_.notify_all();
    ended_.notify_all();
  }

  // The next block that nobody has taken, once it is not too far ahead; none at the end.
  std::optional<std::uint64_t> take_block(std::unique_lock<std::mutex>& lock) {
    moved_.wait(lock, [&] { return stop_ || taken_ >= blocks_ || taken_ < merged_ + slots_.size(); });
    return stop_ || taken_ >= blocks_ ? std::nullopt : std::optional(taken_++);
  }

  Slot read_block(std::uint64_t index, BlockLoader& loader, Parser& parse) {
    Slot done;
    try {
      const std::optional<Block> block = loader.load(index);
      if (!block) return done;
      done.part.emplace(parse(*block));
    } catch (...) {
      done.fault = std::current_exception();
    }
    done.ready = true;
    return done;
  }

  // Whoever finds the next part ready merges, and goes on while there is more.
  void merge_ready(std::unique_lock<std::mutex>& lock) {
    while (!merging_ && !is_over() && slot(merged_).ready) {
      merging_ = true;
      Slot next = std::exchange(slot(merged_), Slot{});
      lock.unlock();
      if (!next.fault) {
        try {
          merge_(std::move(*next.part));
        } catch (...) {
          next.fault = std::current_exception();
        }
      }
      lock.lock();
      merging_ = false;
      ++merged_;
      release(merged_);
      if (next.fault) {
        fault_ = next.fault;
        stop_ = true;
      }
      moved_.notify_all();
      if (is_over()) ended_.notify_all();
    }
  }

  void poll_until_over() {
    std::unique_lock lock(mutex_);
    while (!is_over()) {
      ended_.wait_for(lock, kPollInterval, [&] { return is_over(); });
      if (!options_.poll || is_over()) continue;
      const std::uint64_t done = merged_ * options_.block_size;
      lock.unlock();
      options_.poll(done);
      lock.lock();
    }
  }

  void end(std::vector<std::thread>& workers) {
    {
      const std::scoped_lock lock(mutex_);
      stop_ = stop_ || merged_ < blocks_;
      if (stop_) file_.stop();
    }
    moved_.notify_all();
    for (std::thread& worker : workers) worker.join();
  }

  const File& file_;
  const ReadOptions& options_;
  MakeParser make_parser_;
  Merge merge_;
  // Of a stream, it is known only when one behind the last is asked for.
  std::uint64_t blocks_ = file_.size() / options_.block_size + (file_.size() % options_.block_size > 0 ? 1 : 0);
  std::vector<Slot> slots_;
  std::mutex mutex_;
  std::condition_variable moved_,
      ended_;  // what workers wait for, and what the caller does, who need not wake as often
  std::uint64_t taken_ = 0, merged_ = 0;
  bool merging_ = false, stop_ = false;
  std::exception_ptr fault_;
};

// Calls `parse(block)` for each block, on `threads` threads, and `merge(part)` with what it returned:
// one at a time and in file order, so that the outcome cannot depend on the threads. What either
// throws stops the work; of several faults the first in file order is the one thrown. `make_parser`
// makes one parser a thread.
template <class MakeParser, class Merge>
void read_blocks(const File& file, const ReadOptions& options, MakeParser make_parser, Merge merge) {
  BlockReading(file, options, std::move(make_parser), std::move(merge))();
}

}  // namespace rankmark
