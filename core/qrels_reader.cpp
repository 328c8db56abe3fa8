// The reader of judgments, and the lines on which a document stands.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "numbers.hpp"
#include "readers.hpp"

namespace rankmark {
namespace {

struct QrelsRow {
  std::uint64_t hash;
  IdSpan document;
  double label;
};

// Consecutive rows of one query.
struct QrelsStretch {
  std::string query;
  std::size_t rows = 0;
};

struct QrelsPart {
  std::string text;  // the spans' bytes
  std::vector<QrelsRow> rows;
  std::vector<QrelsStretch> stretches;
  FileCounts counts;
};

class QrelsParser {
 public:
  explicit QrelsParser(const TextLayout& layout) : layout_(layout), reader_(layout.cut) {}

  QrelsPart operator()(const Block& whole) {
    const Block block = without_header(whole, layout_);
    QrelsPart part;
    reader_.start(block.text);
    Line line;
    while (reader_.next(line)) {
      if (!line.plain) {
        check_line(line, block.offset_of(line.text()), layout_);
        part.counts.extra_columns += line.columns > layout_.cut.columns ? 1 : 0;
      }
      double label = 1;
      if (layout_.number) {
        const std::string_view field = line.column(*layout_.number);
        if (!parse_number(field, label) || !is_plain(label)) {
          label = number_in(field, block.offset_of(line.text()), layout_);
        }
      }
      ++part.counts.rows;
      const std::string_view query = line.column(layout_.query), document = line.column(layout_.document);
      if (part.stretches.empty() || part.stretches.back().query != query) {
        part.stretches.push_back({std::string(query), 0});
      }
      ++part.stretches.back().rows;
      part.rows.push_back({hash_id(document), {part.text.size(), document.size()}, label});
      part.text.append(document);
    }
    check_end(block);
    return part;
  }

 private:
  const TextLayout& layout_;
  LineReader reader_;
};

}  // namespace

QrelsRead read_qrels(const File& file, const TextLayout& layout, const ReadOptions& options) {
  JudgmentsBuilder builder;
  FileCounts counts;
  read_blocks(
      file, options, [&] { return QrelsParser(layout); },
      [&](QrelsPart&& part) {
        std::size_t row = 0;
        for (const QrelsStretch& stretch : part.stretches) {
          const std::uint32_t query = builder.query(stretch.query);
          for (const std::size_t end = row + stretch.rows; row < end; ++row) {
            const QrelsRow& one = part.rows[row];
            builder.add(query, one.document.in(part.text.data()), one.hash, one.label);
          }
        }
        counts.rows += part.counts.rows;
        counts.extra_columns += part.counts.extra_columns;
      });
  return {std::move(builder).finish(), counts};
}

std::vector<std::uint64_t> lines_of(const File& file, const TextLayout& layout, std::string_view query,
                                    std::string_view document, const Poll& poll) {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  std::vector<std::uint64_t> lines;
  std::uint64_t before = 0;  // lines of earlier blocks
  BlockLoader loader(file, kBlock);
  LineReader reader(layout.cut);
  file.begin();
  for (std::uint64_t i = 0; lines.size() < 2; ++i) {
    const std::optional<Block> whole = loader.load(i);
    if (!whole) break;
    const auto newlines_before = [&](const char* end) {
      return static_cast<std::uint64_t>(std::count(static_cast<const char*>(whole->text.data()), end, '\n'));
    };
    reader.start(without_header(*whole, layout).text);
    for (Line line; lines.size() < 2 && reader.next(line);) {
      const bool is_row = line.plain || (line.columns >= layout.cut.columns && line.fault == nullptr);
      if (is_row && line.column(layout.query) == query && line.column(layout.document) == document) {
        lines.push_back(before + newlines_before(line.text().data()) + 1);
      }
    }
    before += newlines_before(whole->text.data() + whole->text.size());
    file.release((i + 1) * kBlock - 1);
    if (poll) poll(i * kBlock);
  }
  return lines;
}

}  // namespace rankmark
