// Finding where queries begin in a file.
#include "query_extents.hpp"

#include <string>
#include <string_view>

#include "line_segments.hpp"

namespace rankmark {
namespace {

struct Begin {
  std::string query;
  std::uint64_t offset;  // of the first line
};

class BeginsParser {
 public:
  explicit BeginsParser(const TextLayout& layout) : layout_(without_numbers(layout)), reader_(layout_) {}

  std::vector<Begin> operator()(const Block& block) {
    std::vector<Begin> begins;
    FileCounts counts;
    reader_.read(block, counts, [&](std::string_view query, SegmentRows& rows, bool) {
      const char* line = query.data();
      while (line != block.text.data() && line[-1] != '\n') --line;
      begins.push_back({std::string(query), block.offset_of({line, 1})});
      rows.clear();
    });
    return begins;
  }

 private:
  static TextLayout without_numbers(TextLayout layout) {
    layout.number.reset();
    layout.rank.reset();
    layout.by_rank = false;
    return layout;
  }

  TextLayout layout_;
  SegmentReader reader_;
};

}  // namespace

QueryExtents find_extents(const File& file, const TextLayout& layout, const ReadOptions& options) {
  QueryExtents found;
  read_blocks(
      file, options, [&] { return BeginsParser(layout); },
      [&](std::vector<Begin>&& begins) {
        for (const Begin& begin : begins) {
          const std::uint32_t query = found.queries.find_or_add(begin.query);
          if (!found.query.empty() && found.query.back() == query) continue;
          if (!found.extents.empty()) found.extents.back().end = begin.offset;
          found.query.push_back(query);
          found.extents.push_back({begin.offset, file.size()});
        }
      });
  return found;
}

}  // namespace rankmark
