// Lines cut where separators were found, and those that need a second look byte by byte.
#include "text.hpp"

#include <cstring>

#include "separators.hpp"

namespace rankmark {
namespace {

bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

constexpr int kNoByte = -1;

// So many bytes are looked at before their lines are read that both stay in the nearest cache.
constexpr std::size_t kWindow = 8192;

}  // namespace

std::vector<std::string_view> scanners() {
  std::vector<std::string_view> names;
  for (const Scanner& scanner : all_scanners()) names.push_back(scanner.name);
  return names;
}

LineReader::LineReader(const Cut& cut)
    : cut_(cut),
      comment_(cut.at_blanks() ? '#' : kNoByte),
      found_(kWindow + kSpare),
      split_(cut.columns),
      doubled_(cut.columns) {}

void LineReader::start(std::span<char> written) {
  written_ = written;
  text_ = {written.data(), written.size()};
  ends_ = last_ = found_.data();
  begin_ = 0;
  looked_at_ = 0;
  passed_ = 0;
}

// Looks at the lines that begin where those passed end; true where they are uniform.
bool LineReader::find_window() {
  if (begin_ < looked_at_ || begin_ == text_.size() || text_.size() > kLongestLine) return false;
  const std::string_view window = text_.substr(begin_, kWindow);
  found_[0] = static_cast<std::uint32_t>(begin_) - 1;
  const Separators at =
      cut_.at_blanks() ? Separators{' ', '\t', '\0'} : Separators{cut_.separator, cut_.separator, '"'};
  const Found found = all_scanners()[cut_.scanner].find(window, begin_, at, found_.data() + 1);
  looked_at_ = begin_ + window.size();
  if (found.unusual || !is_uniform(found.ends, found.newlines)) return false;
  ends_ = found_.data();
  last_ = ends_ + found.newlines * cut_.columns;
  begin_ = *last_ + std::size_t{1};
  return true;
}

// Behind the last newline a line may begin. With as many newlines as lines, and each line's last end a newline, no
// other end is one.
bool LineReader::is_uniform(std::size_t ends, std::size_t lines) noexcept {
  if (lines == 0 || ends / cut_.columns != lines) return false;
  bool uniform = true;
  has_returns_ = false;
  for (std::size_t i = cut_.columns; i <= lines * cut_.columns; i += cut_.columns) {
    const char* const end = text_.data() + found_[i];
    uniform &= *end == '\n';
    if (end[-1] == '\r') [[unlikely]] {
      has_returns_ = true;
      uniform &= found_[i - 1] + 2 < found_[i];  // a carriage return alone is no column
    }
  }
  return uniform;
}

// Passes a line that holds anything, comment or not; false at the end.
bool LineReader::next_of_any(Line& line) noexcept {
  while (begin_ < text_.size()) {
    if (text_[begin_] == '\n') {  // of blank lines there may be as many as bytes
      ++begin_;
      ++passed_;
      continue;
    }
    const char* const begin = text_.data() + begin_;
    const char* end = static_cast<const char*>(std::memchr(begin, '\n', text_.size() - begin_));
    begin_ = static_cast<std::size_t>(end - text_.data()) + 1;
    ++passed_;
    if (end > begin && end[-1] == '\r') --end;
    if (begin == end) continue;
    line.text_ = {begin, static_cast<std::size_t>(end - begin)};
    line.columns = 0;
    line.fault = nullptr;
    line.ends_ = nullptr;
    line.split_ = split_.data();
    return true;
  }
  return false;
}

bool LineReader::next_at_blanks(Line& line) noexcept {
  while (next_of_any(line)) {
    line.plain = false;
    // A NUL is found even where nothing else is.
    if (line.text_.find('\0') != std::string_view::npos) return true;
    if (line.text_.front() == '#') continue;
    const char* const end = line.text_.data() + line.text_.size();
    for (const char* p = line.text_.data();; ++line.columns) {
      while (p < end && is_blank(*p)) ++p;
      if (p == end) break;
      const char* const first = p;
      while (p < end && !is_blank(*p)) ++p;
      if (line.columns < split_.size()) split_[line.columns] = {first, static_cast<std::size_t>(p - first)};
    }
    line.plain = line.columns == cut_.columns && line.text_.size() <= kLongestLine;
    if (line.columns > 0) return true;
  }
  return false;
}

namespace {

const Message kOpenQuote{"a quoted field does not end on its line",
                         "take line breaks out of fields, and write a quote within one twice"};
const Message kBehindQuote{"text follows a closing quote",
                           "write a quote within a quoted field twice, and quote the whole field"};

}  // namespace

// Writes single quotes for doubled ones, where they stand.
std::string_view LineReader::without_doubles(std::string_view field) noexcept {
  const std::span<char> place = written_.subspan(static_cast<std::size_t>(field.data() - text_.data()), field.size());
  std::size_t size = 0;
  for (std::size_t i = 0; i < place.size(); ++i) {
    place[size++] = place[i];
    if (place[i] == '"') ++i;
  }
  return field.substr(0, size);
}

bool LineReader::next_at_separators(Line& line) {
  if (!next_of_any(line)) return false;
  line.plain = false;  // a field may be empty
  const char* const end = line.text_.data() + line.text_.size();
  for (const char* p = line.text_.data();; ++p) {
    bool doubled = false;
    const std::string_view field = p < end && *p == '"' ? quoted_field(p, end, line, doubled) : bare_field(p, end);
    if (line.columns < split_.size()) {
      split_[line.columns] = field;
      doubled_[line.columns] = doubled;
    }
    ++line.columns;
    if (line.fault != nullptr || p == end) break;
  }
  // A line that will be refused is shown as it was.
  if (line.fault == nullptr && line.columns == cut_.columns) {
    for (std::size_t i = 0; i < line.columns; ++i) {
      if (doubled_[i]) split_[i] = without_doubles(split_[i]);
    }
  }
  return true;
}

// The field at `p`, which moves behind it.
std::string_view LineReader::bare_field(const char*& p, const char* end) const noexcept {
  const char* const first = p;
  while (p < end && *p != cut_.separator) ++p;
  return {first, static_cast<std::size_t>(p - first)};
}

// The same without its quotes; those within it stay doubled.
std::string_view LineReader::quoted_field(const char*& p, const char* end, Line& line, bool& doubled) const noexcept {
  const char* const first = ++p;
  while (p < end && (*p != '"' || (p + 1 < end && p[1] == '"'))) {
    doubled |= *p == '"';
    p += *p == '"' ? 2 : 1;
  }
  const std::string_view field(first, static_cast<std::size_t>(p - first));
  if (p == end) {
    line.fault = &kOpenQuote;
  } else if (++p < end && *p != cut_.separator) {
    line.fault = &kBehindQuote;
  }
  return field;
}

std::string shown(std::string_view field) {
  constexpr std::size_t kLongest = 60;
  static constexpr char kHex[] = "0123456789abcdef";
  std::size_t end = std::min(field.size(), kLongest);
  // Not within a character: UTF-8 goes on with bytes 10xxxxxx.
  while (end > 0 && end < field.size() && (static_cast<unsigned char>(field[end]) & 0xc0) == 0x80) --end;
  std::string out = "'";
  for (const char c : field.substr(0, end)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  out += field.size() > end ? "...'" : "'";
  return out;
}

}  // namespace rankmark
