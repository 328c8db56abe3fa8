// Text as lines and columns: where the fields of a block's lines begin and end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fault.hpp"
#include "ids.hpp"

namespace rankmark {

// Readable bytes that every indexed text needs behind its end, so that whole words can be loaded.
inline constexpr std::size_t kPadding = 64;

inline constexpr std::size_t kLongestLine = IdSpan::kLongest;  // without its end

// The ways in which this processor can look for separators, the fastest first.
std::vector<std::string_view> scanners();

// How the lines of a text are cut: at any run of spaces and tabs, or at each one of a given byte. Only
// in the first do lines with a `#` as their first byte count as comments, and only in the second may a
// field be quoted ("with ""quotes"" doubled", as RFC 4180 has it), hold blanks, or be empty.
struct Cut {
  char separator = '\0';    // 0: any run of spaces and tabs
  std::size_t columns = 1;  // as many as the lines should have
  std::size_t scanner = 0;  // which of `scanners` finds separators: another way, and never another outcome

  bool at_blanks() const noexcept { return separator == '\0'; }
};

// One line that holds something, cut into columns. Columns are counted from 0.
class Line {
 public:
  std::size_t columns = 0;         // as many as there are, however many the line should have
  bool plain = false;              // all is as it should be, so that nobody needs to look
  const Message* fault = nullptr;  // what is wrong with its quotes

  // One of the columns that the line should have, and has.
  std::string_view column(std::size_t i) const noexcept {
    if (ends_ == nullptr) return split_[i];
    const std::uint32_t begin = ends_[i] + 1, end = std::min(ends_[i + 1], end_);
    return {start_ + begin, end - begin};
  }

  std::string_view text() const noexcept {  // without its end
    return ends_ == nullptr ? text_ : std::string_view{start_ + (ends_[0] + 1), end_ - (ends_[0] + 1)};
  }

 private:
  friend class LineReader;

  const char* start_ = nullptr;          // of the text
  const std::uint32_t* ends_ = nullptr;  // where column i - 1 ends, counted from the text's start
  std::uint32_t end_ = 0;                // where this line ends there
  std::string_view text_;
  const std::string_view* split_ = nullptr;
};

// Lines that are as they should be, each ended by a newline alone: where the columns of one after another end, behind
// the place before the first.
struct PlainLines {
  const std::uint32_t *ends = nullptr, *last = nullptr;
};

// Cuts a text into lines and those into columns. A line ends with a newline and perhaps a carriage
// return before it. Lines that hold nothing, and comments, are passed over.
//
// Separators are found 64 bytes at a time, in a window of some lines. Where all lines of a window have the
// expected columns with one separator between them, as nearly always, that is all there is to do; other
// windows are cut byte by byte.
class LineReader {
 public:
  explicit LineReader(const Cut& cut);

  // `text` is empty or ends with a newline, and has kPadding readable bytes behind its end. Doubled quotes are made
  // single where they stand.
  void start(std::span<char> text);

  // How many lines were passed so far, those that hold nothing among them: all, at the end.
  std::size_t passed() const noexcept { return passed_; }

  // Passes the lines at hand that need no second look, comments among them. There may be none, and more behind the
  // `next` line.
  PlainLines take_plain() {
    if ((ends_ == last_ && !find_window()) || has_returns_) return {};
    passed_ += static_cast<std::size_t>(last_ - ends_) / cut_.columns;
    return {std::exchange(ends_, last_), last_};
  }

  // Whether a plain line is a comment, by its first byte.
  bool is_comment(char first) const noexcept { return static_cast<unsigned char>(first) == comment_; }

  bool next(Line& line) {
    for (;;) {
      if (ends_ == last_ && !find_window()) return cut_.at_blanks() ? next_at_blanks(line) : next_at_separators(line);
      const std::uint32_t* const ends = ends_;
      ends_ += cut_.columns;
      ++passed_;
      const std::uint32_t begin = ends[0] + 1, end = ends[cut_.columns];
      if (is_comment(text_[begin])) continue;
      line.start_ = text_.data();
      line.ends_ = ends;
      line.end_ = end - (text_[end - 1] == '\r' ? 1u : 0u);
      line.columns = cut_.columns;
      line.plain = true;
      return true;
    }
  }

 private:
  bool find_window();
  bool is_uniform(std::size_t ends, std::size_t lines) noexcept;
  bool next_at_blanks(Line& line) noexcept;
  bool next_at_separators(Line& line);
  bool next_of_any(Line& line) noexcept;
  std::string_view bare_field(const char*& p, const char* end) const noexcept;
  std::string_view quoted_field(const char*& p, const char* end, Line& line, bool& doubled) const noexcept;
  std::string_view without_doubles(std::string_view field) noexcept;

  Cut cut_;
  int comment_;              // the byte that begins one, or one that is no byte
  std::span<char> written_;  // the same bytes as the text
  std::string_view text_;
  std::vector<std::uint32_t> found_;  // the place before a uniform window, then those of its separators
  const std::uint32_t *ends_ = nullptr, *last_ = nullptr;  // of its lines that were not yet passed
  bool has_returns_ = false;                               // do any of these end with a carriage return?
  std::vector<std::string_view> split_;                    // of one line
  std::vector<bool> doubled_;                              // which of them hold doubled quotes
  std::size_t begin_ = 0;                                  // of the lines behind the uniform window
  std::size_t looked_at_ = 0;                              // up to here lines are not uniform
  std::size_t passed_ = 0;
};

// A field as an error message shows it: quoted, control bytes escaped, cut where it is long.
std::string shown(std::string_view field);

}  // namespace rankmark
