// Blocks begin at a line's first byte and end at a line's end, wherever the stretches are cut.
#include "blocks.hpp"

#include <algorithm>
#include <cstring>

namespace rankmark {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::size_t kRest = 4096;  // read at a time to find the end of a line

}  // namespace

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
  // The last line may go on beyond this stretch.
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
