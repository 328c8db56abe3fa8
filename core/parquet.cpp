// The pages of columns, walked in step: rows become tables whose values stay in the pages.
#include "parquet.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "parquet_values.hpp"
#include "snappy.hpp"
#include "thrift.hpp"

namespace rankmark {
namespace {

using Kind = ThriftReader::Kind;

// Numbers of the format.
enum Type : std::int64_t { kInt32 = 1, kInt64 = 2, kFloat = 4, kDouble = 5, kByteArray = 6 };
enum Encoding : std::int64_t { kPlain = 0, kPlainDictionary = 2, kRuns = 3, kDictionary = 8 };
enum Codec : std::int64_t { kUncompressed = 0, kSnappy = 1 };
enum PageKind : std::int64_t { kData = 0, kIndex = 1, kDictionaryPage = 2, kData2 = 3 };

constexpr std::size_t kBlock = std::size_t{1} << 16;          // bytes read at least, as far as there are any
constexpr std::size_t kHeader = 256;                          // bytes in which a page's header ends as a rule,
constexpr std::size_t kLongestHeader = std::size_t{1} << 24;  // and in which it ends at all
// Of one page, so that a damaged number does not ask for memory that nobody has.
constexpr std::int64_t kMostValues = std::int64_t{1} << 24;

struct PageHeader {
  std::int64_t kind = -1, unpacked = -1, packed = -1;
  std::int64_t values = -1, encoding = -1;
  std::int64_t levels_encoding = kRuns;                 // of definition levels, in the first version
  std::int64_t nulls = 0, levels = 0, repetitions = 0;  // missing values, and bytes of levels, in the second
  bool is_packed = true;                                // of the second, whether values are packed
  std::optional<std::uint32_t> checksum;
  std::size_t bytes = 0;  // of the header itself
};

PageHeader read_header(std::string_view bytes) {
  PageHeader header;
  ThriftReader reader(bytes);
  const auto take = [&](Kind kind, std::int64_t& number) {
    if (kind != Kind::i32) throw ParquetFault();
    number = reader.whole();
  };
  const auto details = [&](Kind kind, const auto& use) {
    if (kind != Kind::structure) throw ParquetFault();
    reader.fields(use);
  };
  reader.fields([&](std::int64_t field, Kind kind) {
    switch (field) {
      case 1: return take(kind, header.kind);
      case 2: return take(kind, header.unpacked);
      case 3: return take(kind, header.packed);
      case 4: {
        std::int64_t checksum = 0;
        take(kind, checksum);
        header.checksum = static_cast<std::uint32_t>(checksum);
        return;
      }
      case 5:
        return details(kind, [&](std::int64_t number, Kind of) {
          if (number == 1) return take(of, header.values);
          if (number == 2) return take(of, header.encoding);
          if (number == 3) return take(of, header.levels_encoding);
          reader.skip(of);
        });
      case 7:
        return details(kind, [&](std::int64_t number, Kind of) {
          if (number == 1) return take(of, header.values);
          if (number == 2) return take(of, header.encoding);
          reader.skip(of);
        });
      case 8:
        return details(kind, [&](std::int64_t number, Kind of) {
          if (number == 1) return take(of, header.values);
          if (number == 2) return take(of, header.nulls);
          if (number == 4) return take(of, header.encoding);
          if (number == 5) return take(of, header.levels);
          if (number == 6) return take(of, header.repetitions);
          if (number == 7) header.is_packed = of == Kind::is_true;
          reader.skip(of);
        });
      default: return reader.skip(kind);
    }
  });
  header.bytes = reader.read();
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  for (const std::int64_t size : {header.unpacked, header.packed}) {
    if (size < 0 || size > kMost) throw ParquetFault();
  }
  return header;
}

// How values of a type lie in a page, if a column of this format may hold them.
Storage storage_in_pages(std::int64_t type, std::string_view format) noexcept {
  switch (type) {
    case kInt32: return format == "i" ? Storage::int32 : format == "I" ? Storage::uint32 : Storage::unreadable;
    case kInt64: return format == "l" ? Storage::int64 : format == "L" ? Storage::uint64 : Storage::unreadable;
    case kFloat: return format == "f" ? Storage::float32 : Storage::unreadable;
    case kDouble: return format == "g" ? Storage::float64 : Storage::unreadable;
    case kByteArray: {
      const Storage text = storage_of(format);
      const bool is_text = text == Storage::text32 || text == Storage::text64 || text == Storage::view;
      return is_text ? Storage::prefixed : Storage::unreadable;
    }
    default: return Storage::unreadable;
  }
}

// Values of a page, with all that their piece points to.
struct Values {
  OwnedBytes held;
  std::shared_ptr<char> numbers;  // places of texts, or codes in a dictionary
  Piece piece;
};

// Memory for so many numbers, which are no more than a page can have.
template <class Number>
std::span<Number> numbers_of(Values& values, std::int64_t count, Buffers& buffers) {
  values.numbers = buffers.take(static_cast<std::size_t>(count) * sizeof(Number));
  values.piece.values = values.numbers.get();
  return {reinterpret_cast<Number*>(values.numbers.get()), static_cast<std::size_t>(count)};
}

std::shared_ptr<Values> plain_values(OwnedBytes held, Storage storage, std::int64_t count, Buffers& buffers) {
  const auto values = std::make_shared<Values>();
  values->held = std::move(held);
  values->piece.storage = storage;
  values->piece.length = count;
  const std::string_view bytes = values->held.bytes;
  const bool is_text = storage == Storage::prefixed;
  // A text takes four bytes at least.
  if (static_cast<std::uint64_t>(count) > bytes.size() / (is_text ? 4 : width_of(storage))) throw ParquetFault();
  if (is_text) {
    find_texts(bytes, numbers_of<std::uint32_t>(*values, count, buffers));
    values->piece.text = bytes.data();
  } else {
    values->piece.values = bytes.data();
  }
  return values;
}

}  // namespace

// One column's pages.
class ParquetRows::Column {
 public:
  Column(const ParquetChunk& chunk, std::string format, const ParquetInput& input, Buffers& buffers)
      : input_(&input),
        buffers_(&buffers),
        empty_{chunk.name, std::move(format), {}},
        storage_(storage_in_pages(chunk.type, empty_.format)),
        codec_(chunk.codec),
        is_optional_(chunk.is_optional),
        left_(chunk.values) {
    if (storage_ == Storage::unreadable || chunk.data < 0 || chunk.packed < 0) throw ParquetFault();
    const bool has_dictionary = chunk.dictionary > 0 && chunk.dictionary < chunk.data;
    at_ = static_cast<std::uint64_t>(has_dictionary ? chunk.dictionary : chunk.data);
    end_ = at_ + static_cast<std::uint64_t>(chunk.packed);
    if (end_ > input.size) throw ParquetFault();
  }

