// Numbers in runs and packed, texts, levels and checksums of Parquet's pages.
#include "parquet_values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#include "parquet.hpp"

namespace rankmark {
namespace {

template <class T>
T load(const char* p) noexcept {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

// One run after another of at most so many numbers in all: `same(number, count)` of those with one number, and
// `packed(bytes, count)` of those that are packed.
template <class Same, class Packed>
void each_run(std::string_view bytes, unsigned bits, std::int64_t count, const Same& same, const Packed& packed) {
  const auto byte = [&] {
    if (bytes.empty()) throw ParquetFault();
    const auto first = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    return std::uint32_t{first};
  };
  while (count > 0) {
    std::uint32_t head = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint32_t next = byte();
      if (shift > 28) throw ParquetFault();
      head |= (next & 0x7f) << shift;
      if (next < 0x80) break;
    }
    std::int64_t run = head >> 1;
    if (run == 0) throw ParquetFault();
    if ((head & 1) == 0) {
      std::uint32_t number = 0;
      for (unsigned shift = 0; shift < bits; shift += 8) number |= byte() << shift;
      run = std::min(run, count);
      same(number, run);
    } else {
      const std::size_t whole = static_cast<std::size_t>(run) * bits;  // bytes of groups of eight
      run = std::min(8 * run, count);
      const std::size_t needed = (static_cast<std::size_t>(run) * bits + 7) / 8;
      if (needed > bytes.size()) throw ParquetFault();
      packed(bytes.substr(0, needed), run);
      bytes.remove_prefix(std::min(whole, bytes.size()));
    }
    count -= run;
  }
}

// Numbers of up to 32 bits each, the lowest bit first.
void unpack_bits(std::string_view bytes, unsigned bits, std::int64_t count, std::int32_t* out) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  const auto number = [&](const char* from, std::int64_t i) {
    const std::uint64_t at = static_cast<std::uint64_t>(i) * bits;
    return static_cast<std::int32_t>(load<std::uint64_t>(from + (at >> 3)) >> (at & 7) & mask);
  };
  // Eight bytes can be read from each number's first but those of the last few.
  const std::int64_t ahead =
      bytes.size() < 8 ? 0 : std::min<std::int64_t>(count, static_cast<std::int64_t>((bytes.size() - 8) * 8 / bits));
  for (std::int64_t i = 0; i < ahead; ++i) out[i] = number(bytes.data(), i);
  for (std::int64_t i = ahead; i < count; ++i) {
    const std::size_t first = static_cast<std::size_t>(static_cast<std::uint64_t>(i) * bits >> 3);
    char rest[8] = {};
    std::memcpy(rest, bytes.data() + first, std::min(sizeof rest, bytes.size() - first));
    const std::uint64_t shift = static_cast<std::uint64_t>(i) * bits & 7;
    out[i] = static_cast<std::int32_t>(load<std::uint64_t>(rest) >> shift & mask);
  }
}

// For eight bytes at a time: what each byte does to the sum when so many others follow it.
constexpr auto kChecksums = [] {
  std::array<std::array<std::uint32_t, 256>, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? 0xedb88320u : 0);
    tables[0][byte] = sum;
  }
  for (std::size_t table = 1; table < tables.size(); ++table) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t sum = tables[table - 1][byte];
      tables[table][byte] = (sum >> 8) ^ tables[0][sum & 0xff];
    }
  }
  return tables;
}();

}  // namespace

void read_hybrid(std::string_view bytes, unsigned bits, std::span<std::int32_t> numbers) {
  if (bits == 0) {
    std::fill(numbers.begin(), numbers.end(), 0);
    return;
  }
  std::int32_t* out = numbers.data();
  each_run(
      bytes, bits, static_cast<std::int64_t>(numbers.size()),
      [&](std::uint32_t number, std::int64_t run) { out = std::fill_n(out, run, static_cast<std::int32_t>(number)); },
      [&](std::string_view packed, std::int64_t run) {
        unpack_bits(packed, bits, run, out);
        out += run;
      });
}

bool all_are_there(std::string_view levels, std::int64_t count) {
  bool all = true;
  each_run(
      levels, 1, count, [&](std::uint32_t level, std::int64_t) { all &= level == 1; },
      [&](std::string_view packed, std::int64_t run) {
        std::int64_t there = 0;
        for (std::size_t i = 0; i < packed.size(); ++i) {
          const std::int64_t left = run - 8 * static_cast<std::int64_t>(i);
          const unsigned used = left >= 8 ? 0xff : (1u << left) - 1;
          there += std::popcount(static_cast<unsigned char>(packed[i]) & used);
        }
        all &= there == run;
      });
  return all;
}

void find_texts(std::string_view bytes, std::span<std::uint32_t> places) {
  std::size_t at = 0;
  for (std::uint32_t& place : places) {
    place = static_cast<std::uint32_t>(at);
    if (bytes.size() - at < 4) throw ParquetFault();
    const std::size_t length = load<std::uint32_t>(bytes.data() + at);
    at += 4;
    if (bytes.size() - at < length) throw ParquetFault();
    at += length;
  }
}

std::uint32_t crc32(std::string_view bytes) noexcept {
  std::uint32_t sum = ~std::uint32_t{0};
  const char* p = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; p += 8, left -= 8) {
    const std::uint32_t low = load<std::uint32_t>(p) ^ sum, high = load<std::uint32_t>(p + 4);
    sum = 0;
    for (unsigned i = 0; i < 4; ++i) {
      sum ^= kChecksums[7 - i][low >> (8 * i) & 0xff] ^ kChecksums[3 - i][high >> (8 * i) & 0xff];
    }
  }
  for (; left > 0; ++p, --left) sum = (sum >> 8) ^ kChecksums[0][(sum ^ static_cast<unsigned char>(*p)) & 0xff];
  return ~sum;
}

}  // namespace rankmark
