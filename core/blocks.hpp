// A file cut into blocks of whole lines, worked on by several threads, put together in file order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "file.hpp"
#include "poll.hpp"
#include "text.hpp"

namespace rankmark {

struct ReadOptions {
  int threads = 1;
  std::size_t block_size = std::size_t{1} << 19;
  Poll poll;                                      // told how many bytes are done
  std::uint64_t memory = std::uint64_t{1} << 29;  // in bytes, for the rows of interleaved queries
};

// The lines whose first byte lies in one part of the file. `text` is empty or ends with a newline,
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

// What a parser makes of a block, whatever that is.
using BlockPart = std::shared_ptr<void>;

// Parses blocks; one for each thread.
class BlockParser {
 public:
  BlockParser() = default;
  BlockParser(const BlockParser&) = delete;
  BlockParser& operator=(const BlockParser&) = delete;
  virtual ~BlockParser() = default;
  virtual BlockPart parse(const Block& block) = 0;
};
using MakeBlockParser = std::function<std::unique_ptr<BlockParser>()>;

// How `read_blocks` goes about it.
void read_block_parts(const File& file, const ReadOptions& options, const MakeBlockParser& make_parser,
                      const std::function<void(const BlockPart&)>& merge);

// Calls `parse(block)` for each block, on `threads` threads, and `merge(part)` with what it returned: one at a time and
// in file order, so that the outcome cannot depend on the threads. What either throws stops the work; of several faults
// the first in file order is the one thrown. `make_parse` makes the `parse` of one thread.
template <class MakeParse, class Merge>
void read_blocks(const File& file, const ReadOptions& options, const MakeParse& make_parse, Merge&& merge) {
  using Parse = decltype(make_parse());
  using Part = decltype(std::declval<Parse&>()(Block{}));
  class Own : public BlockParser {
   public:
    explicit Own(const MakeParse& make_parse) : parse_(make_parse()) {}
    BlockPart parse(const Block& block) override { return std::make_shared<Part>(parse_(block)); }

   private:
    Parse parse_;
  };
  read_block_parts(
      file, options, [&] { return std::make_unique<Own>(make_parse); },
      [&](const BlockPart& part) { merge(std::move(*static_cast<Part*>(part.get()))); });
}

}  // namespace rankmark