  const TableColumn& empty() const noexcept { return empty_; }

  // Adds the next rows to an empty table's column.
  void add_to(Table& table, std::size_t number, std::int64_t rows) {
    for (std::int64_t first = 0; first < rows;) {
      while (page_ == nullptr || page_->piece.offset == of_page_) read_page();
      Piece piece = page_->piece;
      piece.first = first;
      piece.length = std::min(rows - first, of_page_ - piece.offset);
      page_->piece.offset += piece.length;
      first += piece.length;
      table.owners.push_back(page_);
      table.columns[number].pieces.push_back(std::move(piece));
    }
  }

 private:
  // Bytes of the column, in place where they were read already; `wish` more are read with them if there are any.
  OwnedBytes bytes_at(std::uint64_t from, std::size_t size, std::size_t wish) {
    if (from > end_ || size > end_ - from) throw ParquetFault();
    if (from < block_at_ || from - block_at_ > block_.bytes.size() ||
        size > block_.bytes.size() - static_cast<std::size_t>(from - block_at_)) {
      const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(end_ - from, std::max(size + wish, kBlock)));
      block_ = {};
      const std::shared_ptr<char> memory = buffers_->take(most);
      input_->read(from, {memory.get(), most});
      block_ = {memory, {memory.get(), most}};
      block_at_ = from;
    }
    return {block_.owner, block_.bytes.substr(static_cast<std::size_t>(from - block_at_), size)};
  }

