// Ids that are whole numbers, as text where a tie asks for it.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace rankmark {

// The numbers of one query after another, written out once the first of them is asked for.
class WrittenNumbers {
 public:
  // Another query begins.
  void start() noexcept { texts_.clear(); }

  // The text of a row, of `rows`; `number(row)` gives its whole number.
  template <class NumberOf>
  std::string_view text(std::size_t row, std::size_t rows, const NumberOf& number) {
    if (texts_.empty()) {
      texts_.resize(rows);
      for (std::size_t i = 0; i < rows; ++i) {
        Text& one = texts_[i];
        const char* const end = std::to_chars(one.digits, one.digits + sizeof one.digits, number(i)).ptr;
        one.size = static_cast<std::uint8_t>(end - one.digits);
      }
    }
    return {texts_[row].digits, texts_[row].size};
  }

 private:
  struct Text {
    char digits[20];  // of 64 bits with a sign
    std::uint8_t size;
  };

  std::vector<Text> texts_;
};

}  // namespace rankmark
