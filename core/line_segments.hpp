// Lines as segments: consecutive rows of one query, each with a document and a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "blocks.hpp"
#include "fault.hpp"
#include "ids.hpp"
#include "inlining.hpp"
#include "layout.hpp"
#include "query.hpp"
#include "text.hpp"

namespace rankmark {

// Rows that were read, while they stand in the block's text, and the hashes of the documents' ids where they are
// wanted.
class SegmentRows {
 public:
  explicit SegmentRows(bool hashed = true) : hashed_(hashed) {}

  void start(const char* text) noexcept {
    text_ = text;
    clear();
  }
  void clear() noexcept { size_ = 0; }
  std::size_t size() const noexcept { return size_; }

  // Makes room for so many more rows.
  void expect(std::size_t rows) {
    if (numbers_.size() - size_ < rows) grow(rows);
  }
  bool hashed() const noexcept { return hashed_; }
  // `document` stands at a place of the text from which eight bytes can be read.
  template <bool kHashed>
  void append(double number, std::uint64_t place, std::string_view document) noexcept {
    const std::size_t row = size_++;
    numbers_[row] = number;
    documents_[row] = {place, document.size()};
    if constexpr (kHashed) hashes_[row] = hash_padded_id(document);
  }

  std::span<const double> numbers() const noexcept { return std::span(numbers_).first(size_); }
  TextIds ids() const noexcept { return ids_in(text_); }
  // The same in a copy of the text.
  TextIds ids_in(const char* text) const noexcept {
    return {text, std::span(documents_).first(size_), std::span(hashes_).first(hashed_ ? size_ : 0)};
  }

 private:
  void grow(std::size_t rows) {
    const std::size_t room = 2 * numbers_.size() + rows;
    numbers_.resize(room);
    documents_.resize(room);
    if (hashed_) hashes_.resize(room);
  }

  bool hashed_;
  const char* text_ = nullptr;
  std::size_t size_ = 0;  // the columns have room for more
  std::vector<double> numbers_;
  std::vector<IdSpan> documents_;
  std::vector<std::uint64_t> hashes_;
};

// Cuts blocks into segments; one for each thread.
class SegmentReader {
 public:
  explicit SegmentReader(const TextLayout& layout, bool hashed = true)
      : layout_(layout), reader_(layout.cut), rows_(hashed) {}

  // Calls `use(query, rows, last)` with each segment of a block; all that it is given stands in the block's text.
  // Scores come as they order a run, the greatest first. Where a line cannot be read, the segment before it comes last.
  template <class Use>
  void read(const Block& whole, FileCounts& counts, const Use& use) {
    const Block block = without_header(whole, layout_);
    reader_.start(block.text);
    query_.expect_none();
    rows_.start(block.text.data());
    const auto end = [&] {
      if (query_.expects()) use(query_.id(), rows_, true);
    };
    try {
      read_lines(block, counts, use);
      check_end(block);
    } catch (const ParseFault&) {
      end();
      throw;
    }
    end();
  }

 private:
  template <class Use>
  void read_lines(const Block& block, FileCounts& counts, const Use& use) {
    for (Line line;;) {
      if (const PlainLines lines = reader_.take_plain(); lines.ends != lines.last) {
        rows_.hashed() ? read_plain<true>(lines, block, counts, use) : read_plain<false>(lines, block, counts, use);
      } else if (reader_.next(line)) {
        read_line(line, block, counts, use);
      } else {
        return;
      }
    }
  }

  template <bool kHashed, class Use>
  void read_plain(const PlainLines& lines, const Block& block, FileCounts& counts, const Use& use) {
    layout_.order() ? read_plain<true, kHashed>(lines, block, counts, use)
                    : read_plain<false, kHashed>(lines, block, counts, use);
  }

