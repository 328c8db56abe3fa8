// What a fuzzer gives, taken apart: a few bytes choose how to read, and the rest is what is read. And what a target
// does where two results should be equal.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fuzz {

// Behind the end all bytes are zero.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}

  std::size_t left() const noexcept { return rest_.size(); }
  std::string_view rest() const noexcept { return rest_; }

  std::uint8_t byte() noexcept {
    if (rest_.empty()) return 0;
    const auto first = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return first;
  }
  bool flag() noexcept { return (byte() & 1) != 0; }
  std::size_t below(std::size_t count) noexcept { return byte() % count; }

  // The bytes of a number as they lie in memory.
  template <class T>
  T number() noexcept {
    static_assert(std::is_arithmetic_v<T>);
    T number{};
    const std::string_view bytes = take(sizeof number);
    if (!bytes.empty()) std::memcpy(&number, bytes.data(), bytes.size());
    return number;
  }
  std::string_view take(std::size_t size) noexcept {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }

 private:
  std::string_view rest_;
};

// A result written out, so that two can be compared to the last bit.
class Told {
 public:
  template <class T>
  Told& operator<<(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      char digits[40];
      std::snprintf(digits, sizeof digits, "%.17g ", value);
      text_ += digits;
    } else if constexpr (std::is_arithmetic_v<T>) {
      text_ += std::to_string(value) + ' ';
    } else {
      const std::string_view text = value;
      text_ += '<';
      text_ += text;
      text_ += "> ";
    }
    return *this;
  }
  template <class Values>
  Told& all(const Values& values) {
    for (const auto& value : values) *this << value;
    text_ += '\n';
    return *this;
  }

  void append(std::string_view told) { text_ += told; }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

// Ends the program, which is how a target tells the fuzzer of a find.
[[noreturn]] inline void fail(std::string_view what) {
  std::fprintf(stderr, "FIND: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

inline void expect(bool holds, std::string_view what) {
  if (!holds) fail(what);
}

inline void expect_same(const std::string& one, const std::string& other, std::string_view what) {
  if (one != other) fail(std::string(what) + "\n--- one ---\n" + one + "\n--- other ---\n" + other);
}

}  // namespace fuzz