  PageHeader next_header() {
    for (std::size_t size = kHeader;; size *= 16) {
      const std::uint64_t left = end_ - at_;
      const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(left, size));
      try {
        const PageHeader header = read_header(bytes_at(at_, some, 0).bytes);
        at_ += header.bytes;
        return header;
      } catch (const ThriftFault&) {
        if (some == left || size >= kLongestHeader) throw ParquetFault();
      }
    }
  }

  // Goes on to the next page with values.
  void read_page() {
    const PageHeader header = next_header();
    const auto packed = static_cast<std::size_t>(header.packed);
    OwnedBytes body = bytes_at(at_, packed, kHeader);
    at_ += packed;
    if (header.kind == kIndex) return;
    if (header.checksum && crc32(body.bytes) != *header.checksum) throw ParquetFault();
    if (header.values < 0 || header.values > kMostValues) throw ParquetFault();
    const auto unpacked_size = static_cast<std::size_t>(header.unpacked);
    if (header.kind == kDictionaryPage) {
      if (dictionary_ != nullptr || page_ != nullptr) throw ParquetFault();
      if (header.encoding != kPlain && header.encoding != kPlainDictionary) throw ParquetFault();
      body = unpacked(std::move(body), unpacked_size);
      const std::shared_ptr<Values> words = plain_values(std::move(body), storage_, header.values, *buffers_);
      dictionary_ = std::shared_ptr<const Piece>(words, &words->piece);
      return;
    }
    if (header.values > left_) throw ParquetFault();
    if (header.kind == kData) {
      body = unpacked(std::move(body), unpacked_size);
      if (is_optional_) body.bytes.remove_prefix(checked_levels(body.bytes, header));
    } else if (header.kind == kData2) {
      body = unpacked_behind_levels(std::move(body), header, unpacked_size);
    } else {
      throw ParquetFault();
    }
    left_ -= header.values;
    page_ = values_of(std::move(body), header);
    of_page_ = header.values;
  }

  OwnedBytes unpacked(OwnedBytes packed, std::size_t size) const {
    if (codec_ == kUncompressed) {
      if (packed.bytes.size() != size) throw ParquetFault();
      return packed;
    }
    if (codec_ != kSnappy) {
      OwnedBytes bytes = input_->unpack(codec_, packed.bytes, size);
      if (bytes.bytes.size() != size) throw ParquetFault();
      return bytes;
    }
    if (size > most_from_snappy(packed.bytes.size())) throw ParquetFault();
    const std::shared_ptr<char> bytes = buffers_->take(size);
    if (!unpack_snappy(packed.bytes, bytes.get(), size)) throw ParquetFault();
    return {bytes, {bytes.get(), size}};
  }

  // Refuses missing values; returns how many bytes their levels take.
  static std::size_t checked_levels(std::string_view bytes, const PageHeader& header) {
    if (header.levels_encoding != kRuns || bytes.size() < 4) throw ParquetFault();
    const auto byte = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(bytes[i])}; };
    const std::size_t size = byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
    if (size > bytes.size() - 4 || !all_are_there(bytes.substr(4, size), header.values)) throw ParquetFault();
    return 4 + size;
  }

  // In the second version, levels are not packed.
  OwnedBytes unpacked_behind_levels(OwnedBytes body, const PageHeader& header, std::size_t size) const {
    if (header.repetitions != 0 || header.nulls != 0 || header.levels < 0) throw ParquetFault();
    const auto levels = static_cast<std::size_t>(header.levels);
    if (levels > body.bytes.size() || levels > size || (levels > 0 && !is_optional_)) throw ParquetFault();
    if (is_optional_ && !all_are_there(body.bytes.substr(0, levels), header.values)) throw ParquetFault();
    body.bytes.remove_prefix(levels);
    if (header.is_packed && (size > levels || !body.bytes.empty())) return unpacked(std::move(body), size - levels);
    if (body.bytes.size() != size - levels) throw ParquetFault();
    return body;
  }

  std::shared_ptr<Values> values_of(OwnedBytes held, const PageHeader& header) const {
    if (header.encoding == kPlain) return plain_values(std::move(held), storage_, header.values, *buffers_);
    const bool by_dictionary = header.encoding == kDictionary || header.encoding == kPlainDictionary;
    if (!by_dictionary || dictionary_ == nullptr) throw ParquetFault();
    const auto values = std::make_shared<Values>();
    const std::span<std::int32_t> codes = numbers_of<std::int32_t>(*values, header.values, *buffers_);
    if (!codes.empty()) {
      const std::string_view bytes = held.bytes;
      if (bytes.empty() || static_cast<unsigned char>(bytes.front()) > 32) throw ParquetFault();
      read_hybrid(bytes.substr(1), static_cast<unsigned char>(bytes.front()), codes);
    }
    const auto words = static_cast<std::uint64_t>(dictionary_->length);
    bool inside = true;
    for (const std::int32_t code : codes) inside &= static_cast<std::uint32_t>(code) < words;
    if (!inside) throw ParquetFault();
    values->piece.storage = Storage::int32;
    values->piece.length = header.values;
    values->piece.dictionary = dictionary_;
    return values;
  }

  const ParquetInput* input_;
  Buffers* buffers_;
  TableColumn empty_;
  Storage storage_;
  std::int64_t codec_;
  bool is_optional_;
  std::int64_t left_;               // values of pages that are still to come
  std::uint64_t at_ = 0, end_ = 0;  // the next page in the file, and where the last ends
  OwnedBytes block_;
  std::uint64_t block_at_ = 0;
  std::shared_ptr<const Piece> dictionary_;
  std::shared_ptr<Values> page_;  // its piece begins at the next row
  std::int64_t of_page_ = 0;      // values
};

