// Blocks begin at a line's first byte and end at a line's end, wherever the file is cut.
#include "blocks.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>

#include "parallel.hpp"

namespace rankmark {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::size_t kRest = 4096;  // read at a time to find the end of a line

using Merge = std::function<void(const BlockPart&)>;

class BlockReading {
 public:
  BlockReading(const File& file, const ReadOptions& options, const MakeBlockParser& make_parser, const Merge& merge)
      : file_(file), options_(options), make_parser_(make_parser), merge_(merge) {
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
  struct Slot {
    BlockPart part;
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
    const std::unique_ptr<BlockParser> parser = make_parser_();
    Polling polling(options_.poll);
    for (std::uint64_t i = 0; i < blocks_; ++i) {
      const std::optional<Block> block = loader.load(i);
      if (!block) break;
      merge_(parser->parse(*block));
      release(i + 1);
      polling(i * options_.block_size);
    }
  }

  // What each thread does.
  void work() {
    std::exception_ptr fault;
    try {
      BlockLoader loader(file_, options_.block_size);
      const std::unique_ptr<BlockParser> parser = make_parser_();
      std::unique_lock lock(mutex_);
      while (const std::optional<std::uint64_t> mine = take_block(lock)) {
        lock.unlock();
        Slot done = read_block(*mine, loader, *parser);
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

  Slot read_block(std::uint64_t index, BlockLoader& loader, BlockParser& parser) {
    Slot done;
    try {
      const std::optional<Block> block = loader.load(index);
      if (!block) return done;
      done.part = parser.parse(*block);
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
          merge_(next.part);
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
  const MakeBlockParser& make_parser_;
  const Merge& merge_;
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

}  // namespace

void read_block_parts(const File& file, const ReadOptions& options, const MakeBlockParser& make_parser,
                      const Merge& merge) {
  BlockReading(file, options, make_parser, merge)();
}

std::optional<Block> BlockLoader::load(std::uint64_t index) {
  const std::uint64_t from = index * block_size_;
  // One byte more in front tells whether a line begins at `from`.
  const std::uint64_t start = from == 0 ? 0 : from - 1;
  const auto reserve = [&](std::size_t bytes) {
    if (buffer_.size() < bytes + 1 + kPadding) buffer_.resize(bytes + 1 + kPadding);
  };
  const std::size_t wanted = block_size_ + (from == 0 ? 0 : 1);
  reserve(wanted);
  std::size_t size = file_.read_some(start, buffer_.data(), wanted);
  if (start + size <= from) return std::nullopt;
  const std::uint64_t to = start + size;

  std::size_t begin = 0;
  if (from > 0) {
    const void* newline = std::memchr(buffer_.data(), '\n', size);
    if (newline == nullptr) return Block{to, {}, {}};
    begin = static_cast<std::size_t>(static_cast<const char*>(newline) - buffer_.data()) + 1;
    if (begin == size) return Block{to, {}, {}};
  }
  // The last line may go on beyond this part.
  std::size_t last = size;
  while (last > begin && buffer_[last - 1] != '\n') --last;
  while (buffer_[size - 1] != '\n' && size - last <= kLongestLine + 2) {
    reserve(size + kRest);
    const std::size_t more = file_.read_some(start + size, buffer_.data() + size, kRest);
    if (more == 0) break;
    const void* newline = std::memchr(buffer_.data() + size, '\n', more);
    if (newline != nullptr) {
      size = static_cast<std::size_t>(static_cast<const char*>(newline) - buffer_.data()) + 1;
    } else {
      size += more;
    }
  }
  Block block;
  if (buffer_[size - 1] != '\n' && size - last > kLongestLine + 2) {
    block.endless = start + last;
    size = last;
  } else if (buffer_[size - 1] != '\n') {
    buffer_[size++] = '\n';
  }
  if (from == 0 && std::string_view(buffer_.data(), size).starts_with(kByteOrderMark)) {
    begin = kByteOrderMark.size();
  }
  block.offset = start + begin;
  block.text = {buffer_.data() + begin, size - begin};
  return block;
}

std::uint64_t line_number(const File& file, std::uint64_t offset, const Poll& poll) {
  std::vector<char> buffer(std::size_t{1} << 18);
  std::uint64_t line = 1;
  file.begin();
  for (std::uint64_t at = 0; at < offset;) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), offset - at));
    file.read(at, buffer.data(), count);
    line += static_cast<std::uint64_t>(
        std::count(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(count), '\n'));
    at += count;
    file.release(at);
    if (poll) poll(at);
  }
  return line;
}

}  // namespace rankmark
