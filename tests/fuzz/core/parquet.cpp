// Files of Parquet, whole and damaged, read in tables of several sizes; pages written in every way, read back; Snappy,
// compared with a plain reader.
#include "parquet.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "input.hpp"
#include "parquet_values.hpp"
#include "snappy.hpp"
#include "table.hpp"

using fuzz::expect;
using fuzz::Told;

namespace {

std::optional<std::string> plain_snappy(std::string_view packed, std::size_t size) {
  const auto number = [&](std::size_t bytes) -> std::optional<std::size_t> {
    if (packed.size() < bytes) return std::nullopt;
    std::size_t value = 0;
    for (std::size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(packed[i]);
    packed.remove_prefix(bytes);
    return value;
  };
  std::size_t said = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = number(1);
    if (!byte || shift > 28) return std::nullopt;
    said |= (*byte & 0x7f) << shift;
    if (*byte < 0x80) break;
  }
  std::string out;
  while (!packed.empty()) {
    const std::size_t tag = *number(1), kind = tag & 3;
    std::size_t length = (tag >> 2) + 1;
    if (kind == 0) {
      if (length > 60) {
        const auto more = number(length - 60);
        if (!more) return std::nullopt;
        length = *more + 1;
      }
      if (length > packed.size()) return std::nullopt;
      out += packed.substr(0, length);
      packed.remove_prefix(length);
    } else {
      auto distance = number(kind == 3 ? 4 : kind);
      if (!distance) return std::nullopt;
      if (kind == 1) {
        length = 4 + ((tag >> 2) & 7);
        *distance |= tag >> 5 << 8;
      }
      if (*distance == 0 || *distance > out.size()) return std::nullopt;
      for (; length > 0; --length) out += out[out.size() - *distance];
    }
    if (out.size() > size) return std::nullopt;
  }
  if (out.size() != size || said != size) return std::nullopt;
  return out;
}

void check_snappy(std::string_view packed, std::size_t size) {
  std::vector<char> found(size);
  const std::optional<std::string> expected = plain_snappy(packed, size);
  expect(rankmark::unpack_snappy(packed, found.data(), size) == expected.has_value(),
         "Snappy is damaged for one of two readers");
  if (expected) expect(std::equal(found.begin(), found.end(), expected->begin()), "Snappy becomes other bytes");
}

std::string snappy_size(std::size_t size) {
  std::string bytes;
  for (; size >= 0x80; size >>= 7) bytes += static_cast<char>(size | 0x80);
  return bytes + static_cast<char>(size);
}

// Packs some bytes as an input says: as literals, and as copies of whatever is equal.
std::string snappy_of(std::string_view bytes, fuzz::Input& input) {
  std::string packed = snappy_size(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t most = std::min<std::size_t>(1 + input.below(64), bytes.size() - at);
    const std::size_t distance = 1 + input.below(40);
    std::size_t same = 0;
    while (distance <= at && same < most && bytes[at + same] == bytes[at + same - distance]) ++same;
    if (same > 0) {
      packed += static_cast<char>((same - 1) << 2 | 2);
      packed += static_cast<char>(distance);
      packed += '\0';
      at += same;
    } else {
      const std::size_t length = std::min<std::size_t>(most, 60);
      packed += static_cast<char>((length - 1) << 2);
      packed += bytes.substr(at, length);
      at += length;
    }
  }
  return packed;
}

// The pages of one column, and what they should hold.
struct Written {
  std::string bytes, format, told;
  std::int64_t type = 0, rows = 0;
  bool is_optional = false, is_packed = false;
};

void put_whole(std::string& bytes, std::int64_t whole) {
  auto zigzag = static_cast<std::uint64_t>(whole) << 1 ^ static_cast<std::uint64_t>(whole >> 63);
  for (; zigzag >= 0x80; zigzag >>= 7) bytes += static_cast<char>(zigzag | 0x80);
  bytes += static_cast<char>(zigzag);
}

// A field of a 32-bit number, so many behind the one before.
void put_field(std::string& bytes, int step, std::int64_t whole) {
  bytes += static_cast<char>(step << 4 | 5);
  put_whole(bytes, whole);
}

template <class T>
std::string bytes_of(T number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

// Numbers of some bits in runs and packed groups, as an input says.
std::string hybrid_of(const std::vector<std::uint32_t>& numbers, unsigned bits, fuzz::Input& input) {
  std::string bytes;
  const auto head = [&](std::size_t value) {
    for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
    bytes += static_cast<char>(value);
  };
  for (std::size_t at = 0; at < numbers.size();) {
    std::size_t same = 1;
    while (at + same < numbers.size() && numbers[at + same] == numbers[at]) ++same;
    if (input.flag()) {
      same = std::min<std::size_t>(same, 1 + input.byte());
      head(same << 1);
      bytes += bytes_of(numbers[at]).substr(0, (bits + 7) / 8);
      at += same;
    } else {
      const std::size_t groups = std::min<std::size_t>(1 + input.below(5), (numbers.size() - at + 7) / 8);
      head(groups << 1 | 1);
      std::string packed(groups * bits, '\0');
      for (std::size_t i = 0; i < 8 * groups && at < numbers.size(); ++i, ++at) {
        for (unsigned bit = 0; bit < bits; ++bit) {
          const std::size_t place = i * bits + bit;
          packed[place / 8] = static_cast<char>(packed[place / 8] | (numbers[at] >> bit & 1) << (place % 8));
        }
      }
      bytes += packed;
    }
  }
  return bytes;
}

Written written(fuzz::Input& input, std::int64_t rows) {
  static constexpr std::pair<std::int64_t, const char*> kTypes[] = {{1, "i"}, {2, "l"}, {4, "f"}, {5, "g"}, {6, "u"}};
  Written column;
  const auto [type, format] = kTypes[input.below(5)];
  column.type = type;
  column.format = format;
  column.rows = rows;
  column.is_optional = input.flag();
  column.is_packed = input.flag();
  // A few distinct values, written and told.
  std::vector<std::string> words, meanings;
  for (std::size_t left = 1 + input.below(9); left > 0; --left) {
    Told told;
    if (type == 6) {
      const std::string text(input.take(input.below(24)));
      words.push_back(bytes_of(static_cast<std::uint32_t>(text.size())) + text);
      told << text;
    } else if (type == 1) {
      const auto number = input.number<std::int32_t>();
      words.push_back(bytes_of(number));
      told << std::to_string(number);
    } else if (type == 2) {
      const auto number = input.number<std::int64_t>();
      words.push_back(bytes_of(number));
      told << std::to_string(number);
    } else if (type == 4) {
      const auto number = static_cast<float>(input.number<std::int16_t>());
      words.push_back(bytes_of(number));
      told << static_cast<double>(number);
    } else {
      const double number = input.number<std::int16_t>() / 3.0;
      words.push_back(bytes_of(number));
      told << number;
    }
    meanings.push_back(std::move(told).text());
  }
  const auto page = [&](int kind, std::int64_t values, std::string body, std::string levels, std::int64_t encoding) {
    const bool second = kind == 3;
    std::string unpacked = second ? body : levels + body;
    const std::size_t size = unpacked.size() + (second ? levels.size() : 0);
    if (column.is_packed) unpacked = snappy_of(unpacked, input);
    if (second) unpacked = levels + unpacked;
    std::string header;
    put_field(header, 1, kind);
    put_field(header, 1, static_cast<std::int64_t>(size));
    put_field(header, 1, static_cast<std::int64_t>(unpacked.size()));
    int before = 3;
    if (input.flag()) {
      put_field(header, 1, static_cast<std::int32_t>(rankmark::crc32(unpacked)));
      before = 4;
    }
    header += static_cast<char>((kind == 0 ? 5 - before : kind == 2 ? 7 - before : 8 - before) << 4 | 12);
    put_field(header, 1, values);
    if (second) {
      put_field(header, 1, 0);       // nulls
      put_field(header, 1, values);  // rows
      put_field(header, 1, encoding);
      put_field(header, 1, static_cast<std::int64_t>(levels.size()));
      put_field(header, 1, 0);
    } else {
      put_field(header, 1, encoding);
      if (kind == 0) {
        put_field(header, 1, 3);
        put_field(header, 1, 3);
      }
    }
    header += '\0';
    header += '\0';
    column.bytes += header + unpacked;
  };
  const bool has_dictionary = input.flag();
  if (has_dictionary) {
    std::string body;
    for (const std::string& word : words) body += word;
    page(2, static_cast<std::int64_t>(words.size()), body, "", input.flag() ? 0 : 2);
  }
  for (std::int64_t left = rows; left > 0;) {
    const std::int64_t values = std::min<std::int64_t>(left, 1 + input.byte());
    std::vector<std::uint32_t> codes;
    for (std::int64_t i = 0; i < values; ++i) {
      const bool again = !codes.empty() && input.below(4) != 0;
      codes.push_back(again ? codes.back() : static_cast<std::uint32_t>(input.below(words.size())));
    }
    std::string body;
    for (const std::uint32_t code : codes) {
      column.told += meanings[code];
      body += words[code];
    }
    std::int64_t encoding = 0;
    if (has_dictionary && input.flag()) {
      const unsigned bits =
          words.size() == 1 ? static_cast<unsigned>(input.below(2)) : 4 + static_cast<unsigned>(input.below(29));
      encoding = input.flag() ? 2 : 8;
      body = static_cast<char>(bits) + (bits == 0 ? std::string() : hybrid_of(codes, bits, input));
    }
    const bool second = input.flag();
    std::string levels;
    if (column.is_optional) {
      levels = hybrid_of(std::vector<std::uint32_t>(static_cast<std::size_t>(values), 1), 1, input);
      if (!second) levels = bytes_of(static_cast<std::uint32_t>(levels.size())) + levels;
    }
    page(second ? 3 : 0, values, body, levels, encoding);
    left -= values;
  }
  return column;
}

rankmark::ParquetInput input_of(const std::string& file) {
  return {file.size(),
          [&file](std::uint64_t place, std::span<char> into) {
            expect(place <= file.size() && into.size() <= file.size() - place, "the file has no such bytes");
            std::memcpy(into.data(), file.data() + place, into.size());
          },
          [](std::int64_t, std::string_view, std::size_t size) -> rankmark::OwnedBytes {
            if (size > std::size_t{1} << 16) throw rankmark::ParquetFault();
            const auto bytes = std::make_shared<std::string>(size, '\1');
            return {bytes, *bytes};
          }};
}

// What the columns of a row group hold, column by column, until one is refused.
struct Read {
  std::vector<std::string> told;
  bool refused = false;
};

Read read(const std::string& file, const rankmark::ParquetGroup& group, const std::vector<std::string>& names,
          const std::vector<std::string>& formats, std::int64_t most) {
  Read read{std::vector<std::string>(names.size())};
  try {
    rankmark::ParquetRows rows(group, names, formats, input_of(file), rankmark::Buffers());
    std::optional<rankmark::Table> before;  // whose memory is not to be used again
    while (std::optional<rankmark::Table> table = rows.next(most)) {
      expect(table->rows > 0 && table->rows <= most, "a table has another number of rows");
      for (std::size_t i = 0; i < names.size(); ++i) {
        Told told;
        if (formats[i] == "f" || formats[i] == "g") {
          std::vector<double> numbers;
          rankmark::append_numbers(rankmark::NumberColumn(*table, i), 0, table->rows, numbers, true);
          for (const double number : numbers) told << number;
        } else {
          rankmark::Ids ids(1);
          ids.append(rankmark::IdColumn(*table, i), 0, table->rows);
          for (const std::string_view id : ids.texts()) told << id;
        }
        read.told[i] += std::move(told).text();
      }
      before = std::move(table);
    }
  } catch (const rankmark::ParquetFault&) {
    read.refused = true;
  }
  return read;
}

void expect_same_in_parts(const Read& whole, const Read& parts) {
  expect(whole.refused == parts.refused, "refused in tables of one size, and read in those of another");
  for (std::size_t i = 0; i < whole.told.size(); ++i) {
    // Of the table that is refused, fewer rows are lost where tables are small.
    expect(whole.refused ? parts.told[i].starts_with(whole.told[i]) : parts.told[i] == whole.told[i],
           "in other tables, other rows are read");
  }
}

void check_written(fuzz::Input& input) {
  const std::int64_t rows = 1 + input.byte() * 3;
  std::string file(1, 'x');
  rankmark::ParquetGroup group;
  group.rows = rows;
  std::vector<std::string> names, formats, told;
  for (std::size_t left = 1 + input.below(3); left > 0; --left) {
    const Written column = written(input, rows);
    rankmark::ParquetChunk chunk;
    chunk.name = std::to_string(left);
    chunk.type = column.type;
    chunk.codec = column.is_packed ? 1 : 0;
    chunk.values = rows;
    chunk.packed = chunk.unpacked = static_cast<std::int64_t>(column.bytes.size());
    chunk.data = static_cast<std::int64_t>(file.size());
    chunk.is_optional = column.is_optional;
    group.columns.push_back(chunk);
    names.push_back(chunk.name);
    formats.push_back(column.format);
    told.push_back(column.told);
    file += column.bytes;
  }
  const Read whole = read(file, group, names, formats, rows);
  expect(!whole.refused, "pages as they should be are refused");
  for (std::size_t i = 0; i < names.size(); ++i) expect(whole.told[i] == told[i], "other values than were written");
  expect_same_in_parts(whole, read(file, group, names, formats, 1 + input.below(50)));
  for (std::size_t left = 1 + input.below(3); left > 0; --left) {
    file[input.number<std::uint16_t>() % file.size()] = static_cast<char>(input.byte());
  }
  expect_same_in_parts(read(file, group, names, formats, rows), read(file, group, names, formats, 7));
}

void check_file(const std::string& file) {
  if (file.size() < 8) return;
  std::uint32_t length = 0;
  std::memcpy(&length, file.data() + file.size() - 8, sizeof length);
  if (length > file.size() - 8) return;
  std::vector<rankmark::ParquetGroup> groups;
  try {
    groups = rankmark::parquet_groups(std::string_view(file).substr(file.size() - 8 - length, length));
  } catch (const rankmark::ParquetFault&) {
    return;
  }
  for (const rankmark::ParquetGroup& group : groups) {
    std::vector<std::string> names, formats;
    for (const rankmark::ParquetChunk& chunk : group.columns) {
      static constexpr const char* kFormats[] = {"", "i", "l", "", "f", "g", "u"};
      if (!chunk.is_read || chunk.type < 0 || chunk.type > 6) continue;
      names.push_back(chunk.name);
      formats.push_back(kFormats[chunk.type]);
    }
    if (names.empty() || group.rows > 5000) continue;
    expect_same_in_parts(read(file, group, names, formats, 5000), read(file, group, names, formats, 7));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  switch (input.below(3)) {
    case 0: check_written(input); break;
    case 1: check_file(std::string(input.rest())); break;
    default: {
      const std::size_t unpacked = input.number<std::uint16_t>();
      const bool is_said = input.flag();
      check_snappy((is_said ? snappy_size(unpacked) : std::string()) + std::string(input.rest()), unpacked);
      const std::string bytes(input.rest());
      check_snappy(snappy_of(bytes, input), bytes.size());
    }
  }
  return 0;
}