  // Nearly all lines come here, and nearly all time is spent here.
  template <bool kOrdered, bool kHashed, class Use>
  void read_plain(const PlainLines& lines, const Block& block, FileCounts& counts, const Use& use) {
    const char* const text = block.text.data();
    const auto column = [text](const std::uint32_t* ends) -> std::string_view {
      return {text + (ends[0] + 1), ends[1] - (ends[0] + 1)};
    };
    const std::size_t columns = layout_.cut.columns, query_column = layout_.query, document_column = layout_.document;
    const std::size_t order_column = layout_.order().value_or(0);
    const double sign = order_sign();
    const bool query_first = query_column == 0;
    rows_.expect(static_cast<std::size_t>(lines.last - lines.ends) / columns);
    std::int64_t comments = 0;
    for (const std::uint32_t* ends = lines.ends; ends != lines.last; ends += columns) {
      const char* const begin = text + (ends[0] + 1);
      const std::string_view query = column(ends + query_column);
      const bool same = query_.is(query);
      // What begins like the line before, is no comment.
      if ((!same || !query_first) && reader_.is_comment(*begin)) [[unlikely]] {
        ++comments;
        continue;
      }
      double number = 0;
      if constexpr (kOrdered) {
        const std::string_view field = column(ends + order_column);
        if (!numbers::parse_short(field, number)) [[unlikely]] {
          number = checked_number_in(field, block.offset_of({begin, 1}), layout_);
        }
      }
      if (!same) [[unlikely]]
        begin_segment(query, use);
      const std::string_view document = column(ends + document_column);
      const std::uint32_t place = ends[document_column] + 1;
      rows_.append<kHashed>(sign * number, place, document);
    }
    counts.rows += (lines.last - lines.ends) / static_cast<std::ptrdiff_t>(columns) - comments;
  }

  template <class Use>
  void read_line(const Line& line, const Block& block, FileCounts& counts, const Use& use) {
    if (!line.plain) check_line(line, block.offset_of(line.text()), layout_);
    double number = 0;
    if (const std::optional<std::size_t> order = layout_.order()) {
      number = number_in(line.column(*order), block.offset_of(line.text()), layout_);
    }
    counts.add({1, line.columns > layout_.cut.columns ? 1 : 0});
    const std::string_view query = line.column(layout_.query);
    if (!query_.is(query)) begin_segment(query, use);
    rows_.expect(1);
    const std::string_view document = line.column(layout_.document);
    const auto place = static_cast<std::uint64_t>(document.data() - block.text.data());
    const double order = order_sign() * number;
    rows_.hashed() ? rows_.append<true>(order, place, document) : rows_.append<false>(order, place, document);
  }

  double order_sign() const noexcept { return layout_.orders_by_rank() ? -1.0 : 1.0; }  // rank 1 is the best

  template <class Use>
  RANKMARK_NOT_INLINE void begin_segment(std::string_view query, const Use& use) {
    if (query_.expects()) use(query_.id(), rows_, false);
    query_.expect(query);
  }

  const TextLayout& layout_;
  LineReader reader_;
  ExpectedId query_;  // that of the segment, if there is one
  SegmentRows rows_;
};

// All rows of a block, which outlive it.
struct BlockRows {
  struct Segment {
    IdSpan query;
    std::uint64_t hash;
    std::size_t end;  // the row behind its last
  };

  std::string text;  // that holds the ids
  std::vector<Segment> segments;
  SegmentRows rows;
  FileCounts counts;
};

class BlockRowsParser {
 public:
  explicit BlockRowsParser(const TextLayout& layout) : layout_(layout), reader_(layout) {}

  BlockRows operator()(const Block& whole) {
    const Block block = without_header(whole, layout_);
    const char* const text = block.text.data();
    BlockRows all;
    reader_.read(block, all.counts, [&](std::string_view query, SegmentRows& rows, bool last) {
      const IdSpan place(static_cast<std::uint64_t>(query.data() - text), query.size());
      all.segments.push_back({place, hash_padded_id(query), rows.size()});
      if (last) all.rows = std::exchange(rows, SegmentRows());
    });
    all.text.assign(text, block.text.size());  // last, as reading takes quotes out of it
    return all;
  }

 private:
  const TextLayout& layout_;
  SegmentReader reader_;
};

}  // namespace rankmark
