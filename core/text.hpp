// Text as fields and numbers: where the fields of a block's lines begin and end, and what number a field holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankmark {

// Readable bytes that every indexed text needs behind its end, so that whole words can be loaded.
inline constexpr std::size_t kPadding = 64;

// The fields of a text, found 64 bytes at a time. Blanks are space, tab, newline, and a carriage
// return that stands before a newline; `edges` alternates between the first byte of a field and the
// first byte behind it, `newlines` holds the newlines.
class FieldIndex {
 public:
  // `text` ends with a newline and has kPadding readable bytes behind its end.
  void index(std::string_view text);

  std::vector<std::uint32_t> edges;
  std::vector<std::uint32_t> newlines;
  bool has_nul = false;
};

// The fields of one line as seen by a FieldIndex; fields are counted from 0.
struct Line {
  std::string_view text;       // without its newline
  const std::uint32_t* edges;  // begin and end of each field
  std::size_t fields;
  const char* base;

  std::string_view field(std::size_t i) const noexcept {
    return {base + edges[2 * i], edges[2 * i + 1] - edges[2 * i]};
  }
};

// Walks the lines of an indexed text that hold something: blank lines and comments (a `#` as the
// first byte) are passed over. Lines of exactly `expected` fields are recognised by one comparison.
class LineWalker {
 public:
  LineWalker(std::string_view text, const FieldIndex& index, std::size_t expected) noexcept
      : text_(text), index_(index), expected_(expected) {}

  bool next(Line& line) noexcept {
    while (newline_ < index_.newlines.size()) {
      const std::uint32_t end = index_.newlines[newline_++];
      const std::uint32_t begin = begin_;
      begin_ = end + 1;
      const std::size_t first = edge_;
      const std::uint32_t* edges = index_.edges.data() + first;
      // Edges are padded, so that this look ahead stays inside.
      std::size_t count = 2 * expected_;
      if (edges[count - 1] != end) {
        count = 0;
        while (edges[count] <= end) count += 2;
      }
      edge_ = first + count;
      if (count == 0 || text_[begin] == '#') continue;
      line = {text_.substr(begin, end - begin), edges, count / 2, text_.data()};
      return true;
    }
    return false;
  }

 private:
  std::string_view text_;
  const FieldIndex& index_;
  std::size_t expected_;
  std::size_t newline_ = 0;
  std::size_t edge_ = 0;
  std::uint32_t begin_ = 0;
};

// The double nearest to a decimal, scientific, `inf` or `nan` number that fills `field`; nothing
// where the field is no number. Independent of the locale. Reads up to kPadding bytes behind the field.
std::optional<double> parse_number(std::string_view field) noexcept;

// A field as an error message shows it: quoted, control bytes escaped, cut where it is long.
std::string shown(std::string_view field);

}  // namespace rankmark
