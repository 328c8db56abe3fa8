// Values in Thrift's compact protocol:
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>

namespace rankmark {

// The bytes end within a value, or are none.
class ThriftFault : public std::exception {
 public:
  const char* what() const noexcept override { return "damaged data in Thrift's compact protocol"; }
};

// Reads one value after another. All functions throw ThriftFault.
class ThriftReader {
 public:
  enum Kind : std::uint8_t {
    is_true = 1,
    is_false = 2,
    byte = 3,
    i16 = 4,
    i32 = 5,
    i64 = 6,
    number = 7,
    binary = 8,
    list = 9,
    set = 10,
    map = 11,
    structure = 12
  };

  explicit ThriftReader(std::string_view bytes) noexcept : bytes_(bytes) {}

  std::size_t read() const noexcept { return at_; }  // bytes so far

  // Calls `use(number, kind)` for each field of a structure; it reads or skips the value.
  template <class Use>
  void fields(const Use& use) {
    const Deeper deeper(*this);
    std::int64_t field = 0;
    while (const unsigned head = next()) {
      field = head >> 4 != 0 ? field + (head >> 4) : whole();
      use(field, static_cast<Kind>(head & 15));
    }
  }

  // Calls `use(kind)` for each element of a list.
  template <class Use>
  void elements(const Use& use) {
    const Deeper deeper(*this);
    const unsigned head = next();
    const std::uint64_t count = head >> 4 == 15 ? unsigned_whole() : head >> 4;
    for (std::uint64_t i = 0; i < count; ++i) use(static_cast<Kind>(head & 15));
  }

  std::int64_t whole() {
    const std::uint64_t zigzag = unsigned_whole();
    return static_cast<std::int64_t>(zigzag >> 1 ^ (~(zigzag & 1) + 1));
  }

  std::string_view text() {
    const std::uint64_t size = unsigned_whole();
    if (size > bytes_.size() - at_) throw ThriftFault();
    at_ += static_cast<std::size_t>(size);
    return bytes_.substr(at_ - static_cast<std::size_t>(size), static_cast<std::size_t>(size));
  }

  void skip(Kind kind) {
    switch (kind) {
      case is_true:
      case is_false: return;  // of a field, the kind is the value
      case byte: return pass(1);
      case number: return pass(8);
      case i16:
      case i32:
      case i64: return static_cast<void>(unsigned_whole());
      case binary: return static_cast<void>(text());
      case list:
      case set: return elements([this](Kind one) { skip_element(one); });
      case map: return skip_map();
      case structure: return fields([this](std::int64_t, Kind one) { skip(one); });
    }
    throw ThriftFault();
  }

 private:
  // Structures within structures, few in what is no attack.
  class Deeper {
   public:
    explicit Deeper(ThriftReader& reader) : reader_(reader) {
      if (++reader_.depth_ > kDeepest) throw ThriftFault();
    }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    ~Deeper() { --reader_.depth_; }

   private:
    ThriftReader& reader_;
  };
  static constexpr int kDeepest = 64;

  unsigned next() {
    if (at_ == bytes_.size()) throw ThriftFault();
    return static_cast<unsigned char>(bytes_[at_++]);
  }

  void pass(std::size_t bytes) {
    if (bytes > bytes_.size() - at_) throw ThriftFault();
    at_ += bytes;
  }

  std::uint64_t unsigned_whole() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const unsigned byte = next();
      value |= std::uint64_t{byte & 0x7f} << shift;
      if (byte < 0x80) return value;
    }
    throw ThriftFault();
  }

  // Each takes a byte at least, so that a count of too many ends with the bytes.
  void skip_element(Kind kind) {
    if (kind == is_true || kind == is_false) return pass(1);
    skip(kind);
  }

  void skip_map() {
    const Deeper deeper(*this);
    const std::uint64_t pairs = unsigned_whole();
    const unsigned kinds = pairs > 0 ? next() : 0;
    for (std::uint64_t i = 0; i < pairs; ++i) {
      skip_element(static_cast<Kind>(kinds >> 4));
      skip_element(static_cast<Kind>(kinds & 15));
    }
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace rankmark