ParquetRows::ParquetRows(const ParquetGroup& group, const std::vector<std::string>& names,
                         const std::vector<std::string>& formats, ParquetInput input, Buffers buffers)
    : input_(std::move(input)), buffers_(std::move(buffers)), left_(group.rows) {
  if constexpr (std::endian::native != std::endian::little) throw ParquetFault();
  if (names.size() != formats.size() || left_ < 0) throw ParquetFault();
  for (std::size_t i = 0; i < names.size(); ++i) {
    // What is nested may have the name of another column.
    const auto is_named = [&](const ParquetChunk& chunk) { return chunk.is_read && chunk.name == names[i]; };
    const auto chunk = std::find_if(group.columns.begin(), group.columns.end(), is_named);
    if (chunk == group.columns.end() || std::count_if(chunk, group.columns.end(), is_named) != 1) throw ParquetFault();
    if (chunk->values != left_) throw ParquetFault();
    columns_.emplace_back(*chunk, formats[i], input_, buffers_);
  }
}

ParquetRows::~ParquetRows() = default;

std::optional<Table> ParquetRows::next(std::int64_t most) {
  const std::int64_t rows = std::min(most, left_);
  if (rows <= 0) return std::nullopt;
  Table table;
  for (const Column& column : columns_) table.columns.push_back(column.empty());
  for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i].add_to(table, i, rows);
  table.rows = rows;
  left_ -= rows;
  return table;
}

}  // namespace rankmark
