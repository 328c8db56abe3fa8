// Rows of a run as text, gathered by query: those of queries that came back, or of all where most do.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blocks.hpp"
#include "gathered_segments.hpp"
#include "ids.hpp"
#include "layout.hpp"
#include "numbers.hpp"
#include "readers.hpp"

namespace rankmark {

// The rows of one block, in stretches of one query.
struct GatheredPart {
  struct Stretch {
    IdSpan query;
    std::uint64_t hash;
    std::size_t rows;
  };

  std::string text;  // that holds the ids
  std::vector<Stretch> stretches;
  std::vector<IdSpan> documents;
  std::vector<double> scores;
  FileCounts counts;
};

class GatheringParser {
 public:
  explicit GatheringParser(const TextLayout& layout) : layout_(layout), reader_(layout.cut) {}

  GatheredPart operator()(const Block& whole) {
    const Block block = without_header(whole, layout_);
    const std::optional<std::size_t> order_column = layout_.order();
    const double sign = order_column == layout_.rank ? -1.0 : 1.0;  // rank 1 is the best
    const auto span_of = [&block](std::string_view id) {
      return IdSpan(static_cast<std::uint64_t>(id.data() - block.text.data()), id.size());
    };
    GatheredPart part;
    std::string_view current;
    reader_.start(block.text);
    for (Line line; reader_.next(line);) {
      if (!line.plain) {
        check_line(line, block.offset_of(line.text()), layout_);
        part.counts.extra_columns += line.columns > layout_.cut.columns ? 1 : 0;
      }
      double score = 0;
      if (order_column) {
        const std::string_view field = line.column(*order_column);
        if (!parse_number(field, score) || !is_plain(score)) {
          score = number_in(field, block.offset_of(line.text()), layout_);
        }
      }
      const std::string_view query = line.column(layout_.query);
      if (part.stretches.empty() || query != current) {
        part.stretches.push_back({span_of(query), hash_id(query), 0});
        current = query;
      }
      ++part.stretches.back().rows;
      part.documents.push_back(span_of(line.column(layout_.document)));
      part.scores.push_back(sign * score);
      ++part.counts.rows;
    }
    check_end(block);
    part.text.assign(block.text.data(), block.text.size());
    return part;
  }

 private:
  const TextLayout& layout_;
  LineReader reader_;
};

// Reads a file again and gathers the rows of some queries: `number(id, hash)` gives the number of a query, or kAbsent,
// for each stretch in the order of the file.
template <class Number>
FileCounts gather_rows(const File& file, const TextLayout& layout, const ReadOptions& options, const IdTable& queries,
                       GatheredSegments& gathered, const Number& number) {
  constexpr std::size_t kAhead = 8;
  FileCounts counts;
  read_blocks(
      file, options, [&] { return GatheringParser(layout); },
      [&](GatheredPart&& part) {
        counts.rows += part.counts.rows;
        counts.extra_columns += part.counts.extra_columns;
        const char* const text = part.text.data();
        std::size_t row = 0;
        for (std::size_t i = 0; i < part.stretches.size(); ++i) {
          if (i + kAhead < part.stretches.size()) queries.expect(part.stretches[i + kAhead].hash);
          const GatheredPart::Stretch& stretch = part.stretches[i];
          const std::uint32_t query = number(stretch.query.in(text), stretch.hash);
          if (query != IdTable::kAbsent) {
            gathered.add(query, std::span<const double>(part.scores).subspan(row, stretch.rows),
                         [&](std::size_t at) { return part.documents[row + at].in(text); });
          }
          row += stretch.rows;
        }
      });
  return counts;
}

}  // namespace rankmark
