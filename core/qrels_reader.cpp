// The reader of judgments, and the lines on which a document stands.
#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "line_segments.hpp"
#include "readers.hpp"

namespace rankmark {
QrelsRead read_qrels(const File& file, const TextLayout& layout, const ReadOptions& options) {
  JudgmentsBuilder builder;
  FileCounts counts;
  read_blocks(
      file, options, [&] { return BlockRowsParser(layout); },
      [&](BlockRows&& part) {
        const TextIds ids = part.rows.ids_in(part.text.data());
        std::size_t row = 0;
        for (const auto& [place, hash, end] : part.segments) {
          const std::uint32_t query = builder.query(place.in(ids.text), hash);
          for (; row < end; ++row) {
            builder.add(query, ids[row], ids.hashes[row], layout.number ? part.rows.numbers()[row] : 1.0);
          }
        }
        counts.add(part.counts);
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
